package gitx

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// Reading a lot, writing many objects and moving several refs costs one git
// child each: hooks pay for every one.
func TestChildrenAreFew(t *testing.T) {
	ctx := context.Background()
	dir, trace := newRepo(t), t.TempDir()
	t.Setenv("GIT_TRACE2_EVENT", trace)
	r := openRepo(t, dir)
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	o := r.NewObjects()
	updates := []RefUpdate{{Name: chainRef, New: head}}
	for i := range 20 {
		if _, err := r.Entry(ctx, head, "dir/sub/c.txt"); err != nil {
			t.Fatal(err)
		}
		u, err := r.AddNote(ctx, o, fmt.Sprint(notesRef, i), head, []byte("line"))
		if err != nil {
			t.Fatal(err)
		}
		updates = append(updates, u)
	}
	if err := r.Write(ctx, o); err != nil {
		t.Fatal(err)
	}
	if err := r.Update(ctx, updates); err != nil {
		t.Fatal(err)
	}
	children, err := os.ReadDir(trace)
	if err != nil || len(children) != 4 {
		t.Errorf("%d git children (%v), want 4: rev-parse, cat-file, unpack-objects, update-ref", len(children), err)
	}
}
