package gitx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// openNotes is the tree and the commit of a notes ref; both empty when there
// is no such ref.
func (r *Repo) openNotes(ctx context.Context, ref string) (*noteDir, OID, error) {
	commit, err := r.Ref(ctx, ref)
	if errors.Is(err, ErrNotFound) {
		return newNoteDir(), "", nil
	}
	if err != nil {
		return nil, "", err
	}
	entries, err := r.ReadTree(ctx, commit)
	if err != nil {
		return nil, "", fmt.Errorf("notes %s: %w", ref, err)
	}
	return noteDirOf("", entries, len(r.Zero())), commit, nil
}

// Notes is the note of a commit in a notes ref, as stored; when the tree holds
// several for it, their union. Errors: ErrNotFound.
func (r *Repo) Notes(ctx context.Context, ref string, commit OID) ([]byte, error) {
	root, _, err := r.openNotes(ctx, ref)
	if err != nil {
		return nil, err
	}
	text, found, err := r.noteText(ctx, root, commit)
	if err != nil {
		return nil, fmt.Errorf("notes %s: %w", ref, err)
	}
	if !found {
		return nil, fmt.Errorf("%w: note of %s in %s", ErrNotFound, commit, ref)
	}
	return text, nil
}

func (r *Repo) noteText(ctx context.Context, root *noteDir, commit OID) (text []byte, found bool, err error) {
	if len(commit) != len(r.Zero()) || !isHex(string(commit)) {
		return nil, false, fmt.Errorf("%q is not a full object id", commit)
	}
	blobs, err := root.find(ctx, r, string(commit))
	if err != nil || len(blobs) == 0 {
		return nil, false, err
	}
	text, err = r.readUnion(ctx, blobs)
	return text, true, err
}

// readUnion reads note blobs. A lost one is not an absent note.
func (r *Repo) readUnion(ctx context.Context, blobs []OID) ([]byte, error) {
	var texts [][]byte
	for _, blob := range blobs {
		obj, err := r.Read(ctx, string(blob))
		if errors.Is(err, ErrMissing) {
			return nil, fmt.Errorf("note %s: %w", blob, ErrMissing)
		}
		if err != nil {
			return nil, err
		}
		texts = append(texts, obj.Data)
	}
	if len(texts) == 1 {
		return texts[0], nil
	}
	return union(texts...), nil
}

// AddNote adds to o a notes commit in which the note of commit also holds the
// given line (or lines), and says which ref has to move. New equals Old when
// the line is there already. Take Lock before, or be ready for ErrStale.
func (r *Repo) AddNote(ctx context.Context, o *Objects, ref string, commit OID, line []byte) (RefUpdate, error) {
	root, old, err := r.openNotes(ctx, ref)
	if err != nil {
		return RefUpdate{}, err
	}
	text, found, err := r.noteText(ctx, root, commit)
	if err != nil {
		return RefUpdate{}, fmt.Errorf("notes %s: %w", ref, err)
	}
	next := union(text, line)
	if found && bytes.Equal(next, text) {
		return RefUpdate{Name: ref, New: old, Old: old}, nil
	}
	if err := root.put(ctx, r, string(commit), o.Blob(next)); err != nil {
		return RefUpdate{}, fmt.Errorf("notes %s: %w", ref, err)
	}
	return RefUpdate{Name: ref, New: r.notesCommit(o, root, old), Old: old}, nil
}

func (r *Repo) notesCommit(o *Objects, root *noteDir, parents ...OID) OID {
	root.fanOut(len(r.Zero()))
	parents = slices.DeleteFunc(parents, OID.IsZero)
	return o.Commit(CommitSpec{Tree: root.write(o), Parents: parents, Message: "notes: git-longtask\n", When: time.Now()})
}

// MergeNotes brings the lines of the notes ref from into the notes ref into:
// each note becomes the union of both. The new commit has both histories, or
// is that of from when into has nothing of its own. changed is false when
// there is nothing to do, also when from does not exist.
func (r *Repo) MergeNotes(ctx context.Context, o *Objects, into, from string) (update RefUpdate, changed bool, err error) {
	ours, old, err := r.openNotes(ctx, into)
	if err != nil {
		return RefUpdate{}, false, err
	}
	theirs, other, err := r.openNotes(ctx, from)
	if err != nil || other == "" || other == old {
		return RefUpdate{}, false, err
	}
	if old == "" {
		return RefUpdate{Name: into, New: other}, true, nil
	}
	news, own, err := r.compareNotes(ctx, ours, theirs)
	if err != nil {
		return RefUpdate{}, false, fmt.Errorf("notes %s and %s: %w", into, from, err)
	}
	if len(news) == 0 {
		if behind, err := r.IsAncestor(ctx, other, old); err != nil || behind {
			return RefUpdate{}, false, err
		}
	}
	if !own {
		if ahead, err := r.IsAncestor(ctx, old, other); err != nil || ahead {
			return RefUpdate{Name: into, New: other, Old: old}, err == nil, err
		}
	}
	for commit, text := range news {
		if err := ours.put(ctx, r, string(commit), o.Blob(text)); err != nil {
			return RefUpdate{}, false, fmt.Errorf("notes %s: %w", into, err)
		}
	}
	return RefUpdate{Name: into, New: r.notesCommit(o, ours, old, other), Old: old}, true, nil
}

// compareNotes says which notes of ours get a new text from theirs, and
// whether ours has a line that theirs lacks.
func (r *Repo) compareNotes(ctx context.Context, ours, theirs *noteDir) (news map[OID][]byte, own bool, err error) {
	a, b := map[OID][]OID{}, map[OID][]OID{}
	if err := errors.Join(ours.all(ctx, r, "", len(r.Zero()), a), theirs.all(ctx, r, "", len(r.Zero()), b)); err != nil {
		return nil, false, err
	}
	news = make(map[OID][]byte)
	for commit, blobs := range b {
		if slices.Equal(a[commit], blobs) {
			continue
		}
		mine, err := r.readUnion(ctx, a[commit])
		if err != nil {
			return nil, false, err
		}
		other, err := r.readUnion(ctx, blobs)
		if err != nil {
			return nil, false, err
		}
		both := union(mine, other)
		if !bytes.Equal(both, union(mine)) {
			news[commit] = both
		}
		own = own || !bytes.Equal(both, union(other))
	}
	for commit := range a {
		own = own || b[commit] == nil
	}
	return news, own, nil
}

// ListNotes are the annotated ids of a notes ref, sorted; none when there is
// no such ref.
func (r *Repo) ListNotes(ctx context.Context, ref string) ([]OID, error) {
	root, _, err := r.openNotes(ctx, ref)
	if err != nil {
		return nil, err
	}
	notes := map[OID][]OID{}
	if err := root.all(ctx, r, "", len(r.Zero()), notes); err != nil {
		return nil, fmt.Errorf("notes %s: %w", ref, err)
	}
	return slices.Sorted(maps.Keys(notes)), nil
}
