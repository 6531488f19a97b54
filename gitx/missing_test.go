package gitx

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMissingBlobs(t *testing.T) {
	origin := newRepo(t)
	dir := cloneOf(t, origin, "--filter=blob:none", "--no-checkout")
	r := openRepo(t, dir)
	ctx := context.Background()
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	c, err := OpenCheckout(ctx, r, filepath.Join(realTempDir(t), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Fill(ctx, head); !errors.Is(err, ErrMissing) {
		t.Errorf("Fill without blobs: %v, want ErrMissing", err)
	}
	if err := r.FetchMissing(ctx, head); err != nil {
		t.Fatal(err)
	}
	if err := c.Fill(ctx, head); err != nil {
		t.Error(err)
	}
	if got := git(t, dir, "config", "--get-regexp", `^remote\..*filter$`); got != "remote.origin.partialclonefilter blob:none" {
		t.Errorf("the fetch configured %s", got)
	}
	whole := openRepo(t, newRepo(t))
	blob := git(t, whole.Top, "rev-parse", "HEAD:a.txt")
	if err := os.Remove(filepath.Join(whole.Objects, blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	if err := whole.FetchMissing(ctx, OID(git(t, whole.Top, "rev-parse", "HEAD"))); !errors.Is(err, ErrNotFound) {
		t.Errorf("FetchMissing of a lost blob: %v, want ErrNotFound", err)
	}
}

// Of a clone without trees the trees come first, one fetch after the other.
func TestMissingTrees(t *testing.T) {
	dir := cloneOf(t, newRepo(t), "--filter=tree:0", "--no-checkout")
	r := openRepo(t, dir)
	head := OID(git(t, dir, "rev-parse", "HEAD"))
	c, err := OpenCheckout(context.Background(), r, filepath.Join(realTempDir(t), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Fill(context.Background(), head); !errors.Is(err, ErrMissing) {
		t.Errorf("Fill without trees: %v, want ErrMissing", err)
	}
	if err := r.FetchMissing(context.Background(), head); err != nil {
		t.Fatal(err)
	}
	if err := c.Fill(context.Background(), head); err != nil {
		t.Error(err)
	}
}

// A damaged object must not be taken for a missing one.
func TestDamagedBlob(t *testing.T) {
	dir := newRepo(t)
	r := openRepo(t, dir)
	blob := git(t, dir, "rev-parse", "HEAD:a.txt")
	loose := filepath.Join(r.Objects, blob[:2], blob[2:])
	if err := errors.Join(os.Chmod(loose, 0o644), os.WriteFile(loose, []byte("damaged"), 0o644)); err != nil {
		t.Fatal(err)
	}
	c, err := OpenCheckout(context.Background(), r, filepath.Join(realTempDir(t), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = c.Fill(context.Background(), OID(git(t, dir, "rev-parse", "HEAD")))
	if err == nil || !strings.Contains(err.Error(), blob) || !strings.Contains(err.Error(), "a.txt") {
		t.Errorf("Fill with a damaged blob: %v", err)
	}
}
