package hooks

import (
	"context"
	"errors"
	"os"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gitx"
)

// Commit is what pre-commit and pre-merge-commit ask: may the index become a
// commit. Without an active task, or away from its branch, it has nothing to
// say and the task is nil. It starts no more git children than
// spec/git-hooks.md allows and never walks the work tree.
func Commit(ctx context.Context, repo *gitx.Repo) (*gate.Task, []contract.Finding, error) {
	if !repo.Bound {
		return nil, nil, nil
	}
	t, err := gate.Active(ctx, repo)
	if errors.Is(err, gate.ErrNoTask) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	here, err := t.Marker.OnBranch(ctx, repo, t.Link.Record.BaseCommit)
	if err != nil || !here {
		return nil, nil, err
	}
	heads, err := repo.MergeHeads(ctx)
	if err != nil {
		return nil, nil, err
	}
	findings, err := t.Staged(ctx, append(heads, gitx.GitHeads(os.Environ())...))
	return t, findings, err
}
