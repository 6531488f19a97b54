package gate

import (
	"context"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

// Staged judges the index as the next commit: frozen files and scope against
// the task's base, not only against HEAD, so that an amend cannot smuggle.
// heads are the other parents of a merge in progress. Besides the two children
// already running it starts at most two: merge-base and diff-index.
func (t *Task) Staged(ctx context.Context, heads []gitx.OID) ([]contract.Finding, error) {
	head, err := t.Repo.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	base, problem, err := movingBase(ctx, t.Repo, t.Link.Record, line{Commit: head, Growing: true, Integration: t.Link.Record.IntegrationRef})
	if err != nil {
		return nil, err
	}
	if problem != nil {
		return []contract.Finding{*problem}, nil
	}
	changes, err := t.Repo.DiffIndex(ctx, base)
	if err != nil {
		return nil, err
	}
	return t.judgeChanges(ctx, base, changes, heads)
}

// judgeChanges is frozen files, scope and symlinks of changes to a base.
func (t *Task) judgeChanges(ctx context.Context, base gitx.OID, changes []gitx.Change, heads []gitx.OID) ([]contract.Finding, error) {
	at := over(inTree(t.Repo, base), changes)
	findings, err := t.frozenFindings(ctx, at, t.stored)
	if err != nil {
		return nil, err
	}
	counted, err := unmerged(ctx, t.Repo, changes, heads)
	if err != nil {
		return nil, err
	}
	links, err := t.symlinkFindings(ctx, counted, at)
	if err != nil {
		return nil, err
	}
	findings = append(findings, t.scopeFindings(counted, paths(findings))...)
	return append(findings, links...), nil
}

// ScopeOf judges the tree of one commit: what pre-push and scope ask.
func (t *Task) ScopeOf(ctx context.Context, commit gitx.OID) ([]contract.Finding, error) {
	c, err := t.Repo.Commit(ctx, string(commit))
	if err != nil {
		return nil, err
	}
	base, problem, err := movingBase(ctx, t.Repo, t.Link.Record, line{Commit: c.OID, Integration: t.Link.Record.IntegrationRef})
	if err != nil {
		return nil, err
	}
	if problem != nil {
		return []contract.Finding{*problem}, nil
	}
	changes, err := t.Repo.DiffTrees(ctx, base, c.Tree)
	if err != nil {
		return nil, err
	}
	return t.judgeChanges(ctx, base, changes, nil)
}
