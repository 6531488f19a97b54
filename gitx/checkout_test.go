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

// hostile are things a check may do to the tree, with what Verify must say.
var hostile = []struct {
	name string
	do   func(at func(string) string) error
	want []string
}{
	{"same size and time", func(at func(string) string) error {
		info, err := os.Stat(at("a.txt"))
		return errors.Join(err, os.WriteFile(at("a.txt"), []byte("alpha X\n"), 0), os.Chtimes(at("a.txt"), info.ModTime(), info.ModTime()))
	}, []string{"a.txt"}},
	{"new files", func(at func(string) string) error {
		return errors.Join(os.MkdirAll(at("new/deep"), 0o755), os.WriteFile(at("new/deep/x"), nil, 0o644), os.WriteFile(at(" odd\nname\xff"), nil, 0o644), os.Mkdir(at("empty"), 0o755))
	}, []string{" odd\nname\xff", "new/deep/x"}},
	{"removed", func(at func(string) string) error {
		return errors.Join(os.RemoveAll(at("dir")), os.Remove(at("a.txt")))
	}, []string{"a.txt", "dir/b.txt", "dir/sub/c.txt"}},
	{"modes", func(at func(string) string) error {
		return errors.Join(os.Chmod(at("a.txt"), 0o444), os.Chmod(at("dir/b.txt"), 0o755))
	}, []string{"a.txt", "dir/b.txt"}},
	{"setuid", func(at func(string) string) error { return os.Chmod(at("a.txt"), 0o644|os.ModeSetuid) }, []string{"a.txt"}},
	{"rights taken away", func(at func(string) string) error {
		return errors.Join(os.Chmod(at("dir/sub/c.txt"), 0), os.Chmod(at("dir/sub"), 0), os.Chmod(at("dir"), 0o500), os.Chmod(at("."), 0o500))
	}, []string{"dir", "dir/sub"}},
	{"rights taken away from a new directory", func(at func(string) string) error {
		return errors.Join(os.MkdirAll(at("new/deep"), 0o755), os.WriteFile(at("new/deep/x"), nil, 0), os.Chmod(at("new/deep"), 0), os.Chmod(at("new"), 0o100))
	}, nil},
	{"repository planted", func(at func(string) string) error {
		return errors.Join(os.MkdirAll(at("dir/.git/objects"), 0o755), os.WriteFile(at("dir/.git/HEAD"), []byte("ref: refs/heads/x\n"), 0o644), os.WriteFile(at(".git"), []byte("gitdir: /x\n"), 0o644))
	}, []string{".git", "dir/.git/HEAD"}},
	{"directory moved away behind a symlink", func(at func(string) string) error {
		return errors.Join(os.Rename(at("dir"), at("moved")), os.Symlink("moved", at("dir")))
	}, []string{"dir", "dir/b.txt", "dir/sub/c.txt", "moved/b.txt", "moved/sub/c.txt"}},
	{"file for a directory", func(at func(string) string) error {
		return errors.Join(os.RemoveAll(at("dir/sub")), os.WriteFile(at("dir/sub"), nil, 0o644), os.Remove(at("a.txt")), os.Mkdir(at("a.txt"), 0o755), os.WriteFile(at("a.txt/x"), nil, 0o644))
	}, []string{"a.txt", "dir/sub", "dir/sub/c.txt"}},
	{"symlink to the same content", func(at func(string) string) error {
		return errors.Join(os.Rename(at("a.txt"), at("b")), os.Symlink("b", at("a.txt")))
	}, []string{"a.txt", "b"}},
	{"long names", func(at func(string) string) error {
		long := strings.Repeat("n", 250)
		root, err := os.OpenRoot(at("."))
		for range 25 { // longer than any path the system takes at once
			var next *os.Root
			err = errors.Join(err, root.Mkdir(long, 0o755))
			if err != nil {
				return err
			}
			next, err = root.OpenRoot(long)
			root.Close()
			root = next
		}
		return errors.Join(err, root.WriteFile("x", nil, 0o644), root.Close())
	}, []string{strings.Repeat(strings.Repeat("n", 250)+"/", 25) + "x"}},
	{"all of it replaced", func(at func(string) string) error {
		return errors.Join(os.RemoveAll(at(".")), os.Symlink("/", strings.TrimSuffix(at("x"), "/x")))
	}, nil},
}

func TestRestoreAfterHostileChanges(t *testing.T) {
	r := openRepo(t, newRepo(t))
	c := checkoutOf(t, r, filepath.Join(realTempDir(t), "cache"))
	ctx := context.Background()
	want := treeOfDir(t, r, c.Dir())
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			if err := h.do(func(path string) string { return filepath.Join(c.Dir(), path) }); err != nil {
				t.Fatal(err)
			}
			if h.want != nil {
				if changed, err := c.Verify(ctx); err != nil || !includes(changed, h.want) {
					t.Errorf("Verify = %q, %v, want %q", changed, err, h.want)
				}
			}
			if err := c.Restore(ctx); err != nil {
				t.Fatal(err)
			}
			if changed, err := c.Verify(ctx); err != nil || len(changed) > 0 {
				t.Errorf("Verify after Restore = %q, %v", changed, err)
			}
			if got := treeOfDir(t, r, c.Dir()); got != want {
				t.Errorf("another tree was restored")
			}
			if names, err := os.ReadDir(c.Dir()); err != nil || len(names) != 2 {
				t.Errorf("names after Restore: %v, %v", names, err)
			}
		})
	}
}

// includes is equality, except that a directory without rights hides what is
// below from everybody but root.
func includes(changed, want []string) bool {
	for _, path := range want {
		if !slices.Contains(changed, path) {
			return false
		}
	}
	return len(changed) == len(want) || slices.Contains(want, "dir/sub")
}

// A file linked to elsewhere looks right and changes later.
func TestRestoreBreaksLinks(t *testing.T) {
	c := checkoutOf(t, openRepo(t, newRepo(t)), filepath.Join(realTempDir(t), "cache"))
	elsewhere := filepath.Join(realTempDir(t), "elsewhere")
	if err := os.Link(filepath.Join(c.Dir(), "a.txt"), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := c.Restore(context.Background()); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Dir(elsewhere), "elsewhere", "changed")
	if got := readFile(t, filepath.Join(c.Dir(), "a.txt")); got != "alpha 2\n" {
		t.Errorf("a.txt = %q", got)
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
		if _, err := wantedTree([]TreeEntry{{ModeFile, path, id}}); err == nil {
			t.Errorf("%q was accepted", path)
		}
	}
	for _, twice := range [][]TreeEntry{{{ModeSymlink, "a", id}, {ModeFile, "a/b", id}}, {{ModeFile, "a/b", id}, {ModeSymlink, "a", id}}, {{ModeSubmodule, "a", id}, {ModeFile, "a", id}}} {
		if _, err := wantedTree(twice); err == nil {
			t.Errorf("%v was accepted", twice)
		}
	}
	for _, path := range append(slices.Clone(oddNames), ".github", ".gitignore", "git~2", "a.git", "...", "con") {
		if _, err := wantedTree([]TreeEntry{{ModeFile, path, id}}); err != nil {
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
	copied := filepath.Join(realTempDir(t), "copy")
	writeFile(t, c.Dir(), "made/by a check", "kept")
	if err := c.CopyTo(context.Background(), copied); err != nil {
		t.Fatal(err)
	}
	if got := treeOfDir(t, r, copied); got != treeOfDir(t, r, c.Dir()) {
		t.Error("the copy is another tree")
	}
	writeFile(t, copied, "a.txt", "mutated")
	if changed, err := c.Verify(context.Background()); err != nil || !slices.Equal(changed, []string{"made/by a check"}) {
		t.Errorf("a change of the copy reached the checkout: %q, %v", changed, err)
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
