package freeze

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/pathglob"
	"github.com/git-longtask/git-longtask/contract/rules"
)

// frozenCheck is a check with the files that decide it.
type frozenCheck struct {
	*rules.Check
	files  map[string]bool
	inputs []input
}

// input is a verification input, written or automatic.
type input struct {
	pattern   pathglob.Pattern
	way       []any
	automatic string // what it is, for an automatic one
}

// lockFiles are frozen beside the nearest package.json.
var lockFiles = []string{"package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock"}

var playwrightConfigs = []string{"playwright.config.ts", "playwright.config.js", "playwright.config.mjs", "playwright.config.cjs"}

// Checks freezes the files of every check and keeps them apart from what the
// work may change.
func (f *Freezer) Checks(ctx context.Context) {
	changes := f.changePaths(nil)
	for _, u := range f.Graph.Units() {
		for _, check := range u.Checks {
			fc := &frozenCheck{Check: check, files: map[string]bool{}}
			f.checks = append(f.checks, fc)
			f.arguments(fc)
			f.inputPaths(fc)
			f.runner(ctx, fc)
			f.verificationInputs(ctx, fc)
			f.freezeFiles(ctx, fc)
			f.separate(fc, changes)
			f.frozenAbsent(fc)
			f.reportApart(fc)
		}
	}
	f.unfrozenConfigs()
	for _, v := range f.verifiers {
		slices.Sort(v.Checks)
		f.Files = append(f.Files, *v)
	}
	f.executions()
}

func refsOf(check *rules.Check, pairs ...any) map[string]any {
	m := map[string]any{"outcome": check.Unit.Key, "check": check.Key}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func (f *Freezer) arguments(fc *frozenCheck) {
	for i, a := range fc.Runner.Argv {
		if strings.ContainsRune(a, 0) {
			f.fail("runner_argument_invalid", fc.Way("runner", "argv", i), refsOf(fc.Check), "remove it", "an argument holds a NUL character, which no program can receive")
		}
	}
}

func (f *Freezer) inputPaths(fc *frozenCheck) {
	for i, p := range fc.InputPaths {
		if len(f.matches(p)) > 0 {
			continue
		}
		pattern := pathglob.Parse(p)
		if !slices.ContainsFunc(fc.ExpectedOutputPaths, func(out string) bool { return pattern.Overlaps(pathglob.Parse(out)) }) {
			f.fail("input_path_not_found", fc.Way("input_paths", i), refsOf(fc.Check, "path", p), "create the file, correct the path, or declare it as an expected output of this check", "the input path %q matches no file", p)
		}
	}
}

// runner resolves the target and the files that come with the runner.
func (f *Freezer) runner(ctx context.Context, fc *frozenCheck) {
	r := fc.Runner
	if !f.isDir(r.Cwd) {
		f.fail("runner_cwd_not_found", fc.Way("runner", "cwd"), refsOf(fc.Check, "path", r.Cwd), "create a file in it, or correct the path; . is the root", "the working directory %q does not exist", r.Cwd)
		return
	}
	if r.Type == model.RunnerCommand {
		return // nothing is frozen automatically
	}
	for _, name := range lockFiles {
		if p := f.nearest(r.Cwd, name); p != "" {
			fc.automatic(p, "a package file", fc.Way("runner", "cwd"))
		}
	}
	if r.Type == model.RunnerPackageScript {
		f.packageScript(ctx, fc)
		return
	}
	if r.Type == model.RunnerPlaywright {
		for _, name := range playwrightConfigs {
			if p := f.nearest(r.Cwd, name); p != "" {
				fc.automatic(p, "the configuration of Playwright", fc.Way("runner", "cwd"))
			}
		}
	}
	target := path.Join(r.Cwd, r.Target)
	if kind := f.problem(ctx, target); (kind == "absent" || kind == "not_regular") && !hasSegment(target, "node_modules") {
		f.fail(r.Type+"_path_not_found", fc.Way("runner", "target"), refsOf(fc.Check, "path", target), "create the verifier before the contract is locked, or correct the path; it is relative to cwd", "the runner's target %q is no file", target)
		return
	}
	fc.automatic(target, "the runner's target", fc.Way("runner", "target"))
}

func (fc *frozenCheck) automatic(p, what string, way []any) {
	fc.inputs = append(fc.inputs, input{pathglob.Parse(p), way, what})
}

// nearest looks for a file in a directory and in those above it.
func (f *Freezer) nearest(dir, name string) string {
	for {
		p := path.Join(dir, name)
		if f.entry(p) != nil {
			return p
		}
		if dir == "." {
			return ""
		}
		dir = path.Dir(dir)
	}
}

func (f *Freezer) packageScript(ctx context.Context, fc *frozenCheck) {
	way := fc.Way("runner", "target")
	p := f.nearest(fc.Runner.Cwd, "package.json")
	if p == "" {
		f.fail("package_json_not_found", way, refsOf(fc.Check), "create package.json in "+fc.Runner.Cwd+" or above", "there is no package.json in %q or above it", fc.Runner.Cwd)
		return
	}
	data, problem := f.read(ctx, p)
	if problem != nil {
		return // reported when its bytes are frozen
	}
	var pkg struct {
		Scripts map[string]any `json:"scripts"`
	}
	if err := json.Unmarshal(data, &pkg); err != nil {
		line := 1
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			line += strings.Count(string(data[:min(int(syntax.Offset), len(data))]), "\n")
		}
		place := model.Place{Path: p, Line: line, Column: 1}
		f.Findings = append(f.Findings, place.Errorf("bad_value", "correct the file", "%s cannot be read: %v", p, err))
		return
	}
	if script, ok := pkg.Scripts[fc.Runner.Target].(string); !ok || strings.TrimSpace(script) == "" {
		f.fail("package_script_not_found", way, refsOf(fc.Check, "path", p), "add the script to "+p+", or correct the name", "%s has no script %q", p, fc.Runner.Target)
	}
}

func (f *Freezer) verificationInputs(ctx context.Context, fc *frozenCheck) {
	for i, p := range fc.VerificationInputs {
		in := input{pattern: pathglob.Parse(p), way: fc.Way("verification_inputs", i)}
		fc.inputs = append(fc.inputs, in)
		files := f.matches(p)
		for _, file := range files {
			fc.files[file] = true
		}
		if len(files) == 0 && !f.explained(ctx, p, in.way, fc) {
			f.fail("verification_input_not_found", in.way, refsOf(fc.Check, "path", p), "create the file, or correct the path; ignored files, node_modules and the work directory do not count", "the verification input %q matches no file", p)
		}
	}
	for _, in := range fc.inputs {
		p := in.pattern.String()
		switch {
		case in.automatic == "":
		case f.inManifest(p):
			fc.files[p] = true
		case f.explained(ctx, p, in.way, fc):
		default:
			f.fail("verification_input_not_found", in.way, refsOf(fc.Check, "path", p), "move it to a place where it can be frozen", "%q is %s of this check and lies where no file can be frozen", p, in.automatic)
		}
	}
}

// explained reports a path of one file that exists in a form that cannot be
// frozen, which says more than that it was not found.
func (f *Freezer) explained(ctx context.Context, p string, way []any, fc *frozenCheck) bool {
	if strings.ContainsAny(p, "*?") {
		return false
	}
	kind := f.problem(ctx, p)
	if kind == "" || kind == "absent" {
		return false
	}
	problem := problemOf(kind)
	f.fail(problem.code, way, refsOf(fc.Check, "path", p), problem.hint, "%q %s", p, problem.what)
	return true
}

// freezeFiles records the bytes of every file that decides the check.
func (f *Freezer) freezeFiles(ctx context.Context, fc *frozenCheck) {
	for _, p := range sortedKeys(fc.files) {
		f.owners[p] = "a verification input"
		data, ok := f.protect(ctx, p, fc.wayOf(p), refsOf(fc.Check, "path", p))
		if !ok {
			continue
		}
		v := f.verifiers[p]
		if v == nil {
			v = &model.Frozen{Path: p, Kind: model.FileVerifier, SHA256: Digest(data)}
			f.verifiers[p] = v
		}
		if !slices.Contains(v.Checks, fc.ID()) {
			v.Checks = append(v.Checks, fc.ID())
		}
	}
}

// wayOf finds the input that names a file.
func (fc *frozenCheck) wayOf(p string) []any {
	for _, in := range fc.inputs {
		if in.pattern.Match(p) {
			return in.way
		}
	}
	return fc.Way("verification_inputs")
}

// separate keeps verification inputs out of what the work may change.
func (f *Freezer) separate(fc *frozenCheck, changes []changePath) {
	for _, in := range fc.inputs {
		p := in.pattern.String()
		refs := refsOf(fc.Check, "path", p)
		for _, c := range changes {
			if fc.Runner.Type == model.RunnerCommand || in.pattern.Disjoint(c.pattern) {
				continue
			}
			what := "the verification input"
			if in.automatic != "" {
				what = in.automatic + ","
			}
			f.fail("verification_input_overlaps_implementation", in.way, refs, "move the verifier to a path of its own, or narrow the change path",
				"%s %q may be changed by the work: it can match %q of outcome %s", what, in.pattern, c.pattern, c.unit.Key)
			break
		}
		if within(p, ".git") || within(p, f.workdir) || hasSegment(p, "node_modules") {
			f.fail("verification_input_protected", in.way, refs, "move it out of the work directory, .git and node_modules", "the verification input %q lies in a place that is not judged", p)
		}
		for _, glob := range fc.ArtifactGlobs {
			if artifact := pathglob.Parse(glob); !in.pattern.Disjoint(artifact) {
				f.fail("verification_input_protected", in.way, refs, "let the check write its artifacts elsewhere", "the verification input %q may be overwritten by the check's own artifacts %q", p, glob)
			}
		}
	}
}

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
