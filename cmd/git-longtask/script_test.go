package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-longtask/git-longtask/gitx"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the stories")

// hermetic runs the tests, but not the program when a story starts it, without
// anything of the machine's Git setup.
type hermetic struct{ *testing.M }

func (h hermetic) Run() int {
	home, err := os.MkdirTemp("", "longtask-home")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") || gitx.IsLocalVar(name) {
			os.Unsetenv(name)
		}
	}
	caches := goCaches()
	for name, value := range isolated(home) {
		os.Setenv(name, value)
	}
	for name, value := range caches {
		os.Setenv(name, value)
	}
	return h.M.Run()
}

// isolated is the environment of a user with nothing but a name.
func isolated(home string) map[string]string {
	config := filepath.Join(home, "gitconfig")
	text := "[user]\n\tname = Dev\n\temail = dev@example.invalid\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		panic(err)
	}
	return map[string]string{
		"HOME": home, "XDG_CACHE_HOME": filepath.Join(home, "cache"), "XDG_CONFIG_HOME": filepath.Join(home, "config"),
		"GIT_CONFIG_GLOBAL": config, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": filepath.Dir(home), "NO_COLOR": "",
	}
}

// goCaches keeps builds inside tests from starting with nothing.
func goCaches() map[string]string {
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOPROXY").Output()
	caches := map[string]string{}
	if err == nil {
		err = json.Unmarshal(out, &caches)
	}
	if err != nil {
		panic(err)
	}
	return caches
}

func TestMain(m *testing.M) {
	testscript.Main(hermetic{m}, map[string]func(){"git-longtask": main})
}

// TestScript tells the stories. Besides testscript's own commands they know
// json, children and terminal.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("..", "..", "testdata", "script"),
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, ".home")
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			for name, value := range isolated(home) {
				env.Setenv(name, value)
			}
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY"} {
				env.Setenv(name, os.Getenv(name))
			}
			root, err := filepath.Abs(filepath.Join("..", ".."))
			env.Setenv("REPO", root)
			env.Setenv("GIT_CEILING_DIRECTORIES", env.WorkDir)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"json": jsonCmd, "children": childrenCmd, "terminal": terminalCmd},
	})
}

// jsonCmd asserts on a JSON document:
//
//	[!] json stdout|stderr|FILE .path[.path...] [== VALUE]
//
// ".a.b" goes into objects, ".0" into arrays, ".*" into every element, of which
// one must fit. Without a value, the path must exist.
func jsonCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 && (len(args) < 4 || args[2] != "==") {
		ts.Fatalf("usage: [!] json stdout|stderr|FILE .path [== value]")
	}
	var doc any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc); err != nil {
		ts.Fatalf("%s is not one JSON document: %v", args[0], err)
	}
	found := reach([]any{doc}, strings.Split(strings.Trim(args[1], "."), "."))
	fits := len(found) > 0
	if len(args) > 2 {
		want := strings.Join(args[3:], " ")
		fits = slices.ContainsFunc(found, func(v any) bool { return spelled(v) == want })
	}
	if fits == neg {
		ts.Fatalf("json %s: got %s", strings.Join(args, " "), spelled(found))
	}
}

func reach(from []any, path []string) []any {
	for _, step := range path {
		var next []any
		for _, v := range from {
			switch v := v.(type) {
			case map[string]any:
				if child, ok := v[step]; ok {
					next = append(next, child)
				} else if step == "*" {
					for _, child := range v {
						next = append(next, child)
					}
				}
			case []any:
				if i, err := strconv.Atoi(step); err == nil && i < len(v) {
					next = append(next, v[i])
				} else if step == "*" {
					next = append(next, v...)
				}
			}
		}
		from = next
	}
	return from
}

// spelled is a value as a story writes it: strings bare, all else as JSON.
func spelled(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text, _ := plainJSON(v)
	return string(text)
}

// childrenCmd runs a command, which must succeed (or, negated, fail), and
// asserts how many git processes the program started for it at most:
//
//	[!] children MOST COMMAND [ARGS...]
func childrenCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] children MOST COMMAND [ARGS...]")
	}
	most, err := strconv.Atoi(args[0])
	ts.Check(err)
	trace := ts.MkAbs(".trace2")
	ts.Check(os.WriteFile(trace, nil, 0o600))
	ts.Setenv("GIT_TRACE2_EVENT", trace)
	err = ts.Exec(args[1], args[2:]...)
	ts.Setenv("GIT_TRACE2_EVENT", "")
	if (err != nil) != neg {
		ts.Fatalf("%s: %v", strings.Join(args[1:], " "), err)
	}
	if started := startedByUs([]byte(ts.ReadFile(trace))); len(started) > most {
		ts.Fatalf("%d git children, at most %d are allowed:\n%s", len(started), most, strings.Join(started, "\n"))
	}
	ts.Check(os.Remove(trace))
}

// startedByUs lists the command lines of git processes in a GIT_TRACE2_EVENT
// log that carry the flags gitx always gives, so neither the git that ran a
// hook nor what git started itself.
func startedByUs(trace []byte) []string {
	var started []string
	lines := bufio.NewScanner(bytes.NewReader(trace))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct {
			Event string
			Argv  []string
		}
		if json.Unmarshal(lines.Bytes(), &event) == nil && event.Event == "start" && slices.Contains(event.Argv, "core.warnAmbiguousRefs=false") {
			started = append(started, strings.Join(event.Argv, " "))
		}
	}
	return started
}
