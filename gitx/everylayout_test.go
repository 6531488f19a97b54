package gitx

import (
	"context"
	"errors"
	"testing"
	"time"
)

// In every layout the whole of reading, writing and moving refs works.
func TestEveryLayout(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			dir := l.make(t)
			r := openRepo(t, dir)
			if top := git(t, dir, "rev-parse", "--show-toplevel"); r.Top != top {
				t.Errorf("Top = %q, git says %q", r.Top, top)
			}
			head := readsLikeGit(t, r, dir)
			writesWhatGitReads(t, r, dir, head)
			notesLikeGit(t, r, dir, head)
		})
	}
}

func readsLikeGit(t *testing.T, r *Repo, dir string) OID {
	t.Helper()
	ctx := context.Background()
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil || string(head) != git(t, dir, "rev-parse", "HEAD") {
		t.Fatalf("Resolve(HEAD) = %q, %v", head, err)
	}
	c, err := r.Commit(ctx, "HEAD")
	if err != nil || c.OID != head || c.Subject != "second" || string(c.Tree) != git(t, dir, "rev-parse", "HEAD^{tree}") {
		t.Errorf("Commit(HEAD) = %+v, %v", c, err)
	}
	e, err := r.Entry(ctx, head, "dir/sub/c.txt")
	if err != nil || e.Mode != ModeFile || string(e.OID) != git(t, dir, "rev-parse", "HEAD:dir/sub/c.txt") {
		t.Errorf("Entry = %+v, %v", e, err)
	}
	if _, err := r.Entry(ctx, head, "dir/none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Entry of an absent path: %v, want ErrNotFound", err)
	}
	obj, err := r.Read(ctx, string(e.OID))
	if err != nil || string(obj.Data) != "gamma\n" || obj.Type != "blob" {
		t.Errorf("Read = %q, %v", obj.Data, err)
	}
	list, err := r.ListTree(ctx, head)
	if err != nil || len(list) != 3 || list[2].Path != "dir/sub/c.txt" {
		t.Errorf("ListTree = %v, %v", list, err)
	}
	return head
}

func writesWhatGitReads(t *testing.T, r *Repo, dir string, head OID) {
	t.Helper()
	ctx := context.Background()
	o := r.NewObjects()
	blob := o.Blob([]byte("hello\n"))
	tree := o.Nested(map[string]TreeEntry{"x/y": {Mode: ModeFile, OID: blob}, "z": {Mode: ModeExec, OID: blob}})
	commit := o.Commit(CommitSpec{Tree: tree, Parents: []OID{head}, Message: "ours\n", When: time.Unix(1700000000, 0)})
	if err := r.Write(ctx, o); err != nil {
		t.Fatal(err)
	}
	if got := git(t, dir, "show", string(commit)+":x/y"); got != "hello" {
		t.Errorf("git reads %q from our commit", got)
	}
	const one, two = "refs/longtask/t/one", "refs/longtask/t/two"
	if err := r.Update(ctx, []RefUpdate{{Name: one, New: commit}, {Name: two, New: head}}); err != nil {
		t.Fatal(err)
	}
	err := r.Update(ctx, []RefUpdate{{Name: one, New: head, Old: commit}, {Name: two, New: commit, Old: commit}})
	if !errors.Is(err, ErrStale) {
		t.Errorf("a stale old value: %v, want ErrStale", err)
	}
	if got, err := r.Ref(ctx, one); err != nil || got != commit {
		t.Errorf("after a refused transaction %s = %q, %v", one, got, err)
	}
	refs, err := r.Refs(ctx, "refs/longtask/")
	if err != nil || len(refs) != 2 || refs[1] != (Ref{two, head}) {
		t.Errorf("Refs = %v, %v", refs, err)
	}
	if err := r.Update(ctx, []RefUpdate{{Name: one, Old: commit}}); err != nil {
		t.Errorf("delete: %v", err)
	}
	if got, err := r.Ref(ctx, one); !errors.Is(err, ErrNotFound) || !got.IsZero() {
		t.Errorf("a deleted ref: %q, %v", got, err)
	}
}

func notesLikeGit(t *testing.T, r *Repo, dir string, head OID) {
	t.Helper()
	ctx := context.Background()
	const ref = "refs/notes/longtask/t"
	for _, line := range []string{"b\n", "a", "b"} {
		o := r.NewObjects()
		u, err := r.AddNote(ctx, o, ref, head, []byte(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Write(ctx, o); err != nil {
			t.Fatal(err)
		}
		if err := r.Update(ctx, []RefUpdate{u}); err != nil {
			t.Fatal(err)
		}
	}
	if got := git(t, dir, "notes", "--ref="+ref, "show", "HEAD"); got != "a\nb" {
		t.Errorf("git notes show = %q", got)
	}
	if got, err := r.Notes(ctx, ref, head); err != nil || string(got) != "a\nb\n" {
		t.Errorf("Notes = %q, %v", got, err)
	}
	if n := git(t, dir, "rev-list", "--count", ref); n != "2" {
		t.Errorf("%s commits for two new lines, want 2", n)
	}
}
