// Package check runs one check of a contract in a materialised tree and
// decides what came out of it.
//
// It promises that a check sees an environment built from an allow-list and a
// tree, and nothing that tells one command of the tool from another; that no
// process outlives its run; that what decides is a pure function of exit code,
// evidence and contract; and that a value of the environment never gets into a
// result. It refuses to know Git, authority, receipts and progress: the caller
// materialises the tree and verifies it.
package check

import (
	"context"
	"fmt"
	"runtime"

	"github.com/git-longtask/git-longtask/contract"
)

// Place is where checks run. Dir is the materialised tree, Home the HOME they
// are given, Temp a directory outside the tree for what belongs to one run;
// all three are absolute. PassEnv names variables to pass on (.longtask.yaml).
type Place struct {
	Dir     string
	Home    string
	Temp    string
	PassEnv []string
}

// Spec is one check with what its identity and verdict depend on. Outcome is
// "" for a global check. Frozen maps the check's frozen files to the SHA-256 of
// their bytes. Population is nil unless it belongs to this check.
type Spec struct {
	Outcome    string
	Check      contract.Check
	Frozen     map[string]string
	Population *contract.Population
}

// ID is the internal id, CHECK.<outcome|GLOBAL>.<key>.
func (s Spec) ID() string { return "CHECK." + s.scope() + "." + s.Check.Key }

func (s Spec) scope() string {
	if s.Outcome == "" {
		return "GLOBAL"
	}
	return s.Outcome
}

// Run runs the check and judges it. What goes wrong is a status and findings
// of the result, never an error.
func Run(ctx context.Context, place Place, spec Spec) Result {
	return judge(place, spec, execute(ctx, place, spec))
}

// adapter is how the check's evidence is read.
func (s Spec) adapter() string {
	if s.Check.Runner.Type == contract.RunnerCommand {
		return s.Check.Runner.Adapter
	}
	return contract.AdapterStructured
}

// Supported tells whether this binary can run the check, and if not, which
// part of it is missing.
func Supported(c contract.Check) (missing string, ok bool) {
	switch c.Runner.Type {
	case contract.RunnerNodeOracle, contract.RunnerPackageScript, contract.RunnerCommand:
		return "", true
	case contract.RunnerProjectBinary:
		if runtime.GOOS == "windows" {
			return "project_binary on Windows", false
		}
		return "", true
	}
	return fmt.Sprintf("the runner %s", c.Runner.Type), false
}
