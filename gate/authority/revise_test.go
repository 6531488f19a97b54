package authority

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-longtask/git-longtask/contract/revision"
	"github.com/git-longtask/git-longtask/gitx"
)

// revised is a draft that wants to be the next revision, with these changes.
func revised(d Draft, changes ...revision.Change) Draft {
	d.Revise = true
	d.Judge = func(context.Context, Link) ([]revision.Change, error) { return changes, nil }
	return d
}

var (
	tightens = revision.Change{Reason: "check_added", Place: "x"}
	weakens  = revision.Change{Reason: "check_removed", Place: "x", Protected: true}
	lowers   = revision.Change{Reason: revision.DowngradeRejected, Place: "x", Protected: true, Rejected: true}
)

func waiting(t *testing.T, dir string) []string {
	t.Helper()
	return strings.Fields(git(t, dir, "for-each-ref", "--format=%(refname)", "refs/longtask/*/pending/*"))
}

func TestReviseWritesWaitsOrRefuses(t *testing.T) {
	dir := newRepo(t)
	repo := open(t, dir)
	first := lock(t, repo, draft(t, repo, "login", "plans/login", "one")).Chain.Tip().Record
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "later")
	git(t, dir, "checkout", "-q", "-b", "side")
	repo = open(t, dir)
	two := draft(t, repo, "login", "plans/login", "two")

	l := lock(t, repo, revised(two, lowers, weakens))
	if l.Status != "rejected" || len(waiting(t, dir)) != 0 || l.Chain.Tip().Record.Revision != 1 {
		t.Errorf("a lower risk: %+v, waiting %v", l, waiting(t, dir))
	}
	l = lock(t, repo, revised(two, tightens))
	rec := l.Chain.Tip().Record
	if l.Status != "compiled" || !l.Revised || l.First || rec.Kind != Revise || rec.Revision != 2 || rec.BaseCommit != first.BaseCommit || rec.Branch != first.Branch {
		t.Errorf("more proof: %+v", l)
	}
	three := draft(t, repo, "login", "plans/login", "three")
	l = lock(t, repo, revised(three, weakens))
	if l.Status != "pending" || len(l.Pending) != 64 || l.Chain.Tip().Record.Revision != 2 || len(waiting(t, dir)) != 1 {
		t.Errorf("weaker: %+v", l)
	}
	again := lock(t, repo, revised(three, weakens))
	four := lock(t, repo, revised(draft(t, repo, "login", "plans/login", "four"), weakens))
	if refs := waiting(t, dir); again.Pending != l.Pending || four.Pending == l.Pending || len(refs) != 1 || !strings.HasSuffix(refs[0], four.Pending) {
		t.Errorf("a further edit: %s, then %s, waiting %v", again.Pending, four.Pending, refs)
	}
}

func TestSixteenApprovalsAtOnceMakeOneRevision(t *testing.T) {
	dir := newRepo(t)
	repo := open(t, dir)
	lock(t, repo, draft(t, repo, "login", "plans/login", "one"))
	id := lock(t, repo, revised(draft(t, repo, "login", "plans/login", "two"), weakens)).Pending
	var wg sync.WaitGroup
	var done atomic.Int32
	for range 16 {
		repo := open(t, dir)
		wg.Go(func() {
			p, err := FindPending(ctx, repo, id[:shortestID])
			if err == nil {
				_, err = p.Approve(ctx, repo, time.Now(), Consent{Actor: "Ann", Changes: []revision.Change{weakens}})
			}
			switch {
			case err == nil:
				done.Add(1)
			case !errors.Is(err, ErrNotPending) && !errors.Is(err, ErrStaleWait):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	c, err := Load(ctx, open(t, dir), "login")
	if err != nil || done.Load() != 1 || len(c.Links) != 2 || c.Tip().Record.Actor != "Ann" || len(waiting(t, dir)) != 0 {
		t.Errorf("%d approvals, %+v, %v", done.Load(), c, err)
	}
	events, err := Events(ctx, open(t, dir), "login")
	if err != nil || len(events) != 2 || events[1].Type != ContractRevised {
		t.Errorf("%+v %v", events, err)
	}
}

func TestANewRecordMakesAWaitingRevisionStale(t *testing.T) {
	dir := newRepo(t)
	repo := open(t, dir)
	c := lock(t, repo, draft(t, repo, "login", "plans/login", "one")).Chain
	l := lock(t, repo, revised(draft(t, repo, "login", "plans/login", "two"), weakens))
	p, err := FindPending(ctx, repo, l.Pending)
	if err != nil {
		t.Fatal(err)
	}
	end(t, repo, c, Close)
	if _, err := p.Approve(ctx, repo, time.Now(), Consent{}); !errors.Is(err, ErrNotPending) {
		t.Errorf("after a close: %v", err)
	}
	git(t, dir, "update-ref", PendingRef("login", p.ID), string(p.Link.OID))
	if _, err := p.Approve(ctx, open(t, dir), time.Now(), Consent{}); !errors.Is(err, ErrStaleWait) {
		t.Errorf("put back by hand: %v", err)
	}
}

func TestASignatureThatFailsWritesNothing(t *testing.T) {
	dir := newRepo(t)
	repo := open(t, dir)
	no := errors.New("no key")
	d := draft(t, repo, "login", "plans/login", "one")
	d.Sign = func(Record, []byte) ([]byte, error) { return nil, no }
	if _, err := LockDraft(ctx, repo, time.Now(), d); !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
	if _, err := Load(ctx, repo, "login"); !errors.Is(err, ErrMissing) {
		t.Errorf("something was written: %v", err)
	}
	d.Sign = func(_ Record, record []byte) ([]byte, error) { return append([]byte("by me: "), record...), nil }
	tip := lock(t, repo, d).Chain.Tip()
	sig, record, err := tip.Signature(ctx, repo)
	if err != nil || !tip.Record.Signed || string(sig) != "by me: "+string(record) {
		t.Errorf("%q of %q, %v", sig, record, err)
	}
}

func TestWhatMayFollowWhat(t *testing.T) {
	base := gitx.OID("b")
	rec := func(kind Kind, revision int, more ...func(*Record)) Record {
		r := Record{Task: "login", Kind: kind, Revision: revision, Identity: "i", BaseCommit: base, BaseTree: base}
		for _, m := range more {
			m(&r)
		}
		return r
	}
	moved := func(r *Record) { r.BaseCommit = "c" }
	other := func(r *Record) { r.Task = "other" }
	for name, c := range map[string]struct {
		before, after Record
		ok            bool
	}{
		"revise after lock":                    {rec(Lock, 1), rec(Revise, 2), true},
		"revise skips a revision":              {rec(Lock, 1), rec(Revise, 3), false},
		"revise moves the base":                {rec(Lock, 1), rec(Revise, 2, moved), false},
		"approve renames the task":             {rec(Lock, 1), rec(Approve, 1, other), false},
		"approve after abandon":                {rec(Abandon, 1), rec(Approve, 2), true},
		"approve after abandon moves the base": {rec(Abandon, 1), rec(Approve, 2, moved), false},
		"approve after close":                  {rec(Close, 1), rec(Approve, 2), false},
		"revise after abandon":                 {rec(Abandon, 1), rec(Revise, 2), false},
		"lock after abandon moves the base":    {rec(Abandon, 1), rec(Lock, 2, moved), false},
		"lock after close moves the base":      {rec(Close, 1), rec(Lock, 2, moved), true},
		"another task after abandon":           {rec(Abandon, 4), rec(Approve, 1, other), true},
	} {
		if err := c.before.follows(c.after); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
