package rules

import (
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
)

// Coverage tells which claims are proved, and reports those that are not. It
// reads the proofs that Claims recorded.
func Coverage(g *Graph) (model.Coverage, []model.Finding) {
	c := &checker{Graph: g}
	cov := model.Coverage{UncoveredClaims: []string{}, ClaimsByGlobal: map[string]model.ClaimCoverage{}, ClaimsByOutcome: map[string]map[string]model.ClaimCoverage{}}
	for _, u := range g.Units() {
		duplicates := u.duplicateKeys()
		claims := cov.ClaimsByGlobal
		if u.Outcome != nil {
			claims = map[string]model.ClaimCoverage{}
			cov.ClaimsByOutcome[u.Key] = claims
		}
		for _, claim := range u.Claims {
			proved := claim.coverage()
			claims[claim.Local] = proved
			cov.ClaimsTotal++
			if proved.Covered {
				cov.ClaimsCovered++
				continue
			}
			cov.UncoveredClaims = append(cov.UncoveredClaims, u.Key+"."+claim.Local)
			if f := c.uncovered(u, claim, proved); f != nil && duplicates[claim.Local] != "" {
				f.BlockedBy = []string{duplicates[claim.Local]}
			}
		}
	}
	return cov, c.findings
}

func (cl *Claim) coverage() model.ClaimCoverage {
	cov := model.ClaimCoverage{RequiredSurfaces: append([]string{}, cl.Surfaces...), CoveredSurfaces: []string{}, MissingSurfaces: []string{}, Proofs: append([]model.Proof{}, cl.Proofs...)}
	for _, p := range cl.Proofs {
		if !slices.Contains(cov.CoveredSurfaces, p.ProofSurface) {
			cov.CoveredSurfaces = append(cov.CoveredSurfaces, p.ProofSurface)
		}
	}
	slices.Sort(cov.CoveredSurfaces)
	for _, s := range cl.Surfaces {
		if !slices.Contains(cov.CoveredSurfaces, s) {
			cov.MissingSurfaces = append(cov.MissingSurfaces, s)
		}
	}
	cov.Covered = len(cl.Proofs) > 0 && len(cov.MissingSurfaces) == 0
	return cov
}

// uncovered reports a claim without full proof. It says nothing where a proof
// on a wrong surface was reported already.
func (c *checker) uncovered(u *Unit, claim *Claim, cov model.ClaimCoverage) *model.Finding {
	id := u.Key + "." + claim.Local
	list := "positive_assertions"
	if claim.Kind == "non_goal" || claim.Kind == "non_completing" || claim.Kind == "forbidden_shortcut" {
		list = "negative_assertions"
	}
	on := ""
	if len(claim.Surfaces) > 0 {
		on = " on " + strings.Join(cov.MissingSurfaces, " and ")
	}
	hint := "add an assertion with claims: [" + claim.Local + "] to the " + list + " of a check" + on
	refs := u.refs("claim", claim.Local)
	switch {
	case len(claim.Proofs) == 0 && u == c.Global:
		return c.fail("global_claim_uncovered", claim.way, refs, hint+" in global.acceptance.checks", "nothing proves %s", id)
	case len(claim.Proofs) == 0:
		return c.fail("product_claim_uncovered", claim.way, refs, hint, "nothing proves %s", id)
	case len(cov.MissingSurfaces) < len(claim.Surfaces):
		return c.fail("product_claim_required_surfaces_missing", claim.way, refs, hint, "%s is not proved%s", id, on)
	}
	return nil
}

// duplicateKeys maps claims whose key is used twice to the finding about it.
func (u *Unit) duplicateKeys() map[string]string {
	out := map[string]string{}
	if u.Outcome == nil {
		return out
	}
	seen := map[string]bool{}
	note := func(local, code string) {
		if seen[local] {
			out[local] = code
		}
		seen[local] = true
	}
	for _, r := range u.Outcome.Product.Requirements {
		note("requirement."+r.Key, "requirement_key_duplicate")
	}
	for _, r := range u.Outcome.Technical.Obligations {
		note("obligation."+r.Key, "obligation_key_duplicate")
	}
	for _, k := range u.Outcome.Technical.ForbiddenShortcuts {
		note("forbidden_shortcut."+k.Key, "forbidden_shortcut_key_duplicate")
	}
	for _, k := range u.Outcome.Product.NonCompletingOutcomes {
		note("non_completing."+k.Key, "non_completing_key_duplicate")
	}
	return out
}
