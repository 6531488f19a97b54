package authority

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/git-longtask/git-longtask/contract/revision"
	"github.com/git-longtask/git-longtask/gitx"
)

// revise makes the draft the next revision of an open or abandoned chain, when
// no change needs a person; otherwise it stores the draft as waiting. What
// nobody may approve is not stored at all.
func revise(ctx context.Context, repo *gitx.Repo, now time.Time, d Draft, prev *Chain) (Locked, error) {
	current := prev.Current()
	changes, err := d.Judge(ctx, current)
	if err != nil {
		return Locked{Chain: prev}, err
	}
	out := Locked{Chain: prev, Changes: changes}
	if len(revision.Rejected(changes)) > 0 {
		out.Status = "rejected"
		return out, nil
	}
	if len(revision.Protected(changes)) > 0 {
		out.Status = "pending"
		if out.Pending, err = revision.ID(current.Record.Identity, d.Identity, changes); err != nil {
			return out, err
		}
		_, err = appendLocked(ctx, repo, now, Entry{Task: d.Task, Wait: &Waiting{ID: out.Pending, Link: nextLink(d, prev, Approve)}})
		return out, err
	}
	kind, event := Revise, ContractRevised
	if !prev.Open() {
		kind, event = Lock, ContractLocked
	}
	link := nextLink(d, prev, kind)
	link.Sign = d.Sign
	e, err := revisionEvent(event, link.Record, current.Record.Identity, changes)
	if err != nil {
		return out, err
	}
	_, err = appendLocked(ctx, repo, now, Entry{Task: d.Task, Link: &link, Bind: &Marker{Task: d.Task, Branch: d.Branch}, Events: []Event{e}})
	if err != nil {
		return out, err
	}
	out.Status, out.First, out.Revised = "compiled", kind == Lock, kind == Revise
	out.Chain, err = Load(ctx, repo, d.Task)
	return out, err
}

// nextLink is the draft as the link that follows prev. The base stays, and in
// an open chain the branch.
func nextLink(d Draft, prev *Chain, kind Kind) LinkSpec {
	tip := prev.Tip()
	rec := tip.Record
	rec.Kind, rec.Task, rec.Identity, rec.Workdir = kind, d.Task, d.Identity, d.Workdir
	rec.Revision, rec.Actor, rec.Signed, rec.Reason = nextRevision(tip.Record, rec), d.Actor, false, ""
	rec.IntegrationRef = d.IntegrationRef
	if !prev.Open() {
		rec.Branch = d.Branch
	}
	return LinkSpec{Record: rec, Compiled: d.Compiled, Files: d.Files, After: tip.OID}
}

// revisionEvent is the journal's view of a new revision.
func revisionEvent(kind EventType, rec Record, previous string, changes []revision.Change) (Event, error) {
	reasons := []string{}
	for _, c := range changes {
		if !slices.Contains(reasons, c.Reason) {
			reasons = append(reasons, c.Reason)
		}
	}
	data, err := json.Marshal(map[string]any{"identity": rec.Identity, "previous_identity": previous, "reasons": reasons, "approved": rec.Kind == Approve, "branch": rec.Branch, "base_commit": rec.BaseCommit})
	if err != nil {
		return Event{}, fmt.Errorf("event of revision %d: %w", rec.Revision, err)
	}
	return Event{Type: kind, Revision: rec.Revision, Commit: rec.BaseCommit, Actor: "human", Data: data}, nil
}
