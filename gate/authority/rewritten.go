package authority

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-longtask/git-longtask/gitx"
)

// ErrRewritten says that a published copy of a chain and the one here do not
// follow from one another.
var ErrRewritten = errors.New("authority_rewritten")

// InLine compares a chain with the copies last seen on remotes: each must be
// older, newer or the same. ErrRewritten otherwise; the network is not asked.
func InLine(ctx context.Context, repo *gitx.Repo, c *Chain) error {
	for _, ref := range repo.Chains {
		if PublishedTask(ref) != c.Task {
			continue
		}
		tip, err := repo.Ref(ctx, ref)
		if err != nil {
			return err
		}
		if c.holds(tip) {
			continue
		}
		published, err := LoadAt(ctx, repo, c.Task, ref, tip)
		if err != nil {
			return err
		}
		if !published.holds(c.Tip().OID) {
			return fmt.Errorf("task %s: %w: the chain here and %s do not follow from one another", c.Task, ErrRewritten, ref)
		}
	}
	return nil
}

func (c *Chain) holds(link gitx.OID) bool {
	return slices.ContainsFunc(c.Links, func(l Link) bool { return l.OID == link })
}
