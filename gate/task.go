// Package gate decides whether the work of a task is done: it proves the
// frozen contract on one commit and says what is missing.
//
// It promises that a verdict is computed from the commit and the authority
// alone, that nothing stored is believed, and that whatever cannot be decided
// refuses. Decisions are pure functions over facts that gitx and gate/check
// bring. Source of the rules: spec/evidence.md.
package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// ErrNoTask says that no task is active in this worktree.
var ErrNoTask = errors.New("active_task_missing")

// Task is one locked contract with the repository it is judged in.
type Task struct {
	Repo     *gitx.Repo
	Chain    *authority.Chain
	Link     authority.Link // the revision in force
	Compiled *contract.Compiled
	Marker   authority.Marker
}

// ID is the task's id.
func (t *Task) ID() string { return t.Chain.Task }

// Active is the task this worktree is bound to. Errors: ErrNoTask,
// authority.ErrMissing, ErrCorrupt, ErrFormat.
func Active(ctx context.Context, repo *gitx.Repo) (*Task, error) {
	if !repo.Bound {
		return nil, nothingActive(ctx, repo)
	}
	m, err := authority.Bound(ctx, repo)
	if err != nil {
		return nil, err
	}
	t, err := Load(ctx, repo, m.Task)
	if err != nil {
		return nil, err
	}
	if !t.Chain.Open() {
		return nil, ErrNoTask
	}
	t.Marker = m
	return t, nil
}

// Load reads a task by its id, whatever its state.
func Load(ctx context.Context, repo *gitx.Repo, id string) (*Task, error) {
	chain, err := authority.Load(ctx, repo, id)
	if err != nil {
		return nil, err
	}
	return FromChain(ctx, repo, chain)
}

// FromChain opens the revision in force of a chain.
func FromChain(ctx context.Context, repo *gitx.Repo, chain *authority.Chain) (*Task, error) {
	t := &Task{Repo: repo, Chain: chain, Link: chain.Current()}
	var err error
	if t.Compiled, err = t.Link.Compiled(ctx, repo); err != nil {
		return nil, fmt.Errorf("authority of task %s: %w", chain.Task, err)
	}
	return t, nil
}

// nothingActive is ErrNoTask, unless a receipt on HEAD or a published copy
// names a task of this branch whose chain is gone: that is never silent.
func nothingActive(ctx context.Context, repo *gitx.Repo) error {
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return ErrNoTask
	}
	receipts, err := Receipts(ctx, repo, head)
	if err != nil {
		return err
	}
	for _, r := range receipts {
		if _, err := repo.Ref(ctx, authority.ChainRef(r.Predicate.Task)); errors.Is(err, gitx.ErrNotFound) {
			return fmt.Errorf("task %s: %w: HEAD carries a receipt of it", r.Predicate.Task, authority.ErrMissing)
		}
	}
	for _, ref := range repo.Chains {
		if err := publishedGone(ctx, repo, ref); err != nil {
			return err
		}
	}
	return ErrNoTask
}

// publishedGone is ErrMissing when a published, open chain recorded for the
// current branch has no local chain.
func publishedGone(ctx context.Context, repo *gitx.Repo, ref string) error {
	task := authority.PublishedTask(ref)
	if task == "" || repo.Branch == "" {
		return nil
	}
	if _, err := repo.Ref(ctx, authority.ChainRef(task)); !errors.Is(err, gitx.ErrNotFound) {
		return err
	}
	c, err := authority.LoadRef(ctx, repo, task, ref)
	if err != nil {
		return err
	}
	if c.Open() && c.Current().Record.Branch == repo.Branch {
		return fmt.Errorf("task %s: %w: %s holds a published copy", task, authority.ErrMissing, ref)
	}
	return nil
}
