// Package authority keeps the frozen contract of a task: an append-only chain
// of commits under refs/longtask/<task>/authority, the marker that says which
// task is active in a worktree, and the journal of what the engine saw.
//
// It promises that the chain only grows, that every write is one transaction
// with old values, and that a chain which does not follow from its own records
// is called corrupt instead of being read around. It refuses to know what a
// check is or when work is finished. Source of the rules: spec/evidence.md.
package authority

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/git-longtask/git-longtask/gitx"
)

// Format is the version of record.json, marker.json and journal events that
// this binary writes; it reads no other.
const Format = 1

// Kind says what one link of a chain did.
type Kind string

// Kinds of links. Lock, revise and approve carry a revision, approve one that
// a person allowed; close and abandon end it.
const (
	Lock    Kind = "lock"
	Revise  Kind = "revise"
	Approve Kind = "approve"
	Close   Kind = "close"
	Abandon Kind = "abandon"
)

// Record is record.json. Commit, Tree and WorkflowStatus belong to Close.
type Record struct {
	Format         int      `json:"format"`
	Task           string   `json:"task"`
	Revision       int      `json:"revision"`
	Kind           Kind     `json:"kind"`
	Identity       string   `json:"identity"`
	BaseCommit     gitx.OID `json:"base_commit"`
	BaseTree       gitx.OID `json:"base_tree"`
	Branch         string   `json:"branch"` // full ref name, "" when locked on a detached HEAD
	IntegrationRef string   `json:"integration_ref"`
	Workdir        string   `json:"workdir"`
	Actor          string   `json:"actor"`
	Signed         bool     `json:"signed"`
	Reason         string   `json:"reason"`
	Commit         gitx.OID `json:"commit,omitempty"`
	Tree           gitx.OID `json:"tree,omitempty"`
	WorkflowStatus string   `json:"workflow_status,omitempty"`
}

// Errors that decide what a command answers.
var (
	ErrMissing = errors.New("authority_missing")
	ErrCorrupt = errors.New("authority_corrupt")
	ErrFormat  = errors.New("authority_format_unsupported")
	ErrMoved   = errors.New("the authority moved meanwhile")
)

const refRoot = "refs/longtask/"

// ChainRef names the authority chain of a task.
func ChainRef(task string) string { return refRoot + task + "/authority" }

// JournalRef names the local journal of a task.
func JournalRef(task string) string { return refRoot + task + "/journal" }

// PinRef names the ref that keeps a noted commit from being pruned.
func PinRef(task string, commit gitx.OID) string { return refRoot + task + "/pins/" + string(commit) }

// PendingRef names a revision that waits for approval.
func PendingRef(task, id string) string { return refRoot + task + "/pending/" + id }

// PublishedRef names the copy of a chain last seen on a remote.
func PublishedRef(remote, task string) string {
	return "refs/longtask-remotes/" + remote + "/" + task + "/authority"
}

// taskOf is the task a chain ref belongs to, "" when the ref is no chain.
func taskOf(ref, root string) string {
	task, ok := strings.CutSuffix(strings.TrimPrefix(ref, root), "/authority")
	if !ok || !strings.HasPrefix(ref, root) || strings.Contains(task, "/") {
		return ""
	}
	return task
}

func decodeRecord(data []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%w: record.json is not readable: %v", ErrCorrupt, err)
	}
	if r.Format != Format {
		return r, fmt.Errorf("%w: record.json has format %d, this binary reads %d", ErrFormat, r.Format, Format)
	}
	return r, nil
}

// follows tells why next may not come after r in one chain, or nil.
func (r Record) follows(next Record) error {
	ended := r.Kind == Close || r.Kind == Abandon
	if r.Kind != Close && (next.BaseCommit != r.BaseCommit || next.BaseTree != r.BaseTree) {
		return fmt.Errorf("the %s has another base than revision %d", next.Kind, r.Revision)
	}
	switch next.Kind {
	case Lock:
		if !ended {
			return fmt.Errorf("a lock follows the open revision %d", r.Revision)
		}
		return revisionIs(next, nextRevision(r, next))
	case Revise, Approve:
		again := r.Kind == Abandon && next.Kind == Approve
		if ended && !again {
			return fmt.Errorf("a %s follows the %s of revision %d", next.Kind, r.Kind, r.Revision)
		}
		if !ended && next.Task != r.Task {
			return fmt.Errorf("the %s names another task than revision %d", next.Kind, r.Revision)
		}
		return revisionIs(next, nextRevision(r, next))
	case Close, Abandon:
		if ended {
			return fmt.Errorf("a %s follows the %s of revision %d", next.Kind, r.Kind, r.Revision)
		}
		if next.Identity != r.Identity || next.Task != r.Task {
			return fmt.Errorf("the %s names another identity than revision %d", next.Kind, r.Revision)
		}
		return revisionIs(next, r.Revision)
	}
	return fmt.Errorf("unknown kind %q", next.Kind)
}

// nextRevision is what a lock after r has to carry: the chain of another task
// in the same workdir starts again at 1.
func nextRevision(r, next Record) int {
	if r.Task != next.Task {
		return 1
	}
	return r.Revision + 1
}

func revisionIs(r Record, want int) error {
	if r.Revision != want {
		return fmt.Errorf("a %s carries revision %d where %d follows", r.Kind, r.Revision, want)
	}
	return nil
}

// PublishedTask is the task a published ref belongs to, "" for other refs.
func PublishedTask(ref string) string {
	rest, ok := strings.CutPrefix(ref, "refs/longtask-remotes/")
	if !ok {
		return ""
	}
	_, rest, _ = strings.Cut(rest, "/")
	return taskOf(refRoot+rest, refRoot)
}

// TaskOfChain is the task a chain ref belongs to, "" for other refs.
func TaskOfChain(ref string) string { return taskOf(ref, refRoot) }
