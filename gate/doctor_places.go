package gate

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// places: where tasks are worked on, and whether this clone has the history
// that a gate needs.
func (d *diagnosis) places(ctx context.Context) error {
	if d.repo.Shallow {
		d.add(contract.Finding{Code: "shallow_clone", Level: contract.LevelWarning,
			Message:    "this clone is shallow: where the base of a task is cut off, scope cannot be judged",
			RepairHint: "fetch the rest of the history", Next: "git fetch --unshallow"}, nil)
	}
	if err := d.markerBranch(ctx); err != nil {
		return err
	}
	trees, err := d.repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, w := range trees {
		if _, err := os.Stat(w.Path); w.Bare || w.Branch == "" || !errors.Is(err, os.ErrNotExist) {
			continue
		}
		for _, task := range d.openOn(ctx, w.Branch) {
			d.add(contract.Finding{Code: "task_worktree_gone", Level: contract.LevelWarning, Refs: map[string]any{"task": task, "worktree": w.Path, "branch": w.Branch},
				Message:    fmt.Sprintf("task %s is open on %s, whose worktree %s is gone; Git still keeps the branch for it", task, branchWords(w.Branch), w.Path),
				RepairHint: "let Git forget the worktree, then check the branch out somewhere and compile the contract there", Next: "git worktree prune"}, nil)
		}
	}
	return nil
}

// markerBranch: the branch that this worktree's task was bound on.
func (d *diagnosis) markerBranch(ctx context.Context) error {
	m, err := authority.Bound(ctx, d.repo)
	if err != nil || m.Branch == "" || m.Branch == d.repo.Branch {
		return nil // none, or unreadable, which marker reports
	}
	if _, err := d.repo.Ref(ctx, m.Branch); !errors.Is(err, gitx.ErrNotFound) {
		return err
	}
	f := contract.Finding{Code: "marker_branch_gone", Level: contract.LevelWarning, Refs: map[string]any{"task": m.Task, "branch": m.Branch},
		Message:    fmt.Sprintf("task %s was bound on %s, which is gone", m.Task, branchWords(m.Branch)),
		RepairHint: "compile its contract on the branch where the work goes on: that binds the task to it", Next: "git longtask compile"}
	if chain, err := authority.Load(ctx, d.repo, m.Task); err == nil {
		f.Next += " " + chain.Current().Record.Workdir
	}
	d.add(f, nil)
	return nil
}

// openOn lists the open tasks recorded on a branch; chains that cannot be read
// are reported elsewhere.
func (d *diagnosis) openOn(ctx context.Context, branch string) []string {
	var open []string
	for _, task := range authority.Tasks(d.repo) {
		chain, err := authority.Load(ctx, d.repo, task)
		if err == nil && chain.Open() && chain.Current().Record.Branch == branch {
			open = append(open, task)
		}
	}
	return open
}
