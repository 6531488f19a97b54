package authority

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-longtask/git-longtask/contract/revision"
	"github.com/git-longtask/git-longtask/gitx"
)

// Reasons why a waiting revision is not approved.
var (
	ErrNotPending = errors.New("authority_revision_not_found_or_mismatched")
	ErrStaleWait  = errors.New("authority_revision_stale")
)

// Pending is a revision that waits for a person. Link is as it would stand in
// the chain; its parent is the tip the decision was made on.
type Pending struct {
	ID   string
	Task string
	Link Link
}

// shortestID is how much of a revision id must be typed at least.
const shortestID = 7

// FindPending finds a waiting revision by its id or a clear beginning of it.
// ErrNotPending when there is none.
func FindPending(ctx context.Context, repo *gitx.Repo, id string) (Pending, error) {
	refs, err := repo.Refs(ctx, refRoot+"*/pending/*")
	if err != nil {
		return Pending{}, err
	}
	var found []gitx.Ref
	for _, r := range refs {
		if _, have := pendingOf(r.Name); len(id) >= shortestID && strings.HasPrefix(have, id) {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		return Pending{}, fmt.Errorf("revision %q: %w", id, ErrNotPending)
	}
	return readPending(ctx, repo, found[0])
}

// PendingFor is the waiting revision of a task, nil when there is none or the
// authority moved on since.
func PendingFor(ctx context.Context, repo *gitx.Repo, c *Chain) (*Pending, error) {
	refs, err := repo.Refs(ctx, PendingRef(c.Task, "*"))
	if err != nil {
		return nil, err
	}
	for _, r := range refs {
		p, err := readPending(ctx, repo, r)
		if err != nil {
			return nil, err
		}
		if p.Link.Parent == c.Tip().OID {
			return &p, nil
		}
	}
	return nil, nil
}

func readPending(ctx context.Context, repo *gitx.Repo, r gitx.Ref) (Pending, error) {
	task, id := pendingOf(r.Name)
	l, err := readLink(ctx, repo, r.OID)
	if err != nil {
		return Pending{}, fmt.Errorf("waiting revision %s of task %s: %w", id, task, err)
	}
	if l.Record.Kind != Approve || l.Record.Task != task {
		return Pending{}, fmt.Errorf("waiting revision %s of task %s: %w: it is a %s of task %s", id, task, ErrCorrupt, l.Record.Kind, l.Record.Task)
	}
	return Pending{ID: id, Task: task, Link: l}, nil
}

// pendingOf takes the name of a pending ref apart.
func pendingOf(ref string) (task, id string) {
	task, id, _ = strings.Cut(strings.TrimPrefix(ref, refRoot), "/pending/")
	return task, id
}

// Follows is the chain a waiting revision would go on from. ErrStaleWait when
// the authority got another record since.
func (p Pending) Follows(ctx context.Context, repo *gitx.Repo) (*Chain, error) {
	before, err := readLink(ctx, repo, p.Link.Parent)
	if err != nil {
		return nil, fmt.Errorf("waiting revision %s of task %s: %w", p.ID, p.Task, err)
	}
	c, err := Load(ctx, repo, before.Record.Task)
	if err != nil {
		return nil, err
	}
	own := c
	if c.Task != p.Task {
		own, err = Load(ctx, repo, p.Task)
		if err != nil && !errors.Is(err, ErrMissing) {
			return nil, err
		}
	}
	if c.Tip().OID != p.Link.Parent || own != nil && own != c {
		return nil, fmt.Errorf("waiting revision %s of task %s: %w", p.ID, p.Task, ErrStaleWait)
	}
	if err := c.Tip().Record.follows(p.Link.Record); err != nil {
		return nil, fmt.Errorf("waiting revision %s of task %s: %w: %w", p.ID, p.Task, ErrCorrupt, err)
	}
	return c, nil
}

// Consent is what makes a waiting revision part of the chain.
type Consent struct {
	Actor   string
	Changes []revision.Change // that were looked at
	Sign    Sign              // nil when the person only said so
}

// Approve makes a waiting revision the next one of its chain. This worktree is bound to the task when the chain had ended and
// nothing else is active here.
func (p Pending) Approve(ctx context.Context, repo *gitx.Repo, now time.Time, c Consent) (*Chain, error) {
	_, err := AppendBuilt(ctx, repo, now, func() (Entry, error) {
		if oid, err := repo.Ref(ctx, PendingRef(p.Task, p.ID)); err != nil || oid != p.Link.OID {
			return Entry{}, fmt.Errorf("revision %s of task %s: %w", p.ID, p.Task, ErrNotPending)
		}
		prev, err := p.Follows(ctx, repo)
		if err != nil {
			return Entry{}, err
		}
		rec := p.Link.Record
		rec.Actor = c.Actor
		event, err := revisionEvent(ContractRevised, rec, prev.Current().Record.Identity, c.Changes)
		if err != nil {
			return Entry{}, err
		}
		e := Entry{Task: p.Task, Link: &LinkSpec{Record: rec, Keep: &p.Link, After: p.Link.Parent, Sign: c.Sign}, Events: []Event{event}}
		if !prev.Open() {
			e.Bind, err = freeHere(ctx, repo, p.Task)
		}
		return e, err
	})
	if err != nil {
		return nil, err
	}
	return Load(ctx, repo, p.Task)
}

// freeHere is a marker of the task for this worktree, nil when another open
// task is active in it.
func freeHere(ctx context.Context, repo *gitx.Repo, task string) (*Marker, error) {
	_, err := otherTaskHere(ctx, repo, Draft{Task: task, Revise: true})
	if errors.Is(err, ErrTaskExists) || errors.Is(err, ErrMissing) {
		return nil, nil
	}
	return &Marker{Task: task, Branch: repo.Branch}, err
}

// waitingUpdates stores a waiting revision, if any, and lets go of all others
// of the task: they were about another tip, or about an earlier edit.
func waitingUpdates(ctx context.Context, repo *gitx.Repo, o *gitx.Objects, w stamp, task string, wait *Waiting) ([]gitx.RefUpdate, error) {
	refs, err := repo.Refs(ctx, PendingRef(task, "*"))
	if err != nil {
		return nil, err
	}
	var updates []gitx.RefUpdate
	up := gitx.RefUpdate{}
	if wait != nil {
		up.Name = PendingRef(task, wait.ID)
		if up.New, err = linkCommit(ctx, repo, o, w, task, wait.Link); err != nil {
			return nil, err
		}
	}
	for _, r := range refs {
		if r.Name == up.Name {
			up.Old = r.OID
			continue
		}
		updates = append(updates, gitx.RefUpdate{Name: r.Name, New: repo.Zero(), Old: r.OID})
	}
	if wait != nil {
		updates = append(updates, up)
	}
	return updates, nil
}
