package check

import (
	"fmt"
	"unicode/utf8"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/check/evidence"
)

// assertionResults decides every assertion of the check, positive ones first.
func assertionResults(spec Spec, observations map[string]any) []AssertionResult {
	results := []AssertionResult{}
	add := func(polarity string, list []contract.Assertion) {
		for _, a := range list {
			e := evidence.Evaluate(a, observations)
			status := "passed"
			if e.Code != "" {
				status = "failed"
			}
			results = append(results, AssertionResult{
				Key: a.Key, Criterion: a.Criterion, Claims: append([]string{}, a.Claims...), Polarity: polarity, Status: status,
				Observation: a.Observation, Operator: a.Operator, Expected: a.Expected, Actual: e.Actual, Code: e.Code,
			})
		}
	}
	add("positive", spec.Check.PositiveAssertions)
	add("negative", spec.Check.NegativeAssertions)
	return results
}

func (s Spec) assertionFinding(a AssertionResult) contract.Finding {
	refs := map[string]any{"assertion": a.Key, "criterion": a.Criterion, "observation": a.Observation, "claims": a.Claims}
	if a.Expected != nil || needsExpected(a.Operator) {
		refs["expected"] = a.Expected
	}
	var message, hint string
	switch a.Code {
	case evidence.Missing:
		message = fmt.Sprintf("Assertion %s of %s found no observation named %s.", a.Key, s.ID(), a.Observation)
		hint = fmt.Sprintf("Make the check print %s among its observations.", a.Observation)
		if key := contract.CaseOf(a.Observation); key != "" && s.Check.Runner.Reports() {
			message = fmt.Sprintf("Assertion %s of %s does not hold: no test in the report carries [ac:%s] in its name.", a.Key, s.ID(), key)
			hint = fmt.Sprintf("Put [ac:%s] into the name of the test that proves it, and make the command run that test.", key)
		}
	case evidence.TypeMismatch:
		refs["actual"] = a.Actual
		message = fmt.Sprintf("Assertion %s of %s does not hold: %s is %s, which cannot be compared by: %s%s.",
			a.Key, s.ID(), a.Observation, shown(a.Actual), a.Operator, operand(a))
		hint = "Print the observation in the type the operator compares."
	default:
		refs["actual"] = a.Actual
		message = fmt.Sprintf("Assertion %s of %s does not hold: %s is %s, the contract demands: %s%s.",
			a.Key, s.ID(), a.Observation, shown(a.Actual), a.Operator, operand(a))
		hint = "Change what is implemented until this is observed: " + a.Criterion
	}
	return s.finding(a.Code, message, hint, refs)
}

func needsExpected(operator string) bool {
	return operator != "exists" && operator != "truthy" && operator != "falsy"
}

func operand(a AssertionResult) string {
	if !needsExpected(a.Operator) {
		return ""
	}
	return " " + shown(a.Expected)
}

// shown is a value short enough for a sentence.
func shown(v any) string {
	const most = 120
	text := evidence.Canonical(v)
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

func (s Spec) populationFinding(observations map[string]any) (contract.Finding, bool) {
	if s.Population == nil {
		return contract.Finding{}, false
	}
	c := evidence.Cover(*s.Population, observations)
	if c.Reason == "" {
		return contract.Finding{}, false
	}
	refs := map[string]any{"reason": c.Reason, "actual": c.Actual, "claims": s.Population.Claims}
	return s.finding(codePopulation, fmt.Sprintf("The population of %s is not accounted for: %s.", s.ID(), c.Problem),
		"Observe every eligible item, or exclude it by a declared rule.", refs), true
}
