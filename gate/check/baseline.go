package check

import (
	"fmt"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/check/evidence"
)

// What an assertion was at the base. Anything but passed is red.
const (
	BasePassed      = "passed"
	BaseFailed      = "failed"
	BaseMissing     = "missing" // no such test, or it was skipped
	BaseBuildFailed = "build_failed"
	BaseError       = "error"
)

// BaselineResult tells whether the check can tell the work from the tree it
// started with. Status is red (every assertion that must be is), green (one of
// them passed), not_started, blocked_external or interrupted.
type BaselineResult struct {
	CheckID    string              `json:"check_id"`
	Status     string              `json:"status"`
	Assertions []BaselineAssertion `json:"assertions"`
	DurationMS int64               `json:"duration_ms"`
	Cached     bool                `json:"cached,omitempty"`
	Findings   []contract.Finding  `json:"findings"`
}

// BaselineAssertion is one assertion at the base.
type BaselineAssertion struct {
	Key    string `json:"key"`
	Result string `json:"result"`
	Guard  bool   `json:"regression_guard,omitempty"`
}

// Statuses of a baseline besides those of a check.
const (
	BaselineRed        = "red"
	BaselineGreen      = "green"
	BaselineNotStarted = "not_started"
)

// NeedsBaseline tells whether an assertion of the check has to be red at the
// base.
func (s Spec) NeedsBaseline() bool {
	for _, a := range s.assertions() {
		if s.Check.Runner.RedAtBase(a) {
			return true
		}
	}
	return false
}

// Baseline judges what a run of the check on the base tree, with the frozen
// files laid over it, says about each assertion that is bound to a test case or
// an exit status.
func Baseline(spec Spec, r Result) BaselineResult {
	b := BaselineResult{CheckID: spec.ID(), Status: BaselineRed, Assertions: []BaselineAssertion{}, DurationMS: r.DurationMS, Findings: []contract.Finding{}}
	switch {
	case r.Status == BlockedExternal || r.Status == Interrupted:
		b.Status = string(r.Status)
		b.Findings = append(b.Findings, spec.finding(string(r.Status), fmt.Sprintf("%s could not be run on the base tree: %s.", spec.ID(), firstMessage(r)), "", nil))
		return b
	case !r.started:
		b.Status = BaselineNotStarted
		b.Findings = append(b.Findings, spec.finding("baseline_not_started",
			fmt.Sprintf("%s could not be started on the base tree, so nothing shows that it can fail: %s.", spec.ID(), firstMessage(r)),
			"Freeze what the command starts with as a verification input, or start a program of the machine.", nil))
		return b
	}
	for _, a := range spec.assertions() {
		if spec.Check.Runner.Binds(a) {
			b.Assertions = append(b.Assertions, BaselineAssertion{Key: a.Key, Result: atBase(spec, a, r), Guard: a.RegressionGuard})
		}
	}
	b.Judge(spec)
	return b
}

// Judge makes status and findings of what the assertions were. It is a function
// of the assertions, so that a remembered baseline is judged like a fresh one.
func (b *BaselineResult) Judge(spec Spec) {
	b.Status, b.Findings = BaselineRed, []contract.Finding{}
	for _, a := range b.Assertions {
		if a.Result != BasePassed || a.Guard {
			continue
		}
		b.Status = BaselineGreen
		b.Findings = append(b.Findings, spec.finding("green_at_base",
			fmt.Sprintf("Assertion %s of %s passes on the base tree already, before any work; it does not show that the work was done.", a.Key, spec.ID()),
			"Test what is new; or write regression_guard: true, with a counterfactual, where it must only stay as it is.",
			map[string]any{"assertion": a.Key, "actual": a.Result}))
	}
}

// atBase is what one assertion was on the base tree. A test that the runner
// could not build is told from one that nobody wrote.
func atBase(spec Spec, a contract.Assertion, r Result) string {
	for _, found := range r.AssertionResults {
		if found.Key == a.Key && found.Code == "" && found.Observation == a.Observation {
			return BasePassed
		}
	}
	if spec.adapter() == contract.AdapterExitStatus {
		return map[bool]string{true: BaseFailed, false: BaseError}[len(r.Observations) > 0]
	}
	executed, reported := evidence.Lookup(r.Observations, "case."+contract.CaseOf(a.Observation)+".executed")
	switch {
	case executed == true:
		return BaseFailed
	case r.report.BuildFailed:
		return BaseBuildFailed
	case !reported:
		return BaseError
	}
	return BaseMissing
}
