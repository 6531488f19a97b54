package hooks

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/git-longtask/git-longtask/gitx"
)

// policy is what the configuration of this repository says about pushes.
type policy struct {
	mode    string // proof, scope, off
	protect []string
	budget  time.Duration
}

// defaultBudget is how long the Final Gate may take while the connection of
// the push is open and idle.
const defaultBudget = 120 * time.Second

func (p Push) policy(ctx context.Context, repo *gitx.Repo) (policy, error) {
	cfg, err := repo.Config(ctx)
	if err != nil {
		return policy{}, err
	}
	rules := policy{mode: "proof", protect: cfg.All("longtask.protect"), budget: defaultBudget}
	if mode, ok := cfg.Get("longtask.push"); ok {
		if mode != "proof" && mode != "scope" && mode != "off" {
			return rules, fmt.Errorf("longtask.push is %q; it takes proof, scope or off", mode)
		}
		rules.mode = mode
	}
	if v, ok := cfg.Get("longtask.pushBudget"); ok {
		if rules.budget, err = parseBudget(v); err != nil {
			return rules, err
		}
	}
	if len(rules.protect) == 0 {
		rules.protect = []string{"main", "master"}
		if head, err := repo.RemoteHead(ctx, p.Remote); err == nil {
			rules.protect = []string{strings.TrimPrefix(head, "refs/remotes/"+p.Remote+"/")}
		}
	}
	return rules, nil
}

func parseBudget(v string) (time.Duration, error) {
	for _, text := range []string{v, v + "s"} {
		if d, err := time.ParseDuration(text); err == nil && d > 0 {
			return d, nil
		}
	}
	return 0, fmt.Errorf("longtask.pushBudget is %q; it takes seconds or a duration such as 2m", v)
}

func (r policy) protects(ref string) bool {
	branch, ok := strings.CutPrefix(ref, "refs/heads/")
	if !ok {
		return false
	}
	for _, pattern := range r.protect {
		if hit, err := path.Match(pattern, branch); pattern == branch || err == nil && hit {
			return true
		}
	}
	return false
}

// ownRef tells whether a remote ref is the tool's own, which it must not gate.
func ownRef(ref string) bool {
	return strings.HasPrefix(ref, "refs/longtask/") || strings.HasPrefix(ref, "refs/notes/")
}
