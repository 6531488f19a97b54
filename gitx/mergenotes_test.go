package gitx

import (
	"context"
	"testing"
)

// mergeNotes is MergeNotes, written and applied.
func mergeNotes(t *testing.T, r *Repo, into, from string) bool {
	t.Helper()
	ctx := context.Background()
	o := r.NewObjects()
	u, changed, err := r.MergeNotes(ctx, o, into, from)
	if err != nil {
		t.Fatal(err)
	}
	if !changed {
		return false
	}
	if err := r.Write(ctx, o); err != nil {
		t.Fatal(err)
	}
	if err := r.Update(ctx, []RefUpdate{u}); err != nil {
		t.Fatal(err)
	}
	return true
}

func TestMergeNotesIsTheUnionAndConverges(t *testing.T) {
	r := openRepo(t, newRepo(t))
	a, b := notesRef+"/a", notesRef+"/b"
	one, two := fakeID(r, "one"), fakeID(r, "two")
	for _, n := range []struct {
		ref  string
		id   OID
		line string
	}{{a, one, "both"}, {b, one, "both"}, {a, one, "only a"}, {b, one, "only b"}, {b, two, "two"}} {
		if err := addNote(r, n.ref, n.id, n.line); err != nil {
			t.Fatal(err)
		}
	}
	if !mergeNotes(t, r, a, b) {
		t.Fatal("merging b into a changed nothing")
	}
	if got := noteOf(t, r, a, one); got != "both\nonly a\nonly b\n" {
		t.Errorf("merged note = %q", got)
	}
	if got := noteOf(t, r, a, two); got != "two\n" {
		t.Errorf("taken note = %q", got)
	}
	if mergeNotes(t, r, a, b) {
		t.Error("merging b again changed a")
	}
	if !mergeNotes(t, r, b, a) {
		t.Error("merging a into b changed nothing")
	}
	if x, y := git(t, r.Top, "rev-parse", a), git(t, r.Top, "rev-parse", b); x != y {
		t.Errorf("a and b are %s and %s, want one commit", x, y)
	}
	git(t, r.Top, "merge-base", "--is-ancestor", b, a)
}

// Two clones that noted the same by themselves join their histories, so that
// a push of either is a fast-forward.
func TestMergeNotesJoinsEqualHistories(t *testing.T) {
	r := openRepo(t, newRepo(t))
	a, b := notesRef+"/a", notesRef+"/b"
	id := string(fakeID(r, "id"))
	setNotesTree(t, r, a, id)
	setNotesTree(t, r, b, id[:2]+"/"+id[2:])
	if err := addNote(r, a, OID(id), id[:2]+"/"+id[2:]); err != nil {
		t.Fatal(err)
	}
	if err := addNote(r, b, OID(id), id); err != nil {
		t.Fatal(err)
	}
	if !mergeNotes(t, r, a, b) {
		t.Fatal("histories were not joined")
	}
	git(t, r.Top, "merge-base", "--is-ancestor", b, a)
	if mergeNotes(t, r, a, b) || !mergeNotes(t, r, b, a) || mergeNotes(t, r, b, a) {
		t.Error("merging does not come to rest")
	}
}

func TestMergeNotesIntoNothing(t *testing.T) {
	r := openRepo(t, newRepo(t))
	if err := addNote(r, notesRef+"/b", fakeID(r, "x"), "line"); err != nil {
		t.Fatal(err)
	}
	if !mergeNotes(t, r, notesRef+"/a", notesRef+"/b") {
		t.Fatal("nothing was taken")
	}
	if got := noteOf(t, r, notesRef+"/a", fakeID(r, "x")); got != "line\n" {
		t.Errorf("note = %q", got)
	}
}
