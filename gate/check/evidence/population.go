package evidence

import (
	"fmt"
	"slices"

	"github.com/git-longtask/git-longtask/contract"
)

// Coverage is the verdict over a population. Reason is a stable word, Problem
// one sentence; both are empty when every eligible item is accounted for.
type Coverage struct {
	Reason  string
	Problem string
	Actual  map[string]any // the three observations as they were
}

// Cover decides whether every eligible item was observed or excluded by rule.
func Cover(p contract.Population, observations map[string]any) Coverage {
	names := p.Observations
	eligible, observed, excluded := lookupOrNil(observations, names.EligibleIDs), lookupOrNil(observations, names.ObservedIDs), lookupOrNil(observations, names.ExcludedItems)
	c := Coverage{Actual: map[string]any{"eligible_ids": eligible, "observed_ids": observed, "excluded_items": excluded}}
	eligibleIDs, ok := distinctIDs(eligible)
	if !ok {
		return c.fail("eligible_ids_invalid", "%s is not a list of distinct, non-empty strings", names.EligibleIDs)
	}
	observedIDs, ok := distinctIDs(observed)
	if !ok {
		return c.fail("observed_ids_invalid", "%s is not a list of distinct, non-empty strings", names.ObservedIDs)
	}
	excludedIDs, reason, problem := excludedItems(excluded, p.ExclusionRules)
	if reason != "" {
		return c.fail(reason, "%s %s", names.ExcludedItems, problem)
	}
	return c.account(eligibleIDs, observedIDs, excludedIDs, p.AllowEmpty)
}

func lookupOrNil(observations map[string]any, name string) any {
	v, _ := Lookup(observations, name)
	return v
}

func (c Coverage) fail(reason, format string, args ...any) Coverage {
	c.Reason, c.Problem = reason, fmt.Sprintf(format, args...)
	return c
}

func (c Coverage) account(eligible, observed, excluded []string, allowEmpty bool) Coverage {
	if id, ok := outside(observed, eligible); ok {
		return c.fail("observed_not_eligible_subset", "the observed id %q is not eligible", id)
	}
	if id, ok := outside(excluded, eligible); ok {
		return c.fail("excluded_not_eligible_subset", "the excluded id %q is not eligible", id)
	}
	if id, ok := inside(excluded, observed); ok {
		return c.fail("observed_excluded_overlap", "the id %q is both observed and excluded", id)
	}
	if id, ok := outside(eligible, append(slices.Clone(observed), excluded...)); ok {
		return c.fail("eligible_population_incomplete", "the eligible id %q is neither observed nor excluded", id)
	}
	switch {
	case allowEmpty || len(observed) > 0:
		return c
	case len(eligible) == 0:
		return c.fail("population_empty", "there are no eligible ids, so nothing was shown; say allow_empty: true if that is right")
	}
	return c.fail("population_wholly_excluded", "every eligible id is excluded, so nothing was shown; say allow_empty: true if that is right")
}

func distinctIDs(v any) ([]string, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	ids := make([]string, 0, len(list))
	seen := map[string]bool{}
	for _, e := range list {
		id, ok := e.(string)
		if !ok || id == "" || seen[id] {
			return nil, false
		}
		seen[id] = true
		ids = append(ids, id)
	}
	return ids, true
}

func excludedItems(v any, rules []contract.Keyed) (ids []string, reason, problem string) {
	list, ok := v.([]any)
	if !ok {
		return nil, "excluded_items_invalid", "is not a list of {id, rule}"
	}
	seen := map[string]bool{}
	for _, e := range list {
		item, _ := e.(map[string]any)
		id, _ := item["id"].(string)
		rule, _ := item["rule"].(string)
		switch {
		case id == "" || rule == "":
			return nil, "excluded_item_invalid", "holds an item that is not {id, rule} with two non-empty strings"
		case !slices.ContainsFunc(rules, func(k contract.Keyed) bool { return k.Key == rule }):
			return nil, "exclusion_rule_unknown", fmt.Sprintf("excludes %q by the rule %q, which the contract does not declare", id, rule)
		case seen[id]:
			return nil, "excluded_ids_duplicate", fmt.Sprintf("excludes %q twice", id)
		}
		seen[id] = true
		ids = append(ids, id)
	}
	return ids, "", ""
}

// outside is the first id of a that is not in b.
func outside(a, b []string) (string, bool) { return first(a, b, false) }

// inside is the first id of a that is in b too.
func inside(a, b []string) (string, bool) { return first(a, b, true) }

func first(a, b []string, member bool) (string, bool) {
	in := make(map[string]bool, len(b))
	for _, id := range b {
		in[id] = true
	}
	for _, id := range a {
		if in[id] == member {
			return id, true
		}
	}
	return "", false
}
