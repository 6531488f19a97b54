package rules

import (
	"slices"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/shape"
)

// Levels of risk.
const (
	Standard = "standard"
	Strict   = "strict"
)

// floor are the facts that make the contract strict by themselves.
var floor = []string{
	"public_api_or_schema_change", "persistent_data_change", "data_migration", "security_boundary_change",
	"permission_boundary_change", "irreversible_external_effect", "full_population_operation",
}

// criticalAndWeak is the reason that two facts together give.
const criticalAndWeak = "critical_user_path+weak_observability"

// Risk classifies the contract and reports strict proof that is missing.
// Reasons are <fact>:<outcome>, sorted.
func Risk(g *Graph) (level string, reasons []string, findings []model.Finding) {
	c := &checker{Graph: g}
	c.minimalProof()
	if g.Doc.Broken["risk"] {
		return Standard, []string{}, c.findings
	}
	level, reasons = c.classify()
	for _, u := range g.Outcomes {
		if !u.Broken {
			c.strictProof(u, level == Strict && len(reasons) == 0)
		}
	}
	return level, reasons, c.findings
}

func (g *Graph) fact(name, outcome string) bool {
	return slices.Contains(g.Contract.Risk.Facts[name], outcome)
}

func (c *checker) classify() (string, []string) {
	risk := c.Contract.Risk
	for _, fact := range shape.Facts {
		for i, key := range risk.Facts[fact] {
			way := []any{"risk", "facts", fact, i}
			if c.byKey[key] == nil && c.Doc.Whole() {
				c.fail("risk_outcome_unknown", way, map[string]any{"fact": fact, "outcome": key}, "write the key of an outcome of this contract", "the risk fact %s names the outcome %q, which does not exist", fact, key)
			}
			if fact == "multi_repository_change" {
				c.fail("multi_repository_delivery_not_supported_v2", way, map[string]any{"fact": fact, "outcome": key}, "write one contract per repository and remove the fact", "one contract cannot cover several repositories")
			}
		}
	}
	reasons := []string{}
	for _, fact := range floor {
		for _, key := range risk.Facts[fact] {
			reasons = append(reasons, fact+":"+key)
		}
	}
	for _, key := range risk.Facts["critical_user_path"] {
		if c.fact("weak_observability", key) {
			reasons = append(reasons, criticalAndWeak+":"+key)
		}
	}
	slices.Sort(reasons)
	reasons = slices.Compact(reasons)
	switch {
	case len(reasons) > 0 && risk.RequestedLevel == Standard:
		c.fail("risk_level_below_required", []any{"risk", "requested_level"}, map[string]any{"expected": Strict, "actual": Standard, "reasons": reasons},
			"write auto or strict", "the risk facts demand strict proof (%s), and standard is requested", reasons[0])
		return Strict, reasons
	case len(reasons) > 0 || risk.RequestedLevel == Strict:
		return Strict, reasons
	}
	return Standard, reasons
}

// minimalProof is what every contract needs, whatever its risk.
func (c *checker) minimalProof() {
	if len(c.Outcomes) == 0 && !c.Doc.Broken["outcomes"] {
		c.fail("outcome_required", []any{"outcomes"}, nil, "add an outcome", "the contract has no outcome")
	}
	for _, u := range c.Units() {
		for _, check := range u.Checks {
			if len(check.VerificationInputs) == 0 {
				c.fail("verification_inputs_empty", check.Way("verification_inputs"), check.refs(), "name the files that decide this check; they are frozen", "check %s has no verification inputs", check.Key)
			}
			if check.Runner.RetryPolicy == "transient_once" && !check.Runner.Idempotent {
				c.fail("unsafe_retry_policy", check.Way("runner", "retry_policy"), check.refs(), "add idempotent: true if running twice is harmless, else use none", "check %s retries, but is not declared idempotent", check.Key)
			}
		}
		if u.Outcome == nil {
			continue
		}
		if len(u.Checks) == 0 {
			c.fail("outcome_without_executable_check", u.Way("acceptance", "checks"), u.refs(), "add a check that proves its claims", "outcome %s has no check", u.Key)
		}
		if len(u.Outcome.Technical.ExpectedChangePaths) == 0 {
			c.fail("expected_change_paths_empty", u.Way("technical", "expected_change_paths"), u.refs(), "name the paths the work may change", "outcome %s names no path that may change", u.Key)
		}
		p := u.Outcome.Product
		if len(p.OwnerSurfaces)+len(p.Controls) > 0 && !u.hasSurface("ui_browser") {
			c.fail("ui_outcome_requires_ui_browser_proof", u.Way("acceptance", "checks"), u.refs(), "add a check with runner playwright_test and proof_surface ui_browser", "outcome %s has a user interface and no browser check", u.Key)
		}
	}
}

func (u *Unit) hasSurface(surfaces ...string) bool {
	return slices.ContainsFunc(u.Checks, func(check *Check) bool { return slices.Contains(surfaces, check.ProofSurface) })
}

// strictProof demands what the risk facts of one outcome ask for.
func (c *checker) strictProof(u *Unit, requested bool) {
	has := func(facts ...string) bool {
		return slices.ContainsFunc(facts, func(f string) bool { return c.fact(f, u.Key) })
	}
	demand := func(missing bool, code string, hint, what string) {
		if missing {
			c.fail(code, u.way, u.refs(), hint, "outcome %s is at strict risk and has no %s", u.Key, what)
		}
	}
	security := has("security_boundary_change", "permission_boundary_change")
	api := has("public_api_or_schema_change")
	data := has("persistent_data_change", "data_migration")
	population := has("full_population_operation")
	if security || api || data || requested {
		negative := slices.ContainsFunc(u.Checks, func(check *Check) bool { return len(check.NegativeAssertions) > 0 })
		demand(!negative, "strict_negative_assertion_required", "add a negative assertion to one of its checks", "negative assertion")
		demand(len(u.Counterfactuals) == 0, "strict_counterfactual_control_required", "add a counterfactual control", "counterfactual")
	}
	surface := func(applies bool, surface, code string) {
		demand(applies && !u.hasSurface(surface), code, "add a check with proof_surface "+surface, surface+" check")
	}
	surface(security, "security_boundary", "strict_security_boundary_proof_required")
	surface(api, "api_contract", "strict_api_contract_proof_required")
	surface(data, "data_state", "strict_data_state_proof_required")
	surface(population, "population_coverage", "strict_population_coverage_proof_required")
	demand((data || has("irreversible_external_effect")) && u.Outcome.Technical.RollbackAndRecovery == nil, "strict_rollback_and_recovery_required",
		"add technical.rollback_and_recovery", "rollback and recovery")
	demand(population && u.Outcome.Acceptance.Population == nil, "strict_population_declaration_required", "add acceptance.population", "population")
	demand(has("critical_user_path") && has("weak_observability") && !u.hasSurface("ui_browser", "runtime_behavior"), "strict_critical_path_observable_proof_required",
		"add a check with proof_surface ui_browser or runtime_behavior", "check that watches the critical path")
}
