package gitx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// checkoutOf opens a checkout filled with HEAD, and closes it at the end.
func checkoutOf(t *testing.T, r *Repo, cache string) *Checkout {
	t.Helper()
	ctx := context.Background()
	c, err := OpenCheckout(ctx, r, cache)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Fill(ctx, head); err != nil {
		t.Fatal(err)
	}
	return c
}

// stored commits files byte for byte, whatever the attributes say.
func stored(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for path, content := range files {
		blob := gitInput(t, dir, content, "hash-object", "-w", "--stdin", "--no-filters")
		git(t, dir, "update-index", "--add", "--cacheinfo", "100644,"+blob+","+path)
	}
	git(t, dir, "commit", "-qm", "stored")
}

var converted = map[string]string{
	".gitattributes": "*.crlf text eol=crlf\n*.id ident\n*.up filter=up\n*.u16 working-tree-encoding=UTF-16\n[attr]m text eol=crlf\n*.m m\n",
	"a.crlf":         "one\ntwo\n", "a.id": "$Id$\n", "a.up": "word", "a.u16": "wide\n", "a.m": "x\n", "both": "one\r\ntwo\n", "sub/.gitattributes": "* text eol=crlf\n", "sub/x": "x\n",
}

func TestCheckoutIsRaw(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		dir := newRepo(t, "--object-format="+format)
		git(t, dir, "config", "core.autocrlf", "true")
		git(t, dir, "config", "filter.up.smudge", "false")
		git(t, dir, "config", "filter.up.required", "true")
		git(t, dir, "config", "core.symlinks", "false")
		writeFile(t, dir, ".git/info/attributes", "* text eol=crlf\n")
		stored(t, dir, converted)
		link := gitInput(t, dir, "/etc/passwd", "hash-object", "-w", "--stdin")
		git(t, dir, "update-index", "--add", "--cacheinfo", "120000,"+link+",link", "--cacheinfo", "100755,"+git(t, dir, "rev-parse", ":both")+",both")
		git(t, dir, "commit", "-qm", "link")

		c := checkoutOf(t, openRepo(t, dir), filepath.Join(realTempDir(t), "cache"))
		for path, want := range converted {
			if got := readFile(t, filepath.Join(c.Dir(), path)); got != want {
				t.Errorf("%s: %s = %q, want %q", format, path, got, want)
			}
		}
		if target, err := os.Readlink(filepath.Join(c.Dir(), "link")); err != nil || target != "/etc/passwd" {
			t.Errorf("link = %q, %v", target, err)
		}
		for path, want := range map[string]os.FileMode{"both": 0o755, "a.id": 0o644, ".": 0o700 | os.ModeDir, "sub": 0o755 | os.ModeDir} {
			if info, err := os.Stat(filepath.Join(c.Dir(), path)); err != nil || info.Mode() != want {
				t.Errorf("mode of %s = %v, %v", path, info.Mode(), err)
			}
		}
		if changed, err := c.Verify(context.Background()); err != nil || len(changed) > 0 {
			t.Errorf("Verify = %q, %v", changed, err)
		}
	}
}

func TestSecondCheckoutIsCold(t *testing.T) {
	r := openRepo(t, newRepo(t))
	cache := filepath.Join(realTempDir(t), "cache")
	ctx := context.Background()
	first := checkoutOf(t, r, cache)
	second := checkoutOf(t, r, cache)
	if first.Dir() == second.Dir() {
		t.Fatal("two checkouts share a directory")
	}
	first.Close()
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(second.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the second directory stayed: %v", err)
	}
	again, err := OpenCheckout(ctx, r, cache)
	if err != nil || again.Dir() != first.Dir() {
		t.Fatalf("the kept directory is not used again: %v", err)
	}
	if got := readFile(t, filepath.Join(again.Dir(), "a.txt")); got != "alpha 2\n" {
		t.Errorf("the kept directory lost its files")
	}
	again.Close()
}

// What a crash leaves is removed by the next OpenCheckout, what is in use and
// what other work trees keep is not.
func TestStaleCheckoutsAreRemoved(t *testing.T) {
	r := openRepo(t, newRepo(t))
	cache := filepath.Join(realTempDir(t), "cache")
	checkoutOf(t, r, cache)
	inUse := checkoutOf(t, r, cache)
	trees := filepath.Dir(inUse.Dir())
	for _, name := range []string{"0123-crashed", "0123-locked only", "4567", "89ab"} {
		writeFile(t, trees, name+".lock", "")
		writeFile(t, trees, name+"/deep/x", "")
	}
	os.RemoveAll(filepath.Join(trees, "0123-locked only"))
	os.Chmod(filepath.Join(trees, "0123-crashed/deep"), 0)
	old := time.Now().Add(-2 * unusedFor)
	os.Chtimes(filepath.Join(trees, "4567.lock"), old, old)
	c, err := OpenCheckout(context.Background(), r, cache)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for name, want := range map[string]bool{"0123-crashed": false, "0123-crashed.lock": false, "0123-locked only.lock": false, "4567": false, "89ab": true, filepath.Base(inUse.Dir()): true} {
		if _, err := os.Lstat(filepath.Join(trees, name)); (err == nil) != want {
			t.Errorf("%s: %v, there = %v was expected", name, err, want)
		}
	}
}

func TestCacheInsideTheRepositoryIsRefused(t *testing.T) {
	dir := newRepo(t)
	r := openRepo(t, dir)
	link := filepath.Join(realTempDir(t), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, cache := range []string{dir, filepath.Join(dir, "cache"), filepath.Join(dir, ".git", "cache"), filepath.Join(link, "cache")} {
		if _, err := OpenCheckout(context.Background(), r, cache); err == nil || !strings.Contains(err.Error(), "XDG_CACHE_HOME") {
			t.Errorf("a cache at %s: %v", cache, err)
		}
	}
	if got := git(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("the refusal left %s", got)
	}
}

// Git's own writers refuse these names; a tree made by hand may hold them.
func TestUnsafeTreesAreRefused(t *testing.T) {
	id := OID(strings.Repeat("1", 40))
	for _, path := range []string{".git", "a/.GIT/config", "../x", "a/./b", "a//b", ".git./x", ".git /x", "git~1", ".g\u200cit", ".git::$INDEX_ALLOCATION/x", "a\x00b"} {
		if _, _, err := wantedTree([]TreeEntry{{ModeFile, path, id}}); err == nil {
			t.Errorf("%q was accepted", path)
		}
	}
	for _, twice := range [][]TreeEntry{{{ModeSymlink, "a", id}, {ModeFile, "a/b", id}}, {{ModeFile, "a/b", id}, {ModeSymlink, "a", id}}, {{ModeSubmodule, "a", id}, {ModeFile, "a", id}}} {
		if _, _, err := wantedTree(twice); err == nil {
			t.Errorf("%v was accepted", twice)
		}
	}
	for _, path := range append(slices.Clone(oddNames), ".github", ".gitignore", "git~2", "a.git", "...", "con") {
		if _, _, err := wantedTree([]TreeEntry{{ModeFile, path, id}}); err != nil {
			t.Errorf("%q was refused: %v", path, err)
		}
	}
}

func TestCheckoutOfOddNames(t *testing.T) {
	dir := newRepo(t)
	for i, name := range oddNames {
		writeFile(t, dir, name+"/"+name, fmt.Sprint(i))
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "odd")
	r := openRepo(t, dir)
	c := checkoutOf(t, r, filepath.Join(realTempDir(t), "cache"))
	if got := treeOfDir(t, r, c.Dir()); got != git(t, dir, "rev-parse", "HEAD^{tree}") {
		t.Error("another tree was written")
	}
	writeFile(t, c.Dir(), "made/by a check", "kept")
	twin, err := c.Twin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := treeOfDir(t, r, twin.Dir()); got != git(t, dir, "rev-parse", "HEAD^{tree}") {
		t.Error("the twin is another tree")
	}
	writeFile(t, twin.Dir(), "a.txt", "mutated")
	if changed, err := c.Verify(context.Background()); err != nil || !slices.Equal(changed, []string{"made/by a check"}) {
		t.Errorf("a change of the twin reached the checkout: %q, %v", changed, err)
	}
	if err := twin.Close(); err != nil {
		t.Error(err)
	}
}

// Submodules are empty directories; a commit between others is written by
// difference.
func TestCheckoutMovesBetweenCommits(t *testing.T) {
	super := filepath.Dir(submodule(t))
	r := openRepo(t, super)
	c := checkoutOf(t, r, filepath.Join(realTempDir(t), "cache"))
	ctx := context.Background()
	if names, err := os.ReadDir(filepath.Join(c.Dir(), "mod")); err != nil || len(names) > 0 {
		t.Errorf("the submodule holds %v, %v", names, err)
	}
	kept, err := os.Stat(filepath.Join(c.Dir(), "dir/b.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, rev := range []string{"HEAD~2", "HEAD", "HEAD~1"} {
		commit, err := r.Resolve(ctx, rev)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Fill(ctx, commit); err != nil {
			t.Fatal(err)
		}
		if rev != "HEAD" && treeOfDir(t, r, c.Dir()) != git(t, super, "rev-parse", rev+"^{tree}") {
			t.Errorf("%s was not written", rev)
		}
	}
	if now, err := os.Stat(filepath.Join(c.Dir(), "dir/b.txt")); err != nil || !os.SameFile(kept, now) {
		t.Errorf("a file that did not differ was written again: %v", err)
	}
}

// Nothing of the caller's repository variables, replace refs or missing blobs
// changes what is written.
func TestCheckoutIgnoresReplacements(t *testing.T) {
	dir := newRepo(t)
	evil := gitInput(t, dir, "evil", "hash-object", "-w", "--stdin")
	git(t, dir, "replace", git(t, dir, "rev-parse", "HEAD:a.txt"), evil)
	c := checkoutOf(t, openRepo(t, dir), filepath.Join(realTempDir(t), "cache"))
	if got := readFile(t, filepath.Join(c.Dir(), "a.txt")); got != "alpha 2\n" {
		t.Errorf("a.txt = %q", got)
	}
}

// Objects may lie in a chain of other repositories.
func TestCheckoutThroughAlternates(t *testing.T) {
	dir := newRepo(t)
	for _, name := range []string{"one", "two"} {
		next := filepath.Join(realTempDir(t), name)
		git(t, dir, "clone", "-q", "--shared", dir, next)
		dir = next
	}
	r := openRepo(t, dir)
	c := checkoutOf(t, r, filepath.Join(realTempDir(t), "cache"))
	if got := treeOfDir(t, r, c.Dir()); got != git(t, dir, "rev-parse", "HEAD^{tree}") {
		t.Error("another tree was written")
	}
}
