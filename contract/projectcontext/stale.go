package projectcontext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
)

// named is how many changed paths a finding names.
const named = 10

// Stale warns about the text of each area that owns changed paths while the
// text itself was left as it was. It also gives the paths that no area owns.
func (c *Context) Stale(changed []string) (findings []model.Finding, unowned []string) {
	owned := map[string][]string{}
	for _, p := range changed {
		if strings.HasPrefix(p, Dir+"/") {
			continue
		}
		if a, ok := c.Manifest.owner(p); ok {
			owned[a.ID] = append(owned[a.ID], p)
		} else {
			unowned = append(unowned, p)
		}
	}
	for _, a := range c.Manifest.Areas {
		paths := owned[a.ID]
		if len(paths) == 0 || slices.Contains(changed, a.Context) {
			continue
		}
		delete(owned, a.ID)
		more := ""
		if len(paths) > named {
			more = fmt.Sprintf(" and %d more", len(paths)-named)
		}
		findings = append(findings, model.Finding{Code: "context_may_be_stale", Level: model.LevelWarning, Path: a.Context,
			Message:    fmt.Sprintf("describes area %s, where the change touches %s%s", a.ID, strings.Join(paths[:min(len(paths), named)], ", "), more),
			RepairHint: "read it against the change; correct it, or leave it where it still holds",
			Refs:       map[string]any{"area": a.ID, "context": a.Context, "owner_paths": []string{a.Root}, "changed": paths}})
	}
	return findings, unowned
}
