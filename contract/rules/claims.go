package rules

import (
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
)

// Claims resolves every claim that an assertion, population or counterfactual
// names, reports what is wrong with the proof, and records the proofs in the
// graph. Coverage reads them.
func Claims(g *Graph) []model.Finding {
	c := &checker{Graph: g}
	for _, u := range g.Units() {
		if u.Outcome != nil && len(u.Claims) == 1 {
			c.fail("outcome_atomic_claim_required", u.way, u.refs(), "add a requirement, obligation, control, non-completing outcome or forbidden shortcut: the result alone is too coarse to prove",
				"outcome %s claims nothing but its result", u.Key)
		}
		for _, check := range u.Checks {
			for _, a := range check.assertions {
				c.assertionClaims(check, a)
			}
		}
		if u.Outcome != nil {
			c.population(u)
			c.checkReferences(u)
		}
		for i, cf := range u.Counterfactuals {
			c.counterfactualClaims(u, cf, u.Way("acceptance", "counterfactual_controls", i))
		}
	}
	return c.findings
}

func (c *checker) assertionClaims(check *Check, a assertion) {
	polarity := "positive"
	if a.negative {
		polarity = "negative"
	}
	for i, local := range a.Claims {
		way := extend(a.way, "claims", i)
		claim := c.resolve(check.Unit, local, way, check.refs("assertion", a.Key, "claim", local))
		if claim == nil {
			continue
		}
		claim.Proofs = append(claim.Proofs, model.Proof{CheckKey: check.Key, AssertionKey: a.Key, Polarity: polarity, ProofSurface: check.ProofSurface})
		c.surface(check, claim, way, a.Key)
		refs := check.refs("assertion", a.Key, "claim", local)
		switch {
		case a.negative:
		case claim.Kind == "non_goal" || claim.Kind == "forbidden_shortcut" && check.Unit == c.Global:
			c.fail("global_negative_claim_proof_required", way, refs, "move the assertion to negative_assertions", "%s says what must not be; a positive assertion cannot prove it", local)
		case claim.Kind == "non_completing" || claim.Kind == "forbidden_shortcut":
			c.fail("negative_or_counterfactual_claim_proof_required", way, refs, "move the assertion to negative_assertions", "%s says what must not be; a positive assertion cannot prove it", local)
		}
		if a.Observation == "playwright.passed" && (claim.Kind == "requirement" || claim.Kind == "control") {
			c.fail("fine_grained_claim_requires_ac_observation", extend(a.way, "observation"), refs, "observe playwright.case."+a.Key+".passed and put [ac:"+a.Key+"] in the title of its test",
				"playwright.passed is too coarse to prove %s", local)
		}
	}
	c.explicit(check, a)
}

// explicit refuses operators that accept nearly anything as proof of a claim.
func (c *checker) explicit(check *Check, a assertion) {
	if len(a.Claims) == 0 || !slices.Contains([]string{"exists", "truthy", "falsy"}, a.Operator) {
		return
	}
	if a.Operator == "exists" && check.ProofSurface == "implementation_structure" && check.Unit != c.Global {
		structural := func(local string) bool {
			claim := check.Unit.Claim(local)
			return claim != nil && claim.Kind == "obligation" && slices.Contains(claim.Surfaces, "implementation_structure")
		}
		if !slices.ContainsFunc(a.Claims, func(local string) bool { return !structural(local) }) {
			return
		}
	}
	c.fail("claim_assertion_explicit_expected_required", extend(a.way, "operator"), check.refs("assertion", a.Key, "operator", a.Operator),
		"compare with a value, for example operator: equals and expected: true", "the operator %s is too weak to prove a claim", a.Operator)
}

// surface checks that the check runs where the claim must be proved.
func (c *checker) surface(check *Check, claim *Claim, way []any, assertion string) {
	if len(claim.Surfaces) == 0 || slices.Contains(claim.Surfaces, check.ProofSurface) {
		return
	}
	refs := check.refs("assertion", assertion, "claim", claim.Local, "expected", claim.Surfaces, "actual", check.ProofSurface)
	if claim.Kind == "control" {
		c.fail("ui_claim_requires_ui_browser", way, refs, "claim it in a check with proof_surface ui_browser", "%s can be proved only in a browser, and check %s runs on %s", claim.Local, check.Key, check.ProofSurface)
		return
	}
	c.fail(claim.Kind+"_proof_surface_mismatch", way, refs, "claim it in a check on "+strings.Join(claim.Surfaces, " or ")+", or add "+check.ProofSurface+" to its required_proof_surfaces",
		"%s must be proved on %s, and check %s runs on %s", claim.Local, strings.Join(claim.Surfaces, " and "), check.Key, check.ProofSurface)
}

// resolve finds a claim by local key and says what is wrong with the key.
func (c *checker) resolve(u *Unit, local string, way []any, refs map[string]any) *Claim {
	if claim := u.Claim(local); claim != nil {
		return claim
	}
	head, rest, _ := strings.Cut(local, ".")
	if u == c.Global {
		other := c.byKey[head] != nil
		for _, o := range c.Outcomes {
			other = other || o.Claim(local) != nil
		}
		if other {
			c.fail("global_assertion_claim_cross_scope", way, refs, "prove it in a check of its outcome", "%q is a claim of an outcome; a global check proves global claims only", local)
		} else {
			c.fail("global_assertion_claim_unknown", way, refs, "use one of "+u.claimList(), "there is no global claim %q", local)
		}
		return nil
	}
	switch {
	case c.Global.Claim(local) != nil || head == GlobalKey && c.Global.Claim(rest) != nil:
		c.fail("assertion_claim_cross_scope", way, refs, "prove it in global.acceptance.checks", "%q is a global claim; a check of an outcome proves that outcome's claims only", local)
	case head != u.Key && c.byKey[head] != nil:
		c.fail("assertion_claim_cross_outcome", way, refs, "prove it in a check of outcome "+head, "%q belongs to outcome %s", local, head)
	default:
		hint := "use one of " + u.claimList()
		if head == u.Key && u.Claim(rest) != nil {
			hint = "write " + rest + ": inside an outcome claims have no outcome key"
		}
		c.fail("assertion_claim_unknown", way, refs, hint, "outcome %s has no claim %q", u.Key, local)
	}
	return nil
}

func (u *Unit) claimList() string {
	names := make([]string, len(u.Claims))
	for i, c := range u.Claims {
		names[i] = c.Local
	}
	if len(names) == 0 {
		return "(none is declared)"
	}
	return strings.Join(names, ", ")
}

func (c *checker) population(u *Unit) {
	p := u.Outcome.Acceptance.Population
	if p == nil {
		return
	}
	way := u.Way("acceptance", "population")
	check := u.Check(p.CheckKey)
	if check == nil {
		c.unknownCheck(u, p.CheckKey, extend(way, "check_key"))
	}
	for i, local := range p.Claims {
		at := extend(way, "claims", i)
		claim := c.resolve(u, local, at, u.refs("claim", local))
		if claim == nil {
			continue
		}
		if claim.Kind == "non_completing" || claim.Kind == "forbidden_shortcut" {
			c.fail("negative_or_counterfactual_claim_proof_required", at, u.refs("claim", local), "prove it by a negative assertion", "%s says what must not be; a population cannot prove it", local)
		}
		if check != nil {
			claim.Proofs = append(claim.Proofs, model.Proof{CheckKey: check.Key, Polarity: "population", ProofSurface: check.ProofSurface})
			c.surface(check, claim, at, "")
		}
	}
}

// checkReferences resolves the checks that bindings and rollback name.
func (c *checker) checkReferences(u *Unit) {
	for i, b := range u.Outcome.Technical.Bindings {
		if b.Kind == "verified" && u.Check(b.VerificationCheckKey) == nil {
			c.unknownCheck(u, b.VerificationCheckKey, u.Way("technical", "bindings", i, "verification_check_key"))
		}
	}
	if r := u.Outcome.Technical.RollbackAndRecovery; r != nil {
		for i, key := range r.VerificationCheckKeys {
			if u.Check(key) == nil {
				c.unknownCheck(u, key, u.Way("technical", "rollback_and_recovery", "verification_check_keys", i))
			}
		}
	}
}

func (c *checker) unknownCheck(u *Unit, key string, way []any) {
	c.fail("outcome_check_reference_unknown", way, u.refs("check", key), "use one of "+u.checkList(), "outcome %s has no check %q", u.Key, key)
}
