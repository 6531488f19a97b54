package evidence

import (
	"testing"

	"github.com/git-longtask/git-longtask/contract"
)

func TestCover(t *testing.T) {
	for _, c := range []struct {
		eligible, observed, excluded string
		allowEmpty                   bool
		want                         string
	}{
		{`["a","b"]`, `["a"]`, `[{"id":"b","rule":"archived"}]`, false, ""},
		{`["a","b"]`, `["b","a"]`, `[]`, false, ""},
		{`["a","b"]`, `["a"]`, `[]`, false, "eligible_population_incomplete"},
		{`["a"]`, `["a","c"]`, `[]`, false, "observed_not_eligible_subset"},
		{`["a"]`, `["a"]`, `[{"id":"c","rule":"archived"}]`, false, "excluded_not_eligible_subset"},
		{`["a"]`, `["a"]`, `[{"id":"a","rule":"archived"}]`, false, "observed_excluded_overlap"},
		{`["a","b"]`, `["a"]`, `[{"id":"b","rule":"lost"}]`, false, "exclusion_rule_unknown"},
		{`["a","b"]`, `["a"]`, `[{"id":"b","rule":"archived"},{"id":"b","rule":"archived"}]`, false, "excluded_ids_duplicate"},
		{`["a","b"]`, `["a"]`, `["b"]`, false, "excluded_item_invalid"},
		{`["a","b"]`, `["a"]`, `{"b":"archived"}`, false, "excluded_items_invalid"},
		{`["a","a"]`, `["a"]`, `[]`, false, "eligible_ids_invalid"},
		{`["a",""]`, `["a"]`, `[]`, false, "eligible_ids_invalid"},
		{`null`, `["a"]`, `[]`, false, "eligible_ids_invalid"},
		{`["a"]`, `[1]`, `[]`, false, "observed_ids_invalid"},
		{`[]`, `[]`, `[]`, false, "population_empty"},
		{`[]`, `[]`, `[]`, true, ""},
		{`["a"]`, `[]`, `[{"id":"a","rule":"archived"}]`, false, "population_wholly_excluded"},
		{`["a"]`, `[]`, `[{"id":"a","rule":"archived"}]`, true, ""},
	} {
		p := contract.Population{AllowEmpty: c.allowEmpty, ExclusionRules: []contract.Keyed{{Key: "archived"}}}
		p.Observations.EligibleIDs, p.Observations.ObservedIDs, p.Observations.ExcludedItems = "ids.all", "ids.seen", "ids.skipped"
		ids := map[string]any{"all": parsed(t, c.eligible), "seen": parsed(t, c.observed), "skipped": parsed(t, c.excluded)}
		got := Cover(p, map[string]any{"ids": ids})
		if got.Reason != c.want || (got.Problem == "") != (c.want == "") {
			t.Errorf("%s %s %s: %+v, want %q", c.eligible, c.observed, c.excluded, got, c.want)
		}
	}
}
