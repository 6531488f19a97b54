package authority

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/git-longtask/git-longtask/contract/revision"
	"github.com/git-longtask/git-longtask/gitx"
)

// Draft is a compiled contract that wants to become authority. Base is the
// commit the work starts from; a chain that was abandoned keeps its own. Judge
// compares it with the revision it would replace; without it, or in an open
// chain without Revise, another identity is refused.
type Draft struct {
	Task           string
	Identity       string
	Compiled       []byte
	Files          map[string][]byte
	Workdir        string
	Branch         string
	IntegrationRef string
	Actor          string
	Base           gitx.OID
	BaseTree       gitx.OID
	Revise         bool
	Judge          func(ctx context.Context, old Link) ([]revision.Change, error)
	Sign           Sign
}

// Reasons why a draft is not locked. Each is a decision, not a failure.
var (
	ErrNeedsRevise = errors.New("authority_revision_requires_revise_flag")
	ErrTaskExists  = errors.New("active_task_exists")
	ErrRelock      = errors.New("relock after abandon with another identity")
)

// Locked is what LockDraft did: Status is "compiled", "attached", "pending" or
// "rejected". First tells that this call wrote the Authority Lock of a new
// revision, Revised that it wrote the next revision of an open chain. Changes
// are those against the revision before; Pending is the id of a stored
// revision that a person must approve.
type Locked struct {
	Status  string
	First   bool
	Revised bool
	Chain   *Chain
	Changes []revision.Change
	Pending string
}

// LockDraft makes the draft the authority of its task, or attaches this
// worktree to the open chain that already holds the same identity. It decides
// and writes under the repository's lock.
func LockDraft(ctx context.Context, repo *gitx.Repo, now time.Time, d Draft) (Locked, error) {
	unlock, err := repo.Lock(ctx)
	if err != nil {
		return Locked{}, err
	}
	defer unlock()
	tasks, err := tasksNow(ctx, repo)
	if err != nil {
		return Locked{}, err
	}
	prev, err := Continues(ctx, repo, d, tasks)
	if d.Judge != nil && (errors.Is(err, ErrNeedsRevise) && d.Revise || errors.Is(err, ErrRelock)) {
		return revise(ctx, repo, now, d, prev)
	}
	if err != nil {
		return Locked{Chain: prev}, err
	}
	if prev != nil && prev.Task == d.Task && prev.Open() {
		return attach(ctx, repo, now, d, prev)
	}
	e, err := lockEntry(d, prev)
	if err != nil {
		return Locked{}, err
	}
	if _, err := appendLocked(ctx, repo, now, e); err != nil {
		return Locked{}, err
	}
	chain, err := Load(ctx, repo, d.Task)
	return Locked{Status: "compiled", First: true, Chain: chain}, err
}

// lockEntry is the first link of a task, or the one that goes on from prev.
func lockEntry(d Draft, prev *Chain) (Entry, error) {
	rec := Record{Task: d.Task, Revision: 1, Kind: Lock, Identity: d.Identity, BaseCommit: d.Base, BaseTree: d.BaseTree,
		Branch: d.Branch, IntegrationRef: d.IntegrationRef, Workdir: d.Workdir, Actor: d.Actor}
	spec := &LinkSpec{Compiled: d.Compiled, Files: d.Files, Sign: d.Sign}
	if prev != nil {
		tip := prev.Tip()
		spec.After, rec.Revision = tip.OID, nextRevision(tip.Record, rec)
		if prev.State() == "abandoned" {
			rec.BaseCommit, rec.BaseTree = tip.Record.BaseCommit, tip.Record.BaseTree
		}
	}
	spec.Record = rec
	data, err := json.Marshal(map[string]any{"identity": d.Identity, "base_commit": rec.BaseCommit, "branch": d.Branch})
	return Entry{Task: d.Task, Link: spec, Bind: &Marker{Task: d.Task, Branch: d.Branch},
		Events: []Event{{Type: ContractLocked, Revision: rec.Revision, Commit: rec.BaseCommit, Actor: "human", Data: data}}}, err
}

// attach binds this worktree to an open chain of the same identity.
func attach(ctx context.Context, repo *gitx.Repo, now time.Time, d Draft, c *Chain) (Locked, error) {
	if m, err := markerHere(ctx, repo); err == nil && m != nil && m.Task == d.Task && m.Branch == d.Branch {
		return Locked{Status: "compiled", Chain: c}, nil
	}
	_, err := appendLocked(ctx, repo, now, Entry{Task: d.Task, Bind: &Marker{Task: d.Task, Branch: d.Branch, Chain: c.Tip().OID}})
	return Locked{Status: "attached", Chain: c}, err
}

// Continues is the chain a draft goes on from: its own, else the newest ended
// one of the same workdir among tasks; nil when there is none. It refuses with
// ErrTaskExists while another open task holds this worktree or the workdir,
// with ErrNeedsRevise or ErrRelock and that chain when the identity differs
// where it may not, and with ErrMissing when something names a chain of the
// task that is gone. A contract that only calls itself otherwise than the task
// locked on its workdir needs a revision too, which then cannot be had.
func Continues(ctx context.Context, repo *gitx.Repo, d Draft, tasks []string) (*Chain, error) {
	if other, err := otherTaskHere(ctx, repo, d); err != nil {
		return other, err
	}
	own, err := Load(ctx, repo, d.Task)
	if errors.Is(err, ErrMissing) {
		if err := Vanished(ctx, repo, d.Task); err != nil {
			return nil, err
		}
		own, err = predecessor(ctx, repo, d, tasks)
	}
	if err != nil || own == nil {
		return nil, err
	}
	if err := InLine(ctx, repo, own); err != nil {
		return nil, err
	}
	same := own.Current().Record.Identity == d.Identity
	if own.Open() && own.Current().Record.Workdir != d.Workdir {
		return nil, fmt.Errorf("task %s is locked on %s: %w", d.Task, own.Current().Record.Workdir, ErrTaskExists)
	}
	if own.Open() && !same {
		return own, fmt.Errorf("task %s: %w", d.Task, ErrNeedsRevise)
	}
	if own.State() == "abandoned" && !same {
		return own, fmt.Errorf("task %s: %w", own.Task, ErrRelock)
	}
	return own, nil
}

// predecessor is the newest ended chain of the draft's workdir.
func predecessor(ctx context.Context, repo *gitx.Repo, d Draft, tasks []string) (*Chain, error) {
	heirs := map[string]bool{}
	var ended []*Chain
	for _, t := range tasks {
		c, err := Load(ctx, repo, t)
		if err != nil {
			return nil, err
		}
		for _, l := range c.Before {
			heirs[l.Record.Task] = true
		}
		if c.Current().Record.Workdir != d.Workdir {
			continue
		}
		if c.Open() {
			return nil, fmt.Errorf("task %s is locked on %s: %w", t, d.Workdir, ErrTaskExists)
		}
		ended = append(ended, c)
	}
	for _, c := range ended {
		if !heirs[c.Task] {
			return c, nil
		}
	}
	return nil, nil
}

// otherTaskHere refuses while another open task is bound to this worktree.
func otherTaskHere(ctx context.Context, repo *gitx.Repo, d Draft) (*Chain, error) {
	m, err := markerHere(ctx, repo)
	if err != nil || m == nil || m.Task == d.Task {
		return nil, err
	}
	c, err := Load(ctx, repo, m.Task)
	switch {
	case errors.Is(err, ErrMissing):
		return nil, fmt.Errorf("task %s is bound to this worktree: %w", m.Task, err)
	case err != nil:
		return nil, err
	case !c.Open():
		return nil, nil
	case c.Current().Record.Workdir == d.Workdir && !d.Revise:
		return c, fmt.Errorf("task %s: %w", c.Task, ErrNeedsRevise)
	}
	return nil, fmt.Errorf("task %s is active in this worktree: %w", m.Task, ErrTaskExists)
}

// Bound is this worktree's marker as it is now; gitx.ErrNotFound when there is
// none.
func Bound(ctx context.Context, repo *gitx.Repo) (Marker, error) {
	oid, err := repo.Ref(ctx, gitx.ActiveRef)
	if err != nil {
		return Marker{}, err
	}
	return ReadMarker(ctx, repo, oid)
}

// markerHere is Bound with nil for none.
func markerHere(ctx context.Context, repo *gitx.Repo) (*Marker, error) {
	m, err := Bound(ctx, repo)
	if errors.Is(err, gitx.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &m, nil
}

// Vanished tells whether something still names a chain of task that is not
// here: this worktree's marker, the journal, a copy seen on a remote.
// ErrMissing then.
func Vanished(ctx context.Context, repo *gitx.Repo, task string) error {
	m, err := markerHere(ctx, repo)
	if err != nil {
		return err
	}
	if m != nil && m.Task == task {
		return fmt.Errorf("task %s: %w: this worktree is bound to it", task, ErrMissing)
	}
	for _, ref := range repo.Chains {
		if PublishedTask(ref) == task {
			return fmt.Errorf("task %s: %w: %s holds a published copy", task, ErrMissing, ref)
		}
	}
	if _, err := repo.Ref(ctx, JournalRef(task)); !errors.Is(err, gitx.ErrNotFound) {
		if err != nil {
			return err
		}
		return fmt.Errorf("task %s: %w: %s tells of it", task, ErrMissing, JournalRef(task))
	}
	return nil
}

// PutBack creates the chain ref of a marker's task again, at the link the
// marker kept alive. Newer links, if there were any, are not in it.
func PutBack(ctx context.Context, repo *gitx.Repo, m Marker) error {
	if _, err := LoadAt(ctx, repo, m.Task, ChainRef(m.Task), m.Chain); err != nil {
		return err
	}
	unlock, err := repo.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return repo.Update(ctx, []gitx.RefUpdate{{Name: ChainRef(m.Task), New: m.Chain}})
}
