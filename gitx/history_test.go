package gitx

import (
	"context"
	"errors"
	"slices"
	"testing"
)

func TestHistory(t *testing.T) {
	ctx := context.Background()
	dir := newRepo(t)
	git(t, dir, "checkout", "-q", "-b", "side", "HEAD~1")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "side")
	git(t, dir, "checkout", "-q", "--orphan", "alone")
	git(t, dir, "commit", "-q", "-m", "alone")
	r := openRepo(t, dir)
	id := func(rev string) OID { return OID(git(t, dir, "rev-parse", rev)) }
	if got, err := r.MergeBase(ctx, id("main"), id("side")); err != nil || got != id("main~1") {
		t.Errorf("MergeBase = %q, %v", got, err)
	}
	if _, err := r.MergeBase(ctx, id("main"), id("alone")); !errors.Is(err, ErrNotFound) {
		t.Errorf("MergeBase of strangers: %v", err)
	}
	if _, err := r.MergeBase(ctx, id("main"), "--all"); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("MergeBase of an option: %v", err)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{{"main~1", "main", true}, {"main", "main", true}, {"main", "main~1", false}, {"main", "alone", false}} {
		if got, err := r.IsAncestor(ctx, id(c.a), id(c.b)); err != nil || got != c.want {
			t.Errorf("IsAncestor(%s, %s) = %v, %v", c.a, c.b, got, err)
		}
	}
	if _, err := r.IsAncestor(ctx, fakeID(r, "none"), id("main")); err == nil {
		t.Error("IsAncestor of an unknown commit is decided")
	}
	if got, err := r.RevList(ctx, "main", "^side"); err != nil || !slices.Equal(got, []OID{id("main")}) {
		t.Errorf("RevList = %v, %v", got, err)
	}
	if _, err := r.RevList(ctx, "--parents", "main"); err == nil {
		t.Error("RevList took lines that are not one id")
	}
}
