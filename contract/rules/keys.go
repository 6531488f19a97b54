package rules

import (
	"fmt"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
)

// checker collects the findings of the rules about one graph.
type checker struct {
	*Graph
	findings []model.Finding
}

// fail reports the part that a way leads to.
func (c *checker) fail(code string, way []any, refs map[string]any, hint, format string, args ...any) *model.Finding {
	f := c.Doc.Place(way...).Error(code, fmt.Sprintf(format, args...), hint)
	f.Refs = refs
	c.findings = append(c.findings, f)
	return &c.findings[len(c.findings)-1]
}

// refs makes a refs map; the unit's key stands under outcome.
func (u *Unit) refs(pairs ...any) map[string]any {
	m := map[string]any{"outcome": u.Key}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func (c *Check) refs(pairs ...any) map[string]any {
	return c.Unit.refs(append([]any{"check", c.Key}, pairs...)...)
}

// Keys reports keys and observations that are used twice.
func Keys(g *Graph) []model.Finding {
	c := &checker{Graph: g}
	if !g.Doc.Broken["source_claims"] {
		unique(c, "source_claim_key_duplicate", "source claim", g.Contract.SourceClaims, func(s model.SourceClaim) string { return s.Key }, "source_claims")
	}
	outcomes := map[string]bool{}
	for _, u := range g.Outcomes {
		if u.Key != "" && outcomes[u.Key] {
			c.fail("outcome_key_duplicate", u.Way("key"), u.refs(), renameHint, "two outcomes have the key %q", u.Key)
		}
		outcomes[u.Key] = true
	}
	if !g.Doc.Broken["risk"] {
		for fact, keys := range g.Contract.Risk.Facts {
			unique(c, "risk_fact_outcome_duplicate", "outcome under "+fact, keys, func(s string) string { return s }, "risk", "facts", fact)
		}
	}
	for _, u := range g.Units() {
		if u.Outcome == nil {
			c.globalKeys()
		} else {
			c.outcomeKeys(u)
		}
		for _, check := range u.Checks {
			c.checkKeys(check)
		}
	}
	return c.findings
}

const renameHint = "rename one of the two, or remove it"

// unique reports every later entry of a list with an earlier one's key.
func unique[T any](c *checker, code, noun string, list []T, key func(T) string, way ...any) {
	seen := make(map[string]bool, len(list))
	for i, entry := range list {
		k := key(entry)
		if seen[k] {
			c.fail(code, extend(way, i), map[string]any{"key": k}, renameHint, "the %s %q is listed twice", noun, k)
		}
		seen[k] = true
	}
}

func keyOf(k model.Keyed) string                { return k.Key }
func requirementKey(r model.Requirement) string { return r.Key }
func checkKey(k model.Check) string             { return k.Key }
func controlKey(k model.Counterfactual) string  { return k.Key }

func (c *checker) globalKeys() {
	g := &c.Contract.Global
	way := func(steps ...any) []any { return c.Global.Way(steps...) }
	unique(c, "global_check_key_duplicate", "global check", g.Acceptance.Checks, checkKey, way("acceptance", "checks")...)
	unique(c, "global_counterfactual_key_duplicate", "global counterfactual", g.Acceptance.CounterfactualControls, controlKey, way("acceptance", "counterfactual_controls")...)
	unique(c, "external_confirmation_key_duplicate", "external confirmation", g.Acceptance.ExternalConfirmations, func(e model.ExternalConfirmation) string { return e.Key }, way("acceptance", "external_confirmations")...)
	seen := map[string]string{}
	space := func(noun string, key string, steps ...any) {
		if first, twice := seen[key]; twice {
			c.fail("global_constraint_key_duplicate", way(steps...), map[string]any{"key": key}, "rename one of the two: non_goals, constraints, forbidden_paths and forbidden_shortcuts share one set of keys",
				"the %s %q has the key of a %s", noun, key, first)
			return
		}
		seen[key] = noun
	}
	for i, k := range g.Product.NonGoals {
		space("non-goal", k.Key, "product", "non_goals", i)
	}
	for i, k := range g.Technical.Constraints {
		space("constraint", k.Key, "technical", "constraints", i)
	}
	for i, k := range g.Technical.ForbiddenPaths {
		space("forbidden path", k.Key, "technical", "forbidden_paths", i)
	}
	for i, k := range g.Technical.ForbiddenShortcuts {
		space("forbidden shortcut", k.Key, "technical", "forbidden_shortcuts", i)
	}
}

func (c *checker) outcomeKeys(u *Unit) {
	o := u.Outcome
	unique(c, "check_key_duplicate", "check", o.Acceptance.Checks, checkKey, u.Way("acceptance", "checks")...)
	unique(c, "counterfactual_key_duplicate", "counterfactual", o.Acceptance.CounterfactualControls, controlKey, u.Way("acceptance", "counterfactual_controls")...)
	unique(c, "requirement_key_duplicate", "requirement", o.Product.Requirements, requirementKey, u.Way("product", "requirements")...)
	unique(c, "control_key_duplicate", "control", o.Product.Controls, func(k model.Control) string { return k.Key }, u.Way("product", "controls")...)
	unique(c, "non_completing_key_duplicate", "non-completing outcome", o.Product.NonCompletingOutcomes, keyOf, u.Way("product", "non_completing_outcomes")...)
	unique(c, "obligation_key_duplicate", "obligation", o.Technical.Obligations, requirementKey, u.Way("technical", "obligations")...)
	unique(c, "forbidden_shortcut_key_duplicate", "forbidden shortcut", o.Technical.ForbiddenShortcuts, keyOf, u.Way("technical", "forbidden_shortcuts")...)
	unique(c, "binding_key_duplicate", "binding", o.Technical.Bindings, func(b model.Binding) string { return b.Key }, u.Way("technical", "bindings")...)
}

func (c *checker) checkKeys(check *Check) {
	unique(c, "environment_requirement_key_duplicate", "environment requirement", check.EnvironmentRequirements, func(e model.Environment) string { return e.Key }, check.Way("environment_requirements")...)
	keys, observations := map[string]bool{}, map[string]string{}
	for _, a := range check.assertions {
		if keys[a.Key] {
			c.fail("assertion_key_duplicate", a.way, check.refs("assertion", a.Key), renameHint, "the assertion %q stands twice in check %s", a.Key, check.Key)
		}
		keys[a.Key] = true
		if first, twice := observations[a.Observation]; twice {
			c.fail("assertion_observation_duplicate", extend(a.way, "observation"), check.refs("assertion", a.Key, "observation", a.Observation),
				"let the check print one observation for each assertion", "the observation %q is already used by the assertion %s of this check", a.Observation, first)
		} else {
			observations[a.Observation] = a.Key
		}
	}
}

// Dependencies reports unknown outcomes in depends_on, and cycles.
func Dependencies(g *Graph) []model.Finding {
	c := &checker{Graph: g}
	for _, u := range g.Outcomes {
		for i, d := range u.Outcome.DependsOn {
			way := u.Way("depends_on", i)
			switch {
			case d == u.Key:
				c.fail("outcome_dependency_self", way, u.refs(), "remove it", "outcome %s depends on itself", u.Key)
			case g.byKey[d] == nil && g.Doc.Whole():
				c.fail("outcome_dependency_unknown", way, u.refs("dependency", d), "write the key of an outcome of this contract", "there is no outcome %q", d)
			}
		}
	}
	c.cycles()
	return c.findings
}

// cycles walks depth first and reports each edge that leads back.
func (c *checker) cycles() {
	const active, done = 1, 2
	state := map[string]int{}
	var path []string
	var visit func(u *Unit)
	visit = func(u *Unit) {
		state[u.Key] = active
		path = append(path, u.Key)
		for i, d := range u.Outcome.DependsOn {
			next := c.byKey[d]
			switch {
			case next == nil || state[d] == done:
			case state[d] == active:
				start := len(path) - 1
				for path[start] != d {
					start--
				}
				cycle := strings.Join(append(append([]string{}, path[start:]...), d), " -> ")
				c.fail("outcome_dependency_cycle", u.Way("depends_on", i), u.refs("cycle", cycle), "remove one of these dependencies", "outcomes depend on each other in a circle: %s", cycle)
			default:
				visit(next)
			}
		}
		path = path[:len(path)-1]
		state[u.Key] = done
	}
	for _, u := range c.Outcomes {
		if state[u.Key] == 0 {
			visit(u)
		}
	}
}
