package hooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// Push is one push as pre-push sees it, and how it is judged.
type Push struct {
	Remote string // name, or a URL when the remote has no name here
	Lines  []PushLine
	Now    time.Time
	Tool   func() gate.Tool // asked only when a gate result is recorded
}

// errBudget ends a gate that takes longer than the push may wait.
var errBudget = errors.New("push budget spent")

// Judge asks every chain that a pushed tip concerns. The findings say what is
// refused; warnings let the push pass.
func (p Push) Judge(ctx context.Context, repo *gitx.Repo) ([]contract.Finding, error) {
	if len(authority.Tasks(repo)) == 0 {
		return nil, nil
	}
	rules, err := p.policy(ctx, repo)
	if err != nil || rules.mode == "off" {
		return nil, err
	}
	var findings []contract.Finding
	for _, l := range p.Lines {
		if l.Deletes() || ownRef(l.RemoteRef) {
			continue
		}
		tip, err := repo.Commit(ctx, string(l.LocalOID))
		if errors.Is(err, gitx.ErrNotFound) {
			continue // a tag of a blob or a tree holds no work
		}
		if err != nil {
			return nil, err
		}
		for _, id := range authority.Tasks(repo) {
			found, err := p.askChain(ctx, repo, id, l, tip, rules)
			if err != nil {
				return nil, fmt.Errorf("task %s: %w", id, err)
			}
			findings = append(findings, found...)
		}
	}
	return findings, nil
}

// askChain judges one tip by one chain, when the chain is concerned at all.
func (p Push) askChain(ctx context.Context, repo *gitx.Repo, id string, l PushLine, tip gitx.Commit, rules policy) ([]contract.Finding, error) {
	t, err := gate.Load(ctx, repo, id)
	if err != nil || t.Chain.State() == "abandoned" {
		return nil, err
	}
	protected := rules.mode == "proof" && rules.protects(l.RemoteRef)
	concerned, err := p.concerns(ctx, t, l, tip, protected)
	if err != nil || !concerned {
		return nil, err
	}
	switch {
	case !t.Chain.Open():
		return p.askClosed(ctx, t, tip, protected)
	case protected:
		return p.prove(ctx, t, tip, rules)
	}
	return t.ScopeOf(ctx, tip.OID)
}

// askClosed: while the closed commit is not on the remote, only its tree may
// go there.
func (p Push) askClosed(ctx context.Context, t *gate.Task, tip gitx.Commit, protected bool) ([]contract.Finding, error) {
	closed := t.Chain.Tip().Record
	news, err := p.unknownThere(ctx, t.Repo, closed.Commit)
	if err != nil || len(news) == 0 || tip.Tree == closed.Tree {
		return nil, err
	}
	f := contract.Finding{Code: "changed_after_close", Level: contract.LevelWarning,
		Message:    fmt.Sprintf("task %s was closed on commit %s; %s holds other content, which nothing has proved", t.ID(), closed.Commit.Short(), tip.OID.Short()),
		RepairHint: "push the closed commit, or lock the task again and let the gate judge the new one",
		Next:       "git longtask compile " + t.Compiled.Workdir,
		Refs:       map[string]any{"task": t.ID(), "closed": closed.Commit, "pushed": tip.OID}}
	if protected {
		f.Level = contract.LevelError
	}
	return []contract.Finding{f}, nil
}

// prove demands a receipt that this clone wrote itself, or runs the gate now.
func (p Push) prove(ctx context.Context, t *gate.Task, tip gitx.Commit, rules policy) ([]contract.Finding, error) {
	verified, err := t.ReceiptVerified(ctx, tip)
	if err != nil || verified {
		return nil, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, rules.budget, errBudget)
	defer cancel()
	v, err := t.Gate(limited, gate.Request{Commit: tip.OID})
	if errors.Is(context.Cause(limited), errBudget) {
		return []contract.Finding{{Code: "push_not_proved", Level: contract.LevelError,
			Message:    fmt.Sprintf("commit %s of task %s has no receipt, and the gate takes longer than a push may wait (%s)", tip.OID.Short(), t.ID(), rules.budget),
			RepairHint: "run the gate first, then push again",
			Next:       "git longtask final-gate " + string(tip.OID)}}, nil
	}
	if err != nil {
		return nil, err
	}
	return v.Findings, t.Record(ctx, v, p.Now, p.Tool())
}

// concerns tells whether a pushed tip is any business of a task: it goes from
// or to the task's branch, brings a commit of that branch to the remote ref,
// or changes what the task froze.
func (p Push) concerns(ctx context.Context, t *gate.Task, l PushLine, tip gitx.Commit, protected bool) (bool, error) {
	branch := t.Link.Record.Branch
	if branch != "" && (l.LocalRef == branch || l.RemoteRef == branch || "refs/heads/"+l.LocalRef == branch) {
		return true, nil
	}
	carries, err := p.carriesWork(ctx, t, l, tip, protected)
	if err != nil || carries || l.Creates() {
		return carries, err
	}
	if _, err := t.Repo.Commit(ctx, string(l.RemoteOID)); err != nil {
		return false, nil // the remote's tip is not here to compare with
	}
	return t.FrozenDiffer(ctx, tip.OID, l.RemoteOID)
}

// carriesWork tells whether the push brings a commit made on the task's branch
// since the base to the remote ref. That the remote has it on another branch
// does not matter: work that was pushed once must not get to a protected
// branch unasked the second time.
func (p Push) carriesWork(ctx context.Context, t *gate.Task, l PushLine, tip gitx.Commit, protected bool) (bool, error) {
	rec := t.Link.Record
	on := rec.Branch
	if t.Chain.State() == "closed" {
		on = string(t.Chain.Tip().Record.Commit)
	}
	top, err := t.Repo.Resolve(ctx, on)
	if errors.Is(err, gitx.ErrNotFound) {
		top, err = branchGone(ctx, t)
	}
	if errors.Is(err, gitx.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if _, err := t.Repo.Commit(ctx, string(rec.BaseCommit)); err != nil {
		return false, nil // a base that is not here leaves nothing to compare
	}
	work, err := t.Repo.RevList(ctx, string(top), "^"+string(rec.BaseCommit))
	if err != nil || len(work) == 0 {
		return false, err
	}
	news, err := p.brings(ctx, t, l, tip, protected)
	if err != nil {
		return false, err
	}
	own := make(map[gitx.OID]bool, len(work))
	for _, c := range work {
		own[c] = true
	}
	for _, c := range news {
		if own[c] {
			return true, nil
		}
	}
	return false, nil
}

// branchGone is what counts as the task's branch after that was renamed or
// deleted: HEAD of a worktree that is bound to the task. ErrNotFound when the
// push comes from elsewhere.
func branchGone(ctx context.Context, t *gate.Task) (gitx.OID, error) {
	m, err := authority.Bound(ctx, t.Repo)
	if err != nil {
		return "", err
	}
	here, err := m.OnBranch(ctx, t.Repo, t.Link.Record.BaseCommit)
	if err != nil {
		return "", err
	}
	if m.Task != t.ID() || !here {
		return "", gitx.ErrNotFound
	}
	return t.Repo.Resolve(ctx, "HEAD")
}

// brings are the commits that the remote ref gets: those it does not have, or,
// when it is new, those the remote does not have; all since the base when the
// new ref is a protected one.
func (p Push) brings(ctx context.Context, t *gate.Task, l PushLine, tip gitx.Commit, protected bool) ([]gitx.OID, error) {
	if !l.Creates() {
		if _, err := t.Repo.Commit(ctx, string(l.RemoteOID)); err == nil {
			return t.Repo.RevList(ctx, string(tip.OID), "^"+string(l.RemoteOID))
		}
	}
	if protected {
		return t.Repo.RevList(ctx, string(tip.OID), "^"+string(t.Link.Record.BaseCommit))
	}
	return p.unknownThere(ctx, t.Repo, tip.OID)
}

// unknownThere are the commits up to tip that the remote, as far as known
// here, has on no branch.
func (p Push) unknownThere(ctx context.Context, repo *gitx.Repo, tip gitx.OID) ([]gitx.OID, error) {
	cfg, err := repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	args := []string{string(tip), "--not", "--remotes"}
	for _, name := range cfg.Remotes() {
		if name == p.Remote {
			args[2] = "--remotes=" + name
		}
	}
	return repo.RevList(ctx, args...)
}
