package scaffold

import (
	"fmt"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// plan is what the templates know. Dir is the project's directory in the
// repository; Here, Frozen and Root are relative to it.
type plan struct {
	Task
	Dir         string
	Here        string // the file to implement
	Frozen      string // what proves it
	Root        string // where imports start
	Module      string // how the test imports the subject
	Name        string // the subject's package
	Runner      string
	Tool        string // the program a check needs
	TimeoutMS   int
	Observation string
	Expected    string

	check, test string // files in Frozen
	scope       string // pattern of what may change; "" for the subject alone
	execSubject bool
}

func (p *plan) Source() string  { return path.Join(p.Workdir, "source.md") }
func (p *plan) Subject() string { return path.Join(p.Dir, p.Here) }
func (p *plan) Target() string  { return path.Join(p.Frozen, p.check) }
func (p *plan) Inputs() string  { return path.Join(p.Dir, p.Frozen, "**") }

func (p *plan) Scope() string {
	if p.scope == "" {
		return p.Subject()
	}
	return path.Join(p.Dir, p.scope)
}

// layouts say, for each template, where things go in a project of that kind.
var layouts = map[string]func(top fs.FS, from string, t Task) (*plan, error){
	"delivery": deliveryLayout, "go": goLayout, "node": nodeLayout, "python": pythonLayout,
}

func deliveryLayout(_ fs.FS, _ string, t Task) (*plan, error) {
	return &plan{Task: t, Dir: ".", Here: "src/" + t.ID + "/greet.sh", Frozen: "verify/" + t.ID, check: "check.sh",
		Runner: "project_binary", Tool: "sh", TimeoutMS: 60_000, Observation: "greeting", Expected: `"Hello, Ada!"`,
		scope: "src/" + t.ID + "/**", execSubject: true}, nil
}

var moduleLine = regexp.MustCompile(`(?m)^module[ \t]+["` + "`" + `]?([^\s"` + "`" + `]+)`)

func goLayout(top fs.FS, from string, t Task) (*plan, error) {
	dir, found := nearest(top, from, "go.mod")
	if !found {
		return nil, &Refusal{Code: "project_file_missing", Message: "there is no go.mod in this directory or above it, so no Go project to put a task into",
			Hint: "run git longtask init inside the module, or make one: go mod init <path>"}
	}
	text, err := fs.ReadFile(top, path.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	module := moduleLine.FindSubmatch(text)
	if module == nil {
		return nil, &Refusal{Code: "project_file_unreadable", Message: fmt.Sprintf("%s has no module line", path.Join(dir, "go.mod")), Hint: "correct it: go mod edit -module <path>"}
	}
	name := goName(t.ID)
	// A first build fills a build cache of the checks' own, hence the time.
	return &plan{Task: t, Dir: dir, Here: "internal/" + name + "/greet.go", Frozen: "verify/" + name, check: "check.sh", test: "greet_test.go",
		Module: string(module[1]) + "/internal/" + name, Name: name, Runner: "project_binary", Tool: "go", TimeoutMS: 600_000,
		Observation: "test_passed", Expected: "true", scope: "internal/" + name + "/**"}, nil
}

// goName makes an id the name of a package that can be imported and a
// directory that go does not treat in its own way.
func goName(id string) string {
	name := strings.ReplaceAll(id, "-", "")
	special := slices.Contains([]string{"main", "vendor", "testdata", "internal"}, name)
	if special || token.IsKeyword(name) || name[0] <= '9' {
		name = "task" + name
	}
	return name
}

func nodeLayout(top fs.FS, from string, t Task) (*plan, error) {
	dir, _ := nearest(top, from, "package.json")
	return &plan{Task: t, Dir: dir, Here: "src/" + t.ID + "/greet.mjs", Frozen: "verify/" + t.ID, check: "check.mjs", test: "greet.test.mjs",
		Runner: "node_oracle", Tool: "node", TimeoutMS: 120_000, Observation: "test_passed", Expected: "true", scope: "src/" + t.ID + "/**"}, nil
}

// pythonLayout puts the subject into the project's package where there is
// exactly one, and keeps the test below tests: packaging tools look askance at
// further directories.
func pythonLayout(top fs.FS, from string, t Task) (*plan, error) {
	dir, _ := nearest(top, from, "pyproject.toml", "setup.py", "setup.cfg")
	name := strings.ReplaceAll(t.ID, "-", "_")
	p := &plan{Task: t, Dir: dir, Root: ".", Module: "greeting_" + name, Frozen: "tests/acceptance/" + t.ID, check: "check.py", test: "test_" + name + ".py",
		Runner: "project_binary", Tool: "python3", TimeoutMS: 120_000, Observation: "test_passed", Expected: "true"}
	if info, err := fs.Stat(top, path.Join(dir, "src")); err == nil && info.IsDir() {
		p.Root = "src"
	}
	found, err := fs.Glob(top, path.Join(globSafe(path.Join(dir, p.Root)), "*", "__init__.py"))
	found = slices.DeleteFunc(found, func(name string) bool {
		return slices.Contains([]string{"test", "tests", "docs", "examples"}, path.Base(path.Dir(name)))
	})
	p.Here = path.Join(p.Root, p.Module+".py")
	if err == nil && len(found) == 1 {
		pkg := path.Base(path.Dir(found[0]))
		p.Here = path.Join(p.Root, pkg, p.Module+".py")
		p.Module = pkg + "." + p.Module
	}
	return p, nil
}

// globSafe takes the meaning from characters that fs.Glob would expand.
func globSafe(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// nearest is the first directory, from one upwards, that holds one of the
// files; the repository's top where none does.
func nearest(top fs.FS, from string, names ...string) (dir string, found bool) {
	for dir = from; ; dir = path.Dir(dir) {
		for _, name := range names {
			if info, err := fs.Stat(top, path.Join(dir, name)); err == nil && info.Mode().IsRegular() {
				return dir, true
			}
		}
		if dir == "." {
			return dir, false
		}
	}
}
