package gitx

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

const notesRef = "refs/notes/longtask/test"

func init() {
	roles["note"] = func() error {
		r, err := Open(context.Background(), os.Getenv("GITX_TEST_DIR"))
		if err != nil {
			return err
		}
		defer r.Close()
		tag := os.Getenv("GITX_TEST_TAG")
		for _, id := range []string{"shared", tag} {
			if err := addNote(r, notesRef, fakeID(r, id), tag); err != nil {
				return err
			}
		}
		return nil
	}
}

// fakeID is an id that looks like any other; notes do not need their object.
func fakeID(r *Repo, seed string) OID { return r.NewObjects().Blob([]byte(seed)) }

// addNote is what callers do: lock, build, write, move.
func addNote(r *Repo, ref string, commit OID, line string) error {
	ctx := context.Background()
	unlock, err := r.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	o := r.NewObjects()
	u, err := r.AddNote(ctx, o, ref, commit, []byte(line))
	if err != nil {
		return err
	}
	if err := r.Write(ctx, o); err != nil {
		return err
	}
	return r.Update(ctx, []RefUpdate{u})
}

// setNotesTree points the notes ref at a tree with these paths; the content of
// each note is its path.
func setNotesTree(t *testing.T, r *Repo, ref string, paths ...string) {
	t.Helper()
	ctx := context.Background()
	o := r.NewObjects()
	files := make(map[string]TreeEntry)
	for _, p := range paths {
		files[p] = TreeEntry{Mode: ModeFile, OID: o.Blob([]byte(p + "\n"))}
	}
	commit := o.Commit(CommitSpec{Tree: o.Nested(files), Message: "made by hand\n"})
	if err := r.Write(ctx, o); err != nil {
		t.Fatal(err)
	}
	git(t, r.Top, "update-ref", ref, string(commit))
}

func noteOf(t *testing.T, r *Repo, ref string, commit OID) string {
	t.Helper()
	text, err := r.Notes(context.Background(), ref, commit)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sameAsGit compares which objects are annotated with what git sees.
func sameAsGit(t *testing.T, r *Repo, ref string) []OID {
	t.Helper()
	list, err := r.ListNotes(context.Background(), ref)
	if err != nil {
		t.Fatal(err)
	}
	var want []OID
	for line := range strings.Lines(git(t, r.Top, "notes", "--ref="+ref, "list")) {
		want = append(want, OID(strings.Fields(line)[1]))
	}
	slices.Sort(want)
	if !slices.Equal(list, slices.Compact(want)) {
		t.Errorf("ListNotes = %v, git lists %v", list, want)
	}
	return list
}

func TestNotesInEveryShape(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		r := openRepo(t, newRepo(t, "--object-format="+format))
		id, other := fakeID(r, "id"), fakeID(r, "other")
		s := string(id)
		for shape, path := range map[string]string{
			"flat": s, "2": s[:2] + "/" + s[2:], "2/2": s[:2] + "/" + s[2:4] + "/" + s[4:],
			"2/2/2": s[:2] + "/" + s[2:4] + "/" + s[4:6] + "/" + s[6:],
		} {
			t.Run(format+" "+shape, func(t *testing.T) {
				setNotesTree(t, r, notesRef, path, "README", "zz/file")
				if got := noteOf(t, r, notesRef, id); got != path+"\n" {
					t.Errorf("Notes = %q", got)
				}
				for _, line := range []string{"0 new", "0 new"} {
					if err := addNote(r, notesRef, id, line); err != nil {
						t.Fatal(err)
					}
				}
				if err := addNote(r, notesRef, other, "x"); err != nil {
					t.Fatal(err)
				}
				if got, want := noteOf(t, r, notesRef, id), string(union([]byte("0 new"), []byte(path))); got != want {
					t.Errorf("after adding: %q, want %q", got, want)
				}
				if list := sameAsGit(t, r, notesRef); len(list) != 2 {
					t.Errorf("%d notes, want 2", len(list))
				}
				files := git(t, r.Top, "ls-tree", "-r", "--name-only", notesRef)
				if !strings.Contains(files, path) || !strings.Contains(files, "README") || !strings.Contains(files, "zz/file") {
					t.Errorf("the shape was not kept:\n%s", files)
				}
			})
		}
	}
}

// A tree that holds one note in two shapes reads as both, and is made one.
func TestNoteInTwoShapes(t *testing.T) {
	r := openRepo(t, newRepo(t))
	id := fakeID(r, "id")
	flat, deep := string(id), string(id[:2]+"/"+id[2:])
	setNotesTree(t, r, notesRef, flat, deep)
	want := string(union([]byte(flat), []byte(deep)))
	if got := noteOf(t, r, notesRef, id); got != want {
		t.Errorf("Notes = %q, want %q", got, want)
	}
	if err := addNote(r, notesRef, id, "zzz"); err != nil {
		t.Fatal(err)
	}
	if got := noteOf(t, r, notesRef, id); got != want+"zzz\n" {
		t.Errorf("after adding: %q", got)
	}
	if files := git(t, r.Top, "ls-tree", "-r", "--name-only", notesRef); files != deep {
		t.Errorf("tree after adding:\n%s", files)
	}
}

func TestNotesFanOutWhenTheyGrow(t *testing.T) {
	ctx := context.Background()
	r := openRepo(t, newRepo(t))
	var paths []string
	for i := range maxFlat {
		paths = append(paths, string(fakeID(r, fmt.Sprint(i))))
	}
	setNotesTree(t, r, notesRef, append(paths, "README")...)
	last := fakeID(r, "last")
	if err := addNote(r, notesRef, last, "last"); err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(git(t, r.Top, "ls-tree", "-r", "--name-only", notesRef)) {
		if path = strings.TrimSpace(path); path != "README" && strings.IndexByte(path, '/') != 2 {
			t.Fatalf("%s is not fanned out", path)
		}
	}
	if list := sameAsGit(t, r, notesRef); len(list) != maxFlat+1 {
		t.Errorf("%d notes, want %d", len(list), maxFlat+1)
	}
	for _, p := range []string{paths[0], paths[maxFlat-1]} {
		if got := noteOf(t, r, notesRef, OID(p)); got != p+"\n" {
			t.Errorf("note of %s = %q", p, got)
		}
	}
	o := r.NewObjects()
	if _, err := r.AddNote(ctx, o, notesRef, fakeID(r, "more"), []byte("x")); err != nil || len(o.list) > 4 {
		t.Errorf("one more note made %d objects, want blob, two trees and a commit (%v)", len(o.list), err)
	}
}

// git itself spreads notes when it writes many; fast-import makes them.
func TestNotesWrittenByGit(t *testing.T) {
	const n = 300
	r := openRepo(t, newRepo(t))
	const who = "committer A <a@example.invalid> 1700000000 +0000\n"
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, "commit refs/heads/many\nmark :%d\n%sdata 3\n%03d\n", i+1, who, i)
	}
	fmt.Fprintf(&in, "commit %s\n%sdata 0\n", notesRef, who)
	for i := range n {
		fmt.Fprintf(&in, "N inline :%d\ndata 4\n%03d\n\n", i+1, i)
	}
	gitInput(t, r.Top, in.String(), "fast-import", "--quiet")
	tip := OID(git(t, r.Top, "rev-parse", "many"))
	if err := addNote(r, notesRef, tip, "ours"); err != nil {
		t.Fatal(err)
	}
	if list := sameAsGit(t, r, notesRef); len(list) != n {
		t.Errorf("%d notes, want %d", len(list), n)
	}
	if got := noteOf(t, r, notesRef, tip); got != "299\nours\n" {
		t.Errorf("note = %q", got)
	}
}

func TestNotesOfNothing(t *testing.T) {
	ctx := context.Background()
	r := openRepo(t, newRepo(t))
	if _, err := r.Notes(ctx, notesRef, fakeID(r, "x")); !errors.Is(err, ErrNotFound) {
		t.Errorf("Notes without a ref: %v", err)
	}
	if list, err := r.ListNotes(ctx, notesRef); err != nil || len(list) != 0 {
		t.Errorf("ListNotes without a ref: %v, %v", list, err)
	}
	if _, err := r.AddNote(ctx, r.NewObjects(), notesRef, "abc", []byte("x")); err == nil {
		t.Error("AddNote took a short id")
	}
	if _, changed, err := r.MergeNotes(ctx, r.NewObjects(), notesRef, notesRef+"2"); changed || err != nil {
		t.Errorf("MergeNotes of nothing: %v, %v", changed, err)
	}
}

func TestConcurrentNotesLoseNothing(t *testing.T) {
	dir := newRepo(t)
	r := openRepo(t, dir)
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			tag := fmt.Sprintf("writer %02d", i)
			if err := startRole(t, "note", "GITX_TEST_DIR="+dir, "GITX_TEST_TAG="+tag).Run(); err != nil {
				t.Errorf("%s: %v", tag, err)
			}
		})
	}
	group.Wait()
	if list := sameAsGit(t, r, notesRef); len(list) != 17 {
		t.Errorf("%d notes, want 17", len(list))
	}
	if lines := strings.Count(noteOf(t, r, notesRef, fakeID(r, "shared")), "\n"); lines != 16 {
		t.Errorf("%d lines on the shared object, want 16", lines)
	}
}
