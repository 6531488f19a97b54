package freeze

import (
	"path"
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/pathglob"
)

// runnerConfigs are files that change what a known test runner does, whatever
// the tests say.
var runnerConfigs = []string{
	"conftest.py", "pytest.ini", "setup.cfg", "pyproject.toml", "tox.ini", "package.json", "go.work", "Makefile",
	"jest.config.js", "jest.config.cjs", "jest.config.mjs", "jest.config.ts", "jest.config.json",
	"vitest.config.js", "vitest.config.cjs", "vitest.config.mjs", "vitest.config.ts", "vitest.workspace.ts", "tsconfig.json",
}

// frozenAbsent reports files that must not appear and are there already.
func (f *Freezer) frozenAbsent(fc *frozenCheck) {
	for i, p := range fc.FrozenAbsent {
		if f.entry(p) != nil || f.isDir(p) {
			f.fail("frozen_absent_exists", fc.Way("frozen_absent", i), refsOf(fc.Check, "path", p), "remove the file, or freeze it as a verification input", "%q must not appear, and it is there", p)
		}
	}
}

// unfrozenConfigs warns of runner configuration that the work could change
// unseen: whatever stands in or above the directories a command check works in.
func (f *Freezer) unfrozenConfigs() {
	absent, told := map[string]bool{}, map[string]bool{}
	for _, fc := range f.checks {
		for _, p := range fc.FrozenAbsent {
			absent[p] = true
		}
	}
	for _, fc := range f.checks {
		if fc.Runner.Type != model.RunnerCommand {
			continue
		}
		for _, p := range f.configsOf(fc) {
			if f.verifiers[p] != nil || absent[p] || told[p] {
				continue
			}
			told[p] = true
			f.fail("runner_config_not_frozen", fc.Way("verification_inputs"), refsOf(fc.Check, "path", p), "add it to verification_inputs of check "+fc.Key,
				"%q can change what check %s runs, and is not frozen", p, fc.Key)
			f.Findings[len(f.Findings)-1].Level = model.LevelWarning
		}
	}
}

// configsOf lists the configuration files that exist for a command check, and
// its program when that is a file of the repository.
func (f *Freezer) configsOf(fc *frozenCheck) []string {
	dirs := map[string]bool{}
	above := func(dir string) {
		for ; !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	above(path.Clean(fc.Runner.Cwd))
	for p := range fc.files {
		above(path.Dir(p))
	}
	var found []string
	for _, dir := range sortedKeys(dirs) {
		for _, name := range runnerConfigs {
			if p := path.Join(dir, name); f.inManifest(p) {
				found = append(found, p)
			}
		}
	}
	if argv := fc.Runner.Argv; len(argv) > 0 && strings.Contains(argv[0], "/") {
		if p := path.Join(fc.Runner.Cwd, argv[0]); f.inManifest(p) && !slices.Contains(found, p) {
			found = append(found, p)
		}
	}
	return found
}

// reportApart keeps the report of a check from being one of its inputs.
func (f *Freezer) reportApart(fc *frozenCheck) {
	if fc.Runner.Report == "" {
		return
	}
	report := pathglob.Parse(fc.Runner.Report)
	for _, in := range fc.inputs {
		if !in.pattern.Disjoint(report) {
			f.fail("verification_input_protected", in.way, refsOf(fc.Check, "path", in.pattern.String()), "let the check write its report elsewhere",
				"the verification input %q may be overwritten by the check's own report %q", in.pattern, report)
		}
	}
	if found := f.matches(fc.Runner.Report); len(found) > 0 {
		f.fail("report_not_fresh", fc.Way("runner", "report"), refsOf(fc.Check, "path", found[0]), "remove the file from the repository, or let the check write another one",
			"the report %q is in the repository already; only what the run itself writes counts", found[0])
	}
}
