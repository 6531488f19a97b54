package share

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// whole reads the chain that ends at tip. A partial clone may have its commits
// without their content; that is fetched first, because an authority that
// cannot be read would look corrupt.
func whole(ctx context.Context, repo *gitx.Repo, task, ref string, tip gitx.OID) (*authority.Chain, error) {
	c, err := authority.LoadAt(ctx, repo, task, ref, tip)
	if !errors.Is(err, gitx.ErrMissing) {
		return c, err
	}
	for at := tip; at != ""; {
		link, err := repo.Commit(ctx, string(at))
		if err != nil {
			return nil, fmt.Errorf("authority of task %s: %w", task, err)
		}
		if err := repo.FetchMissing(ctx, at); err != nil {
			return nil, fmt.Errorf("authority of task %s: %w", task, err)
		}
		at = ""
		if len(link.Parents) > 0 {
			at = link.Parents[0]
		}
	}
	return authority.LoadAt(ctx, repo, task, ref, tip)
}
