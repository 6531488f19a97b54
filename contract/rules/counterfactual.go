package rules

import (
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
)

// counterfactualClaims resolves what a counterfactual names.
func (c *checker) counterfactualClaims(u *Unit, cf model.Counterfactual, way []any) {
	check := u.Check(cf.CheckKey)
	refs := func(pairs ...any) map[string]any {
		return u.refs(append([]any{"counterfactual", cf.Key, "check", cf.CheckKey}, pairs...)...)
	}
	if check == nil {
		code := "counterfactual_check_unknown"
		if u == c.Global {
			code = "global_counterfactual_check_unknown"
		} else {
			c.unknownCheck(u, cf.CheckKey, extend(way, "check_key"))
		}
		c.fail(code, extend(way, "check_key"), refs(), "use one of "+u.checkList(), "the counterfactual %s names the check %q, which does not exist", cf.Key, cf.CheckKey)
	}
	c.expectedFailures(u, check, cf, way, refs)
	for i, local := range cf.Claims {
		at := extend(way, "claims", i)
		var claim *Claim
		if u == c.Global {
			if claim = u.Claim(local); claim == nil {
				c.fail("global_counterfactual_claim_invalid", at, refs("claim", local), "use one of "+u.claimList(), "%q is no global claim", local)
			}
		} else {
			claim = c.resolve(u, local, at, refs("claim", local))
		}
		if claim == nil || check == nil {
			continue
		}
		claim.Proofs = append(claim.Proofs, model.Proof{CheckKey: check.Key, AssertionKey: cf.Key, Polarity: "counterfactual", ProofSurface: check.ProofSurface})
		c.related(u, check, cf, local, at, refs("claim", local))
	}
	c.counterfactualBinding(u, cf, way, refs)
}

// expectedFailures checks that the assertions that must fail exist.
func (c *checker) expectedFailures(u *Unit, check *Check, cf model.Counterfactual, way []any, refs func(...any) map[string]any) {
	at := extend(way, "expected_assertion_failures")
	if len(cf.ExpectedAssertionFailures) == 0 && u != c.Global {
		const hint = "name the assertions that fail once the mutation is applied"
		c.fail("counterfactual_expected_assertion_required", at, refs(), hint, "the counterfactual %s expects no assertion to fail", cf.Key)
		c.fail("counterfactual_assertion_unknown", at, refs(), hint, "the counterfactual %s names no assertion", cf.Key).BlockedBy = []string{"counterfactual_expected_assertion_required"}
	}
	if check == nil {
		return
	}
	for i, key := range cf.ExpectedAssertionFailures {
		if check.assertion(key) != nil {
			continue
		}
		code := "counterfactual_assertion_unknown"
		if u == c.Global {
			code = "global_counterfactual_assertion_unknown"
		}
		c.fail(code, extend(at, i), refs("assertion", key), "name an assertion of that check", "check %s has no assertion %q", check.Key, key)
	}
}

// related demands that a claim is claimed by an assertion that must fail.
func (c *checker) related(u *Unit, check *Check, cf model.Counterfactual, local string, way []any, refs map[string]any) {
	known := false
	for _, key := range cf.ExpectedAssertionFailures {
		if a := check.assertion(key); a != nil {
			known = true
			if slices.Contains(a.Claims, local) {
				return
			}
		}
	}
	if !known {
		return // no assertion to compare with, which was reported
	}
	code := "counterfactual_binding_claim_unrelated"
	if u == c.Global {
		code = "global_counterfactual_claim_unrelated"
	}
	c.fail(code, way, refs, "add the claim to one of those assertions, add the assertion that claims it, or remove the claim here",
		"none of the assertions that must fail (%s) claims %s", strings.Join(cf.ExpectedAssertionFailures, ", "), local)
}

// counterfactualBinding resolves the binding that is mutated.
func (c *checker) counterfactualBinding(u *Unit, cf model.Counterfactual, way []any, refs func(...any) map[string]any) {
	if u == c.Global {
		outcome, key, _ := strings.Cut(cf.BindingRef, ".")
		at := extend(way, "binding_ref")
		switch target := c.byKey[outcome]; {
		case target == nil && c.Doc.Whole():
			c.fail("global_counterfactual_binding_ref_invalid", at, refs("binding", cf.BindingRef), "write <outcome>.<binding>", "there is no outcome %q", outcome)
		case target != nil && !target.Broken && target.binding(key) == nil:
			c.fail("global_counterfactual_binding_unknown", at, refs("binding", cf.BindingRef), "use one of "+target.bindingList(), "outcome %s has no binding %q", outcome, key)
		}
		return
	}
	b := u.binding(cf.BindingKey)
	switch {
	case b == nil:
		c.fail("counterfactual_binding_unknown", extend(way, "binding_key"), refs("binding", cf.BindingKey), "use one of "+u.bindingList(), "outcome %s has no binding %q", u.Key, cf.BindingKey)
	case b.Kind == "verified" && b.VerificationCheckKey != cf.CheckKey:
		c.fail("counterfactual_binding_check_mismatch", extend(way, "check_key"), refs("binding", b.Key), "use the check "+b.VerificationCheckKey+", or another binding",
			"the verified binding %s belongs to check %q", b.Key, b.VerificationCheckKey)
	}
}

// Binding returns the binding a counterfactual of the unit mutates, or nil.
func (g *Graph) Binding(u *Unit, cf model.Counterfactual) *model.Binding {
	key := cf.BindingKey
	if u == g.Global {
		outcome, binding, _ := strings.Cut(cf.BindingRef, ".")
		u, key = g.byKey[outcome], binding
	}
	if u == nil || u.Broken {
		return nil
	}
	return u.binding(key)
}

func (u *Unit) binding(key string) *model.Binding {
	if u.Outcome == nil {
		return nil
	}
	for i := range u.Outcome.Technical.Bindings {
		if b := &u.Outcome.Technical.Bindings[i]; b.Key == key {
			return b
		}
	}
	return nil
}

func (u *Unit) bindingList() string {
	var keys []string
	for _, b := range u.Outcome.Technical.Bindings {
		keys = append(keys, b.Key)
	}
	if len(keys) == 0 {
		return "(none is declared)"
	}
	return strings.Join(keys, ", ")
}
