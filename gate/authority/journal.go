package authority

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/git-longtask/git-longtask/gitx"
)

// EventType is one of the journal's types (spec/loops.md, Journal).
type EventType string

// The types this binary writes.
const (
	ContractLocked    EventType = "contract.locked"
	ContractRevised   EventType = "contract.revised"
	ContractClosed    EventType = "contract.closed"
	ContractAbandoned EventType = "contract.abandoned"
	CheckEnded        EventType = "check.ended"
	GateEnded         EventType = "gate.ended"
	StopChecked       EventType = "stop.checked"
)

// Event is one entry of the journal: a commit whose message is this object.
// Its order comes from the chain of commits; Time is information only.
type Event struct {
	Format   int             `json:"format"`
	Seq      int             `json:"seq"`
	Run      string          `json:"run"`
	Task     string          `json:"task"`
	Revision int             `json:"revision"`
	Item     string          `json:"item,omitempty"`
	Attempt  int             `json:"attempt,omitempty"`
	Commit   gitx.OID        `json:"commit,omitempty"`
	Type     EventType       `json:"type"`
	Actor    string          `json:"actor"` // engine, human, worker
	Time     string          `json:"time"`
	Data     json.RawMessage `json:"data"`
}

// run is this process's engine start.
var run = func() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}()

// stamp is what every write of one transaction shares.
type stamp struct{ now time.Time }

// journalUpdate appends events to the journal of their task.
func journalUpdate(ctx context.Context, repo *gitx.Repo, o *gitx.Objects, w stamp, task string, events []Event) (gitx.RefUpdate, error) {
	ref := JournalRef(task)
	old, err := repo.Ref(ctx, ref)
	if err != nil && !errors.Is(err, gitx.ErrNotFound) {
		return gitx.RefUpdate{}, err
	}
	seq, tip := 0, old
	if err == nil {
		last, _, err := readEvent(ctx, repo, old)
		if err != nil {
			return gitx.RefUpdate{}, fmt.Errorf("journal of task %s: %w", task, err)
		}
		seq = last.Seq
	}
	empty := o.Tree(nil)
	for _, e := range events {
		seq++
		e.Format, e.Seq, e.Run, e.Task, e.Time = Format, seq, run, task, w.now.UTC().Format(time.RFC3339Nano)
		if e.Actor == "" {
			e.Actor = "engine"
		}
		msg, err := json.Marshal(e)
		if err != nil {
			return gitx.RefUpdate{}, err
		}
		spec := gitx.CommitSpec{Tree: empty, Message: string(msg) + "\n", When: w.now}
		if tip != "" {
			spec.Parents = []gitx.OID{tip}
		}
		tip = o.Commit(spec)
	}
	return gitx.RefUpdate{Name: ref, New: tip, Old: old}, nil
}

func readEvent(ctx context.Context, repo *gitx.Repo, oid gitx.OID) (Event, gitx.OID, error) {
	c, err := repo.Commit(ctx, string(oid))
	if err != nil {
		return Event{}, "", err
	}
	var e Event
	if err := json.Unmarshal([]byte(c.Message), &e); err != nil {
		return e, "", fmt.Errorf("event %s is not readable: %w", oid.Short(), err)
	}
	if e.Format != Format {
		return e, "", fmt.Errorf("%w: event %s has format %d", ErrFormat, oid.Short(), e.Format)
	}
	if len(c.Parents) == 0 {
		return e, "", nil
	}
	return e, c.Parents[0], nil
}

// Events reads the journal of a task, oldest first. No journal is no events.
func Events(ctx context.Context, repo *gitx.Repo, task string) ([]Event, error) {
	tip, err := repo.Ref(ctx, JournalRef(task))
	if errors.Is(err, gitx.ErrNotFound) {
		return nil, nil
	}
	var events []Event
	for oid := tip; err == nil && oid != ""; {
		var e Event
		if e, oid, err = readEvent(ctx, repo, oid); err == nil {
			events = append(events, e)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("journal of task %s: %w", task, err)
	}
	for i, j := 0, len(events)-1; i < j; i, j = i+1, j-1 {
		events[i], events[j] = events[j], events[i]
	}
	return events, nil
}
