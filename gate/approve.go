package gate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/contract/revision"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// Waiting is a revision that waits for approval and what it would change.
type Waiting struct {
	authority.Pending
	Before  authority.Link // the revision it would replace
	Changes []revision.Change
	repo    *gitx.Repo
}

// FindWaiting finds a waiting revision and compares it anew with what it would
// replace: its id must be the one of these changes. Errors:
// authority.ErrNotPending, ErrStaleWait.
func FindWaiting(ctx context.Context, repo *gitx.Repo, id string) (*Waiting, error) {
	p, err := authority.FindPending(ctx, repo, id)
	if err != nil {
		return nil, err
	}
	chain, err := p.Follows(ctx, repo)
	if err != nil {
		return nil, err
	}
	w := &Waiting{Pending: p, Before: chain.Current(), repo: repo}
	if w.Changes, err = changesBetween(ctx, repo, w.Before, p.Link); err != nil {
		return nil, err
	}
	real, err := revision.ID(w.Before.Record.Identity, p.Link.Record.Identity, w.Changes)
	if err != nil {
		return nil, err
	}
	if real != p.ID || len(revision.Rejected(w.Changes)) > 0 {
		return nil, fmt.Errorf("revision %s of task %s is not what it was stored as: %w", p.ID, p.Task, authority.ErrNotPending)
	}
	return w, nil
}

// PendingRevision is a waiting revision as status shows it.
type PendingRevision struct {
	ID       string `json:"revision"`
	Revision int    `json:"authority_revision"` // it would be this one
	Actor    string `json:"actor"`              // who proposed it
}

// statusOfRevisions fills in who allowed what, and what waits to be allowed.
func (t *Task) statusOfRevisions(ctx context.Context, s *Status) error {
	var err error
	if s.Approvals, err = t.approvals(ctx); err != nil {
		return err
	}
	p, err := authority.PendingFor(ctx, t.Repo, t.Chain)
	if err != nil || p == nil {
		return err
	}
	s.PendingRevision = &PendingRevision{ID: p.ID, Revision: p.Link.Record.Revision, Actor: p.Link.Record.Actor}
	return nil
}

// approvals lists the approved revisions. Signed are those whose signature is
// by one of the signers that the base of the task, or the configuration, names.
func (t *Task) approvals(ctx context.Context) ([]Approval, error) {
	out := []Approval{}
	for _, l := range t.Chain.Links {
		rec := l.Record
		if rec.Kind != authority.Approve {
			continue
		}
		a := Approval{Revision: rec.Revision, Actor: rec.Actor}
		if rec.Signed {
			who, err := t.signedLocally(ctx, l)
			if err != nil {
				return nil, err
			}
			a.Signed = who != ""
		}
		out = append(out, a)
	}
	return out, nil
}

// Approve appends the waiting revision, signed or on the word of the person at
// the terminal. Errors of a signature: ErrNoKey, ErrNoSigners and those of the
// package signature.
func (w *Waiting) Approve(ctx context.Context, now time.Time, signed bool) (*authority.Chain, error) {
	cfg, err := w.repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	c := authority.Consent{Actor: actor(cfg), Changes: w.Changes}
	if signed {
		if c.Sign, err = signing(ctx, w.repo, cfg); err != nil {
			return nil, err
		}
	}
	return w.Pending.Approve(ctx, w.repo, now, c)
}

// changesBetween compares two links.
func changesBetween(ctx context.Context, repo *gitx.Repo, old, next authority.Link) ([]revision.Change, error) {
	compiled, err := next.Compiled(ctx, repo)
	if err != nil {
		return nil, err
	}
	return changesFrom(ctx, repo, old, compiled, linkFiles(repo, next))
}

// Between are two revisions of a chain and what changed from one to the other.
type Between struct {
	From, To authority.Link
	Pending  string // the id of To while it waits for approval
	Changes  []revision.Change
}

// ErrNoRevision says that a chain has no such revision.
var ErrNoRevision = errors.New("revision_not_found")

// Between compares the revisions of a range A..B: numbers, where a missing one
// is the first or the one in force, or for B the word pending.
func (t *Task) Between(ctx context.Context, span string) (*Between, error) {
	from, to, ok := strings.Cut(span, "..")
	if !ok {
		return nil, fmt.Errorf("%w: %q is no range such as 1..2", ErrNoRevision, span)
	}
	b := &Between{To: t.Link}
	var err error
	if from == "" {
		from = "1"
	}
	if b.From, err = t.revision(from); err != nil {
		return nil, err
	}
	switch to {
	case "":
	case "pending":
		p, err := authority.PendingFor(ctx, t.Repo, t.Chain)
		if err != nil {
			return nil, err
		}
		if p == nil {
			return nil, fmt.Errorf("%w: no revision of task %s waits for approval", ErrNoRevision, t.ID())
		}
		b.To, b.Pending = p.Link, p.ID
	default:
		if b.To, err = t.revision(to); err != nil {
			return nil, err
		}
	}
	b.Changes, err = changesBetween(ctx, t.Repo, b.From, b.To)
	return b, err
}

// revision finds the link that made a revision.
func (t *Task) revision(number string) (authority.Link, error) {
	n, err := strconv.Atoi(number)
	for _, l := range t.Chain.Links {
		if k := l.Record.Kind; err == nil && l.Record.Revision == n && k != authority.Close && k != authority.Abandon {
			return l, nil
		}
	}
	return authority.Link{}, fmt.Errorf("%w: task %s has no revision %q; it is at revision %d", ErrNoRevision, t.ID(), number, t.Link.Record.Revision)
}

// Unapproved reports revisions that changed what only a person may change and
// were not approved. This program does not write such a record; one that is
// there was made by hand.
func (t *Task) Unapproved(ctx context.Context) ([]contract.Finding, error) {
	var findings []contract.Finding
	var before authority.Link
	ended := authority.Kind("")
	for _, l := range append(append([]authority.Link{}, t.Chain.Before...), t.Chain.Links...) {
		rec := l.Record
		if rec.Kind == authority.Close || rec.Kind == authority.Abandon {
			ended = rec.Kind
			continue
		}
		must := rec.Kind == authority.Revise || rec.Kind == authority.Lock && ended == authority.Abandon
		if must && rec.Identity != before.Record.Identity {
			changes, err := changesBetween(ctx, t.Repo, before, l)
			if err != nil {
				return nil, err
			}
			if need := revision.Protected(changes); len(need) > 0 {
				findings = append(findings, contract.Finding{Code: "revision_unapproved", Level: contract.LevelError,
					Message:    fmt.Sprintf("revision %d of task %s, by %s, changes what only a person may change (%s), and no approval is recorded", rec.Revision, rec.Task, rec.Actor, strings.Join(reasons(need), ", ")),
					RepairHint: "somebody wrote this record by hand; find out who, and go on from a published copy without it",
					Refs:       map[string]any{"revision": rec.Revision, "reasons": reasons(need), "commit": l.OID}})
			}
		}
		before, ended = l, ""
	}
	return findings, nil
}
