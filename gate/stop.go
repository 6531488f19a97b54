package gate

import (
	"context"
	"encoding/json"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/authority"
)

// Reasons of a stop-check beside the workflow status of an accepted gate.
const (
	ReasonNoTask      = "no_active_task"
	ReasonOtherBranch = "task_on_other_branch"
	ReasonGateError   = "live_final_gate_error"
	ReasonMoved       = "active_authority_changed_after_final_gate"
	reasonGate        = "live_final_gate_" // and the workflow status
)

// StopEvent is the data of a stop.checked event. Message is the caller's own
// text, a remark beside the reason and never in its place.
type StopEvent struct {
	Continue       bool   `json:"continue"`
	Reason         string `json:"reason"`
	WorkflowStatus string `json:"workflow_status,omitempty"`
	Message        string `json:"message,omitempty"`
}

// StopReason is the word for what a verdict means to somebody who wants to
// stop: the workflow status itself when it accepts.
func StopReason(v *Verdict) string {
	if v.Accepted() {
		return v.WorkflowStatus
	}
	return reasonGate + v.WorkflowStatus
}

// Elsewhere is the reason to refuse while the worktree stands on a branch that
// is not the task's, nil when it does not.
func (t *Task) Elsewhere(ctx context.Context) (*contract.Finding, error) {
	here, err := t.Marker.OnBranch(ctx, t.Repo, t.Link.Record.BaseCommit)
	if err != nil || here {
		return nil, err
	}
	bound, now := branchWords(t.Marker.Branch), branchWords(t.Repo.Branch)
	return &contract.Finding{Code: ReasonOtherBranch, Level: contract.LevelError,
		Message:    "task " + t.ID() + " is bound to " + bound + ", and this worktree stands on " + now,
		RepairHint: "go back to the task's branch, or bind the task to this one by compiling its contract here", Next: "git longtask compile " + t.Compiled.Workdir,
		Refs: map[string]any{"expected": t.Marker.Branch, "actual": t.Repo.Branch}}, nil
}

// RecordStop writes what a stop-check decided. An accepted verdict closes the
// task with the same record as Close, a refusing one is recorded as a gate run,
// both together with the event; without a verdict there is only the event.
// authority.ErrMoved: somebody else wrote to the authority first.
func (t *Task) RecordStop(ctx context.Context, v *Verdict, e StopEvent, now time.Time, tool Tool) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	event := authority.Event{Type: authority.StopChecked, Revision: t.Link.Record.Revision, Data: data}
	_, err = authority.AppendBuilt(ctx, t.Repo, now, func() (authority.Entry, error) {
		entry := authority.Entry{Task: t.ID()}
		var err error
		if v != nil {
			event.Commit = v.Commit
			if v.Accepted() {
				entry, err = t.closeEntry(ctx, v, tool)
			} else {
				entry, err = t.gateEntry(ctx, v, tool)
			}
		}
		entry.Events = append(entry.Events, event)
		return entry, err
	})
	return err
}
