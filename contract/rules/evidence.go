package rules

import (
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
)

// Evidence reports checks whose form cannot give the evidence they promise.
func Evidence(g *Graph) []model.Finding {
	c := &checker{Graph: g}
	for _, u := range g.Units() {
		for _, check := range u.Checks {
			browser := check.Runner.Type == model.RunnerPlaywright
			if browser != (check.ProofSurface == "ui_browser") && check.Runner.Type != model.RunnerCommand {
				c.fail("evidence_adapter_mismatch", check.Way("proof_surface"), check.refs("runner", check.Runner.Type, "proof_surface", check.ProofSurface),
					"use playwright_test with ui_browser, and any other runner with any other surface", "the runner %s gives no evidence on %s", check.Runner.Type, check.ProofSurface)
			}
			for _, a := range check.assertions {
				c.assertionForm(check, a)
			}
		}
	}
	return c.findings
}

func (c *checker) assertionForm(check *Check, a assertion) {
	refs := check.refs("assertion", a.Key)
	if a.Criterion == "" {
		c.fail("assertion_criterion_required", a.way, refs, "add criterion: with a sentence that says what is accepted", "the assertion %s states no criterion", a.Key)
	}
	c.commandForm(check, a)
	if check.Runner.Type != model.RunnerPlaywright || len(a.Claims) == 0 {
		return
	}
	observation := "playwright.case." + a.Key + ".passed"
	if a.Observation != observation || a.Operator != "equals" || a.Expected != true {
		c.fail("playwright_claim_assertion_invalid", a.way, refs, "write observation: "+observation+", operator: equals, expected: true",
			"a Playwright assertion that proves claims must be exactly: its own case passed")
	}
}

// commandForm is the form of assertions over a test report or an exit status.
func (c *checker) commandForm(check *Check, a assertion) {
	r := check.Runner
	refs := check.refs("assertion", a.Key)
	if a.RegressionGuard && !r.Binds(*a.Assertion) {
		c.fail("regression_guard_not_applicable", extend(a.way, "regression_guard"), refs, "remove regression_guard",
			"regression_guard excuses a test case or an exit status of a command from being red at the base; %s is about neither", a.Key)
	}
	if len(a.Claims) == 0 {
		return
	}
	observation, expected, text := "exit_code", any(0.0), "0"
	if r.Reports() {
		observation, expected, text = "case."+a.Key+".passed", true, "true"
	} else if r.Adapter != model.AdapterExitStatus {
		return
	}
	if a.Observation != observation || a.Operator != "equals" || a.Expected != expected {
		c.fail("command_claim_assertion_invalid", a.way, refs, "write observation: "+observation+", operator: equals, expected: "+text,
			"an assertion that proves claims by %s must be exactly: %s equals %s", r.Adapter, observation, text)
	}
}

// guarded demands a counterfactual for each assertion that need not be red at
// the base: something has to show that it can fail.
func (c *checker) guarded(check *Check) {
	for _, a := range check.assertions {
		if !a.RegressionGuard || !check.Runner.Binds(*a.Assertion) {
			continue
		}
		if !slices.ContainsFunc(check.Unit.Counterfactuals, func(cf model.Counterfactual) bool {
			return cf.CheckKey == check.Key && slices.Contains(cf.ExpectedAssertionFailures, a.Key)
		}) {
			c.fail("regression_guard_counterfactual_required", a.way, check.refs("assertion", a.Key),
				"add a counterfactual of check "+check.Key+" with expected_assertion_failures ["+a.Key+"], or remove regression_guard",
				"the assertion %s may pass at the base already, and nothing shows that it can fail", a.Key)
		}
	}
}

// Sensitivity reports claims whose check was never shown to fail: each claim
// of a structured check needs a counterfactual of that check. Test cases and
// exit statuses of a command are shown to fail by the base instead.
func Sensitivity(g *Graph) []model.Finding {
	c := &checker{Graph: g}
	for _, u := range g.Units() {
		weak := u.Outcome != nil && slices.Contains(g.Contract.Risk.Facts["weak_observability"], u.Key)
		for _, check := range u.Checks {
			c.guarded(check)
			switch {
			case u.Outcome == nil && check.Structured():
				c.sensitive(check, "global_structured_evidence_sensitivity_required", nil)
			case u.Outcome == nil:
			case check.Structured():
				var extra []string
				if p := u.Outcome.Acceptance.Population; weak && p != nil && p.CheckKey == check.Key {
					extra = p.Claims
				}
				c.sensitive(check, "structured_evidence_sensitivity_required", extra)
				c.sensitiveResult(check)
			case weak && check.Runner.Type == model.RunnerPlaywright:
				c.sensitiveCases(check)
				c.sensitiveResult(check)
			}
		}
	}
	return c.findings
}

// sensitive demands a counterfactual for each claim that assertions, or the
// extra list, name in a check.
func (c *checker) sensitive(check *Check, code string, extra []string) {
	covered := map[string]bool{}
	for _, cf := range check.Unit.Counterfactuals {
		if cf.CheckKey == check.Key {
			for _, local := range cf.Claims {
				covered[local] = true
			}
		}
	}
	demand := func(local string, way []any) {
		if covered[local] {
			return
		}
		covered[local] = true
		f := c.fail(code, way, check.refs("claim", local), "add a counterfactual of check "+check.Key+" that names "+local+" and mutates the files that carry it",
			"nothing shows that check %s fails when %s does not hold", check.Key, local)
		if check.Unit.Claim(local) == nil {
			f.BlockedBy = []string{unknownClaimCode(check)}
		}
	}
	for _, a := range check.assertions {
		for i, local := range a.Claims {
			demand(local, extend(a.way, "claims", i))
		}
	}
	for i, local := range extra {
		demand(local, check.Unit.Way("acceptance", "population", "claims", i))
	}
}

func unknownClaimCode(check *Check) string {
	if check.Unit.Outcome == nil {
		return "global_assertion_claim_unknown"
	}
	return "assertion_claim_unknown"
}

// sensitiveResult demands that an assertion of the result is shown to fail
// together with something finer.
func (c *checker) sensitiveResult(check *Check) {
	for _, a := range check.assertions {
		if !slices.Contains(a.Claims, "result") {
			continue
		}
		if !slices.ContainsFunc(check.Unit.Counterfactuals, func(cf model.Counterfactual) bool {
			return cf.CheckKey == check.Key && slices.Contains(cf.ExpectedAssertionFailures, a.Key) && slices.Contains(cf.Claims, "result") &&
				slices.ContainsFunc(cf.Claims, func(local string) bool { return local != "result" })
		}) {
			c.fail("structured_result_counterfactual_non_result_required", a.way, check.refs("assertion", a.Key, "claim", "result"),
				"add a counterfactual of check "+check.Key+" with claims [result, <another claim>] and expected_assertion_failures ["+a.Key+"]",
				"the assertion %s claims the result, and no counterfactual makes it fail for the result together with another claim", a.Key)
		}
	}
}

// sensitiveCases is the rule for browser cases of a weakly observable outcome.
func (c *checker) sensitiveCases(check *Check) {
	for _, a := range check.assertions {
		if len(a.Claims) == 0 {
			continue
		}
		failed, covered := false, map[string]bool{}
		for _, cf := range check.Unit.Counterfactuals {
			if cf.CheckKey == check.Key && slices.Contains(cf.ExpectedAssertionFailures, a.Key) {
				failed = true
				for _, local := range cf.Claims {
					covered[local] = true
				}
			}
		}
		var missing []string
		for _, local := range a.Claims {
			if !covered[local] {
				missing = append(missing, local)
			}
		}
		hint := "add a counterfactual of check " + check.Key + " that makes " + a.Key + " fail"
		switch {
		case !failed:
			c.fail("playwright_weak_observability_sensitivity_required", a.way, check.refs("assertion", a.Key), hint, "outcome %s is weakly observable, and nothing shows that the case %s can fail", check.Unit.Key, a.Key)
		case len(missing) > 0:
			c.fail("playwright_weak_observability_claim_sensitivity_required", a.way, check.refs("assertion", a.Key, "claims", missing), hint+" and names "+strings.Join(missing, ", "),
				"outcome %s is weakly observable, and no counterfactual of the case %s names %s", check.Unit.Key, a.Key, strings.Join(missing, ", "))
		}
	}
}
