package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// line is a place in history whose scope is judged. Growing means that content
// on top of Commit is meant (an index, a work tree), not Commit itself.
type line struct {
	Commit      gitx.OID
	Growing     bool
	Integration string // ref; "" or a ref that is not here is none
}

// movingBase is the commit that scope is judged against. The finding is
// base_not_ancestor where no base can be named.
func movingBase(ctx context.Context, repo *gitx.Repo, rec authority.Record, l line) (gitx.OID, *contract.Finding, error) {
	commit := l.Commit
	meet, err := meeting(ctx, repo, commit, l.Integration)
	if err != nil {
		return "", nil, err
	}
	if meet == commit && !l.Growing {
		meet = ""
	}
	if meet == rec.BaseCommit {
		return meet, nil, nil
	}
	if meet != "" {
		older, err := olderThan(ctx, repo, rec.BaseCommit, meet)
		if err != nil || older {
			return meet, nil, err
		}
	}
	inHistory, err := olderThan(ctx, repo, rec.BaseCommit, commit)
	switch {
	case err != nil:
		return "", nil, err
	case inHistory:
		return rec.BaseCommit, nil, nil
	case meet != "":
		return meet, nil, nil
	}
	return "", &contract.Finding{Code: "base_not_ancestor", Level: contract.LevelError,
		Message:    fmt.Sprintf("the base %s of task %s is not in the history of %s, and no integration branch says what this work may be compared with", rec.BaseCommit.Short(), rec.Task, commit.Short()),
		RepairHint: "set one: git config longtask.integration refs/remotes/<remote>/<branch>",
		Refs:       map[string]any{"base": rec.BaseCommit, "commit": commit}}, nil
}

// meeting is the merge base with the integration ref, "" where there is none.
func meeting(ctx context.Context, repo *gitx.Repo, commit gitx.OID, integration string) (gitx.OID, error) {
	if integration == "" {
		return "", nil
	}
	tip, err := repo.Resolve(ctx, integration)
	if errors.Is(err, gitx.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if reached(ctx, repo, tip, commit, nearby) {
		return tip, nil
	}
	meet, err := repo.MergeBase(ctx, commit, tip)
	if errors.Is(err, gitx.ErrNotFound) {
		return "", nil
	}
	return meet, err
}

// How many commits are read through the running batch before git is asked: all
// that a task may hold for a question that is rare, a few where it is not.
const (
	walkLimit = 20000
	nearby    = 200
)

// olderThan tells whether old is an ancestor of (or equal to) new. It walks
// the commits through the running batch first, because a hook has no git child
// to spare; only a walk that finds nothing is confirmed by git.
func olderThan(ctx context.Context, repo *gitx.Repo, old, new gitx.OID) (bool, error) {
	if reached(ctx, repo, old, new, walkLimit) {
		return true, nil
	}
	if _, err := repo.Commit(ctx, string(old)); err != nil {
		return false, nil //nolint:nilerr // a base that is not here cannot be in any history we can read
	}
	return repo.IsAncestor(ctx, old, new)
}

// reached tells whether a walk of at most limit commits from one commit finds
// the other, or itself. False is no answer: dates may lie, and limits end it.
func reached(ctx context.Context, repo *gitx.Repo, old, new gitx.OID, limit int) bool {
	if old == new {
		return true
	}
	first, err := repo.Commit(ctx, string(old))
	if err != nil {
		return false
	}
	seen, queue := map[gitx.OID]bool{new: true}, []gitx.OID{new}
	for n := 0; len(queue) > 0 && n < limit; n++ {
		c, err := repo.Commit(ctx, string(queue[0]))
		queue = queue[1:]
		if err != nil || c.When.Before(first.When) {
			continue
		}
		for _, p := range c.Parents {
			if p == old {
				return true
			}
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return false
}

// integrationAtLock is the ref recorded with a lock: the contract's own, the
// user's configuration, the remote's HEAD branch, or main or master of the
// only remote; never the branch's own counterpart, never a local branch.
func integrationAtLock(ctx context.Context, repo *gitx.Repo, compiled *contract.Compiled, cfg *gitx.Config) (string, error) {
	if compiled.Config != nil && compiled.Config.Integration != "" {
		return compiled.Config.Integration, nil
	}
	if v, ok := cfg.Get("longtask.integration"); ok {
		return v, nil
	}
	remotes := cfg.Remotes()
	if len(remotes) == 0 {
		return "", nil
	}
	remote := remotes[0]
	for _, r := range remotes {
		if r == "origin" {
			remote = r
		}
	}
	var candidates []string
	head, err := repo.RemoteHead(ctx, remote)
	switch {
	case err == nil:
		candidates = []string{head}
	case !errors.Is(err, gitx.ErrNotFound):
		return "", err
	case len(remotes) == 1:
		candidates = []string{"refs/remotes/" + remote + "/main", "refs/remotes/" + remote + "/master"}
	}
	own := counterpart(repo, remote)
	for _, c := range candidates {
		if _, err := repo.Ref(ctx, c); err == nil && c != own {
			return c, nil
		}
	}
	return "", nil
}

func counterpart(repo *gitx.Repo, remote string) string {
	const heads = "refs/heads/"
	if len(repo.Branch) > len(heads) && repo.Branch[:len(heads)] == heads {
		return "refs/remotes/" + remote + "/" + repo.Branch[len(heads):]
	}
	return ""
}
