package hooks

import (
	"context"
	"fmt"
	"path"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

// Misconfigured are the settings of pushes that make no sense. The pre-push
// hook refuses with the first of push and pushBudget; a pattern of protect that
// cannot be read would silently protect nothing.
func Misconfigured(ctx context.Context, repo *gitx.Repo) ([]contract.Finding, error) {
	cfg, err := repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	var found []contract.Finding
	wrong := func(key, value, takes string) {
		f := finding("config_value_invalid", "", "git config --unset-all "+key, "%s is %q; it takes %s", key, value, takes)
		f.RepairHint = "set it to one of these, or take it out of the configuration"
		f.Refs = map[string]any{"key": key, "actual": value}
		found = append(found, f)
	}
	if v, ok := cfg.Get("longtask.push"); ok && v != "proof" && v != "scope" && v != "off" {
		wrong("longtask.push", v, "proof, scope or off")
	}
	if v, ok := cfg.Get("longtask.pushBudget"); ok {
		if _, err := parseBudget(v); err != nil {
			wrong("longtask.pushBudget", v, "seconds or a duration such as 2m")
		}
	}
	for _, v := range cfg.All("longtask.protect") {
		if _, err := path.Match(v, ""); err != nil || v == "" {
			wrong("longtask.protect", v, fmt.Sprintf("a branch or a pattern such as %q, without refs/heads/", "release/*"))
		}
	}
	return found, nil
}
