package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/check/evidence"
)

// CounterfactualResult tells whether the check noticed the mutation. Status is
// passed, failed, blocked_external or interrupted.
type CounterfactualResult struct {
	Key        string             `json:"key"`
	CheckID    string             `json:"check_id"`
	Status     string             `json:"status"`
	DurationMS int64              `json:"duration_ms"`
	Findings   []contract.Finding `json:"findings"`
}

// Counterfactual runs the check in a private copy that the mutation was applied
// to. It passes when the check completed with exit code 0 and exactly the
// listed assertions failed, by value, and nothing else was wrong. Test reports
// and exit statuses come with another exit code; every failed test of a report
// must then belong to a listed assertion.
func Counterfactual(ctx context.Context, place Place, spec Spec, cf contract.Counterfactual) CounterfactualResult {
	started := time.Now()
	result := judgeCounterfactual(spec, cf, Run(ctx, place, spec))
	result.DurationMS = time.Since(started).Milliseconds()
	return result
}

// NotMutated is the result when Mutate refused with err, which says why.
func NotMutated(spec Spec, cf contract.Counterfactual, err error) CounterfactualResult {
	code := "counterfactual_mutation_failed"
	hint := "Correct the mutation in the contract."
	if errors.Is(err, ErrTargetMissing) {
		code = codeTargetMissing
		hint = "Implement the file the mutation names; the counterfactual cannot tell anything before it exists."
	}
	actual := map[string]any{"execution_status": "not_run", "finding_codes": []string{code}}
	return failed(spec, cf, fmt.Sprintf("the check was not run, because the mutation could not be applied: %v", err), hint, actual)
}

func judgeCounterfactual(spec Spec, cf contract.Counterfactual, r Result) CounterfactualResult {
	switch r.Status {
	case BlockedExternal, Interrupted:
		message := fmt.Sprintf("Counterfactual %s of %s could not be judged: %s.", cf.Key, spec.ID(), firstMessage(r))
		return CounterfactualResult{
			Key: cf.Key, CheckID: spec.ID(), Status: string(r.Status),
			Findings: []contract.Finding{spec.finding(string(r.Status), message, "", refs(spec, cf))},
		}
	}
	reason := deviation(spec, cf, r)
	if reason == "" {
		return CounterfactualResult{Key: cf.Key, CheckID: spec.ID(), Status: string(Passed), Findings: []contract.Finding{}}
	}
	codes := []string{}
	for _, f := range r.Findings {
		codes = append(codes, f.Code)
	}
	actual := map[string]any{
		"exit_code": r.ExitCode, "result_status": string(r.Status), "failed_assertions": failedAssertions(r), "finding_codes": codes,
	}
	return failed(spec, cf, reason, "Make the check observe what the mutation takes away, with exit code 0 and the same types.", actual)
}

func failed(spec Spec, cf contract.Counterfactual, reason, hint string, actual map[string]any) CounterfactualResult {
	all := refs(spec, cf)
	all["expected"], all["actual"] = map[string]any{"failed_assertions": cf.ExpectedAssertionFailures}, actual
	message := fmt.Sprintf("Counterfactual %s of %s proves nothing: %s.", cf.Key, spec.ID(), reason)
	return CounterfactualResult{
		Key: cf.Key, CheckID: spec.ID(), Status: "failed",
		Findings: []contract.Finding{spec.finding(codeIntegrity, message, hint, all)},
	}
}

func refs(spec Spec, cf contract.Counterfactual) map[string]any {
	binding := cf.BindingRef
	if binding == "" {
		binding = spec.Outcome + "." + cf.BindingKey
	}
	refs := map[string]any{"counterfactual": cf.Key, "binding": binding, "claims": cf.Claims}
	if len(cf.ExpectedAssertionFailures) > 0 {
		refs["assertion"] = cf.ExpectedAssertionFailures[0]
	}
	return refs
}

// deviation is how the mutated run differs from what was declared, in one
// clause, "" when it does not.
func deviation(spec Spec, cf contract.Counterfactual, r Result) string {
	if r.Status != AssertionFailed && r.Status != Passed && (r.Status != TestFailed || !spec.failsByExit()) {
		return fmt.Sprintf("the run on the mutated tree ended as %s (%s)", r.Status, firstMessage(r))
	}
	var silent, surplus, odd []string
	for _, a := range r.AssertionResults {
		listed := slices.Contains(cf.ExpectedAssertionFailures, a.Key)
		switch {
		case listed && a.Code == "":
			silent = append(silent, a.Key)
		case !listed && a.Code != "":
			surplus = append(surplus, a.Key)
		case a.Code != "" && a.Code != evidence.ValueMismatch:
			odd = append(odd, a.Key+" as "+a.Code)
		}
	}
	switch {
	case len(silent) > 0:
		return "with the mutation applied these assertions still hold: " + strings.Join(silent, ", ")
	case len(surplus) > 0:
		return "these assertions failed though they are not listed: " + strings.Join(surplus, ", ")
	case len(odd) > 0:
		return "an assertion must fail by its value, but these failed otherwise: " + strings.Join(odd, ", ")
	}
	if n := r.report.FailedOutside(spec.casesOf(cf.ExpectedAssertionFailures)); n > 0 {
		return fmt.Sprintf("%d tests failed that belong to none of the listed assertions", n)
	}
	for _, f := range r.Findings {
		if f.Code != evidence.ValueMismatch && (f.Code != string(TestFailed) || !spec.failsByExit()) {
			return fmt.Sprintf("something else was wrong too (%s: %s)", f.Code, strings.TrimSuffix(f.Message, "."))
		}
	}
	return ""
}

// failsByExit tells whether a failed assertion of the check also makes it exit
// with another code than 0, as test runners do.
func (s Spec) failsByExit() bool {
	return s.Check.Runner.Reports() || s.adapter() == contract.AdapterExitStatus
}

// casesOf are the test cases that the named assertions are about.
func (s Spec) casesOf(assertions []string) []string {
	var keys []string
	for _, a := range s.assertions() {
		if slices.Contains(assertions, a.Key) {
			keys = append(keys, contract.CaseOf(a.Observation))
		}
	}
	return keys
}

func firstMessage(r Result) string {
	if len(r.Findings) == 0 {
		return "no reason given"
	}
	return strings.TrimSuffix(r.Findings[0].Message, ".")
}

func failedAssertions(r Result) []string {
	keys := []string{}
	for _, a := range r.AssertionResults {
		if a.Code != "" {
			keys = append(keys, a.Key)
		}
	}
	return keys
}
