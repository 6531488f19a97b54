package authority

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/git-longtask/git-longtask/gitx"
)

// Entry is what one transaction adds to a task. Everything in it becomes
// visible together or not at all.
type Entry struct {
	Task   string
	Link   *LinkSpec // a new link of the chain; revisions that wait are stale then and go
	Wait   *Waiting  // a revision that waits for approval, in the place of others
	Bind   *Marker   // bind this worktree; Chain is filled in when a link is written
	Unbind bool      // remove this worktree's marker when it names Task
	Events []Event   // journal
	Note   *NoteSpec // receipt
	Tried  *Snapshot // content that was verified without being committed
}

// LinkSpec is a link to append after the tip the writer saw.
type LinkSpec struct {
	Record   Record
	Compiled []byte            // canonical bytes of compiled.json
	Files    map[string][]byte // frozen files; ignored when Keep is set
	Keep     *Link             // take compiled.json, files and base from this link
	After    gitx.OID          // the tip the decision was made on, "" for none
	Sign     Sign              // nil leaves the record unsigned
}

// Sign makes a detached signature of the bytes of record.json.
type Sign func(r Record, record []byte) ([]byte, error)

// Waiting is a link that becomes part of the chain only when a person says so.
type Waiting struct {
	ID   string
	Link LinkSpec
}

// NoteSpec is a receipt line for a commit, and the pin that keeps it alive.
type NoteSpec struct {
	Ref    string
	Commit gitx.OID
	Line   []byte
}

// Append writes one entry under the repository's lock and gives the new link.
// ErrMoved: the chain moved since the caller looked, nothing was written.
func Append(ctx context.Context, repo *gitx.Repo, now time.Time, e Entry) (gitx.OID, error) {
	return AppendBuilt(ctx, repo, now, func() (Entry, error) { return e, nil })
}

// AppendBuilt is Append for an entry that depends on what is stored: build
// looks under the lock, so that nobody writes between look and write.
func AppendBuilt(ctx context.Context, repo *gitx.Repo, now time.Time, build func() (Entry, error)) (gitx.OID, error) {
	unlock, err := repo.Lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	e, err := build()
	if err != nil {
		return "", err
	}
	return appendLocked(ctx, repo, now, e)
}

// deadAfter is how old the lock file of one of our own refs must be to count as
// left behind by a killed process, and how long a writer waits for that.
const deadAfter = 3 * time.Second

// appendLocked writes while the caller holds the lock. Refs that somebody
// moves without it, such as the notes, are read again and tried again. A lock
// file that stays although we hold the lock was left by a killed git child: it
// is removed once it is old enough.
func appendLocked(ctx context.Context, repo *gitx.Repo, now time.Time, e Entry) (gitx.OID, error) {
	giveUp := time.Now().Add(2 * deadAfter)
	for attempt := 1; ; attempt++ {
		tip, err := appendOnce(ctx, repo, stamp{now}, e)
		switch {
		case errors.Is(err, gitx.ErrStale) && attempt < 4:
		case errors.Is(err, gitx.ErrLocked) && time.Now().Before(giveUp):
			if _, breakErr := repo.BreakOwnLocks(deadAfter); breakErr != nil {
				return "", breakErr
			}
		default:
			return tip, err
		}
	}
}

func appendOnce(ctx context.Context, repo *gitx.Repo, w stamp, e Entry) (gitx.OID, error) {
	o := repo.NewObjects()
	var updates []gitx.RefUpdate
	var tip gitx.OID
	if e.Link != nil {
		up, err := linkUpdate(ctx, repo, o, w, e.Task, *e.Link)
		if err != nil {
			return "", err
		}
		tip, updates = up.New, append(updates, up)
	}
	if e.Link != nil || e.Wait != nil {
		ups, err := waitingUpdates(ctx, repo, o, w, e.Task, e.Wait)
		if err != nil {
			return "", err
		}
		updates = append(updates, ups...)
	}
	rest, err := besideLink(ctx, repo, o, w, e, tip)
	if err != nil {
		return "", err
	}
	updates = append(updates, rest...)
	if len(updates) == 0 {
		return tip, nil
	}
	if err := repo.Write(ctx, o); err != nil {
		return "", err
	}
	return tip, repo.Update(ctx, updates)
}

func besideLink(ctx context.Context, repo *gitx.Repo, o *gitx.Objects, w stamp, e Entry, tip gitx.OID) ([]gitx.RefUpdate, error) {
	var updates []gitx.RefUpdate
	if e.Bind != nil {
		m := *e.Bind
		if tip != "" {
			m.Chain = tip
		}
		up, changed, err := markerUpdate(ctx, repo, o, m, w)
		if err != nil {
			return nil, err
		}
		if changed {
			updates = append(updates, up)
		}
	}
	if e.Unbind {
		up, ok, err := unbindUpdate(ctx, repo, e.Task)
		if err != nil {
			return nil, err
		}
		if ok {
			updates = append(updates, up)
		}
	}
	if len(e.Events) > 0 {
		up, err := journalUpdate(ctx, repo, o, w, e.Task, e.Events)
		if err != nil {
			return nil, err
		}
		updates = append(updates, up)
	}
	if e.Tried != nil {
		ups, err := attemptUpdates(ctx, repo, o, w, e.Task, *e.Tried)
		if err != nil {
			return nil, err
		}
		updates = append(updates, ups...)
	}
	if e.Note != nil {
		ups, err := noteUpdates(ctx, repo, o, e.Task, *e.Note, w)
		if err != nil {
			return nil, err
		}
		updates = append(updates, ups...)
	}
	return updates, nil
}

func linkUpdate(ctx context.Context, repo *gitx.Repo, o *gitx.Objects, w stamp, task string, s LinkSpec) (gitx.RefUpdate, error) {
	old, err := repo.Ref(ctx, ChainRef(task))
	if err != nil && !errors.Is(err, gitx.ErrNotFound) {
		return gitx.RefUpdate{}, err
	}
	if old != s.After && (old != "" || s.Record.Revision != 1) {
		return gitx.RefUpdate{}, fmt.Errorf("authority of task %s: %w", task, ErrMoved)
	}
	oid, err := linkCommit(ctx, repo, o, w, task, s)
	return gitx.RefUpdate{Name: ChainRef(task), New: oid, Old: old}, err
}

// linkCommit puts the objects of a link into o.
func linkCommit(ctx context.Context, repo *gitx.Repo, o *gitx.Objects, w stamp, task string, s LinkSpec) (gitx.OID, error) {
	s.Record.Format, s.Record.Signed = Format, s.Sign != nil
	record, err := json.MarshalIndent(s.Record, "", "  ")
	if err != nil {
		return "", err
	}
	record = append(record, '\n')
	files := map[string]gitx.TreeEntry{"record.json": blobEntry(o, record)}
	if s.Sign != nil {
		sig, err := s.Sign(s.Record, record)
		if err != nil {
			return "", fmt.Errorf("%s of task %s: %w", s.Record.Kind, task, err)
		}
		files["record.sig"] = blobEntry(o, sig)
	}
	if s.Keep != nil {
		for _, name := range []string{"compiled.json", "files", "base"} {
			e, err := repo.Entry(ctx, s.Keep.Tree, name)
			if err != nil {
				return "", fmt.Errorf("%w: link %s has no %s", ErrCorrupt, s.Keep.OID.Short(), name)
			}
			files[name] = gitx.TreeEntry{Mode: e.Mode, OID: e.OID}
		}
	} else {
		files["compiled.json"] = blobEntry(o, s.Compiled)
		files["base"] = gitx.TreeEntry{Mode: 0o40000, OID: s.Record.BaseTree}
		for path, data := range s.Files {
			files["files/"+path] = blobEntry(o, data)
		}
	}
	spec := gitx.CommitSpec{Tree: o.Nested(files), When: w.now,
		Message: fmt.Sprintf("longtask: %s %s revision %d\n", s.Record.Kind, task, s.Record.Revision)}
	if s.After != "" {
		spec.Parents = []gitx.OID{s.After}
	}
	return o.Commit(spec), nil
}

func blobEntry(o *gitx.Objects, data []byte) gitx.TreeEntry {
	return gitx.TreeEntry{Mode: 0o100644, OID: o.Blob(data)}
}

func unbindUpdate(ctx context.Context, repo *gitx.Repo, task string) (gitx.RefUpdate, bool, error) {
	old, err := repo.Ref(ctx, gitx.ActiveRef)
	if errors.Is(err, gitx.ErrNotFound) {
		return gitx.RefUpdate{}, false, nil
	}
	if err != nil {
		return gitx.RefUpdate{}, false, err
	}
	if m, err := ReadMarker(ctx, repo, old); err == nil && m.Task != task {
		return gitx.RefUpdate{}, false, nil
	}
	return gitx.RefUpdate{Name: gitx.ActiveRef, New: repo.Zero(), Old: old}, true, nil
}

// noteUpdates adds the receipt line and a pin: a commit whose parent is the
// noted commit, because a note alone does not keep its commit from pruning.
func noteUpdates(ctx context.Context, repo *gitx.Repo, o *gitx.Objects, task string, n NoteSpec, w stamp) ([]gitx.RefUpdate, error) {
	note, err := repo.AddNote(ctx, o, n.Ref, n.Commit, n.Line)
	if err != nil {
		return nil, err
	}
	var updates []gitx.RefUpdate
	if note.New != note.Old {
		updates = append(updates, note)
	}
	pin := PinRef(task, n.Commit)
	if _, err := repo.Ref(ctx, pin); errors.Is(err, gitx.ErrNotFound) {
		commit := o.Commit(gitx.CommitSpec{Tree: o.Tree(nil), Parents: []gitx.OID{n.Commit}, Message: "longtask: pin " + string(n.Commit) + "\n", When: w.now})
		updates = append(updates, gitx.RefUpdate{Name: pin, New: commit})
	} else if err != nil {
		return nil, err
	}
	return updates, nil
}
