package freeze

import (
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/canonical"
	"github.com/git-longtask/git-longtask/contract/model"
)

// executions reports observations that two assertions of one execution share.
// Checks with equal runner, environment and frozen files are one execution.
func (f *Freezer) executions() {
	type use struct{ check, assertion string }
	used := map[string]use{}
	for _, fc := range f.checks {
		id := f.execution(fc)
		report := func(list string, assertions []model.Assertion) {
			for i, a := range assertions {
				if len(a.Claims) == 0 {
					continue
				}
				first, twice := used[id+"\x00"+a.Observation]
				if !twice {
					used[id+"\x00"+a.Observation] = use{fc.ID(), a.Key}
					continue
				}
				f.fail("raw_execution_observation_reused", fc.Way(list, i, "observation"), refsOf(fc.Check, "assertion", a.Key, "observation", a.Observation),
					"observe something else, or give one of the checks its own argv", "the observation %q of the same execution already proves %s.%s", a.Observation, first.check, first.assertion)
			}
		}
		report("positive_assertions", fc.PositiveAssertions)
		report("negative_assertions", fc.NegativeAssertions)
	}
}

func (f *Freezer) execution(fc *frozenCheck) string {
	environment := slices.Clone(fc.EnvironmentRequirements)
	slices.SortFunc(environment, func(a, b model.Environment) int { return strings.Compare(a.Key, b.Key) })
	files := map[string]string{}
	for p := range fc.files {
		if v := f.verifiers[p]; v != nil {
			files[p] = v.SHA256
		}
	}
	data, err := canonical.JSON(map[string]any{"runner": fc.Runner, "environment": environment, "files": files})
	if err != nil {
		return fc.ID() // cannot be expressed, so it is shared with nothing
	}
	return string(data)
}
