package gitx

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func openWorkFiles(t *testing.T, r *Repo) *WorkFiles {
	t.Helper()
	w, err := r.WorkFiles(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func paths(w *WorkFiles) []string {
	var list []string
	for _, e := range w.Entries() {
		list = append(list, e.Path)
	}
	return list
}

// convertingRepo holds files that git stores with other bytes than they have
// on disk, committed and then changed.
func convertingRepo(t *testing.T) string {
	t.Helper()
	dir := newRepo(t)
	git(t, dir, "config", "core.autocrlf", "true")
	git(t, dir, "config", "core.safecrlf", "true")
	git(t, dir, "config", "filter.up.clean", "tr a-z A-Z")
	git(t, dir, "config", "filter.up.smudge", "tr A-Z a-z")
	git(t, dir, "config", "filter.up.required", "true")
	writeFile(t, dir, ".gitattributes", "*.up filter=up\n*.id ident\n*.u16 text working-tree-encoding=UTF-16LE\n*.bin -text\n")
	git(t, dir, "-c", "core.autocrlf=false", "add", ".gitattributes")
	git(t, dir, "commit", "-qm", "attributes")
	for name, content := range map[string]string{
		"crlf.txt": "one\r\ntwo\r\n", "mixed.txt": "one\r\ntwo\n", "raw.bin": "one\r\n", "word.up": "word",
		"who.id": "$Id: 0123 $\n", "wide.u16": "w\x00\n\x00",
	} {
		writeFile(t, dir, name, content)
	}
	return dir
}

// What Read gives is what git add would store.
func TestReadConvertsAsGitAddDoes(t *testing.T) {
	dir := convertingRepo(t)
	ctx := context.Background()
	w := openWorkFiles(t, openRepo(t, dir))
	got := make(map[string]string)
	for _, path := range paths(w) {
		data, err := w.Read(ctx, path)
		if err != nil {
			t.Fatalf("Read(%s): %v", path, err)
		}
		got[path] = string(data)
	}
	git(t, dir, "-c", "core.safecrlf=false", "add", ".")
	for path, data := range got {
		if want := git(t, dir, "rev-parse", ":"+path); want != string(blobID("sha1", []byte(data))) {
			t.Errorf("Read(%s) = %q, git stores something else", path, data)
		}
	}
	again := openWorkFiles(t, openRepo(t, dir))
	if data, err := again.Read(ctx, "word.up"); err != nil || string(data) != "WORD" || again.clean.objects != "" {
		t.Errorf("Read of what is stored = %q, %v", data, err)
	}
	if got["word.up"] != "WORD" || got["crlf.txt"] != "one\ntwo\n" || got["wide.u16"] != "w\n" || got["who.id"] != "$Id$\n" {
		t.Errorf("%q", got)
	}
}

// With a filter whose output is stored nowhere yet, the object has to be
// written, and a failing filter must be told.
func TestReadLeavesTheRepositoryAlone(t *testing.T) {
	dir := convertingRepo(t)
	writeFile(t, dir, "bad.no", "x")
	git(t, dir, "config", "filter.no.clean", "false")
	git(t, dir, "config", "filter.no.required", "true")
	writeFile(t, dir, ".git/info/attributes", "*.no filter=no\n")
	git(t, dir, "status") // refreshes the index, which is the user's to do
	before := stateOf(t, filepath.Join(dir, ".git"))
	ctx := context.Background()
	w := openWorkFiles(t, openRepo(t, dir))
	for range 2 {
		if _, err := w.Read(ctx, "bad.no"); err == nil {
			t.Error("Read passed over a required filter that failed")
		}
		if data, err := w.Read(ctx, "word.up"); err != nil || string(data) != "WORD" {
			t.Errorf("Read after a failure = %q, %v", data, err)
		}
		if data, err := w.Read(ctx, "a.txt"); err != nil || string(data) != "alpha 2\n" {
			t.Errorf("Read = %q, %v", data, err)
		}
	}
	kept := w.clean.objects
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(kept); kept == "" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("temporary objects at %q stayed: %v", kept, err)
	}
	if after := stateOf(t, filepath.Join(dir, ".git")); after != before {
		t.Errorf("the repository changed:\n%s\n%s", before, after)
	}
}

// stateOf lists everything below a directory with kind, size and time.
func stateOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		b.WriteString(path + " " + info.Mode().String() + " " + info.ModTime().String() + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWorkFilesEntries(t *testing.T) {
	super := filepath.Dir(submodule(t))
	writeFile(t, super, ".gitignore", "*.log\n")
	writeFile(t, super, "x.log", "ignored")
	writeFile(t, super, "forced.log", "tracked though ignored")
	git(t, super, "add", "-f", ".gitignore", "forced.log")
	for _, name := range oddNames {
		writeFile(t, super, name, name)
	}
	writeFile(t, super, "run.sh", "")
	os.Chmod(filepath.Join(super, "run.sh"), 0o755)
	os.Remove(filepath.Join(super, "a.txt"))
	os.Symlink("target", filepath.Join(super, "link"))
	git(t, super, "init", "-q", "nested")
	writeFile(t, super, "nested/inside", "")
	outside := realTempDir(t)
	writeFile(t, outside, "sub/c.txt", "elsewhere")
	os.RemoveAll(filepath.Join(super, "dir/sub"))
	os.Symlink(filepath.Join(outside, "sub"), filepath.Join(super, "dir/sub"))
	os.Link(filepath.Join(super, "dir/b.txt"), filepath.Join(outside, "again"))

	w := openWorkFiles(t, openRepo(t, super))
	want := append([]string{".gitignore", ".gitmodules", "dir/b.txt", "dir/sub", "forced.log", "link", "mod", "run.sh"}, oddNames...)
	if slices.Sort(want); !slices.Equal(paths(w), want) {
		t.Errorf("entries %q\nwant    %q", paths(w), want)
	}
	seen := make(map[string]WorkFile)
	for _, e := range w.Entries() {
		seen[e.Path] = e
	}
	if e := seen["mod"]; e.Mode != ModeSubmodule || e.OID.IsZero() {
		t.Errorf("submodule: %+v", e)
	}
	if e := seen["link"]; e.Mode != ModeSymlink || e.Problem != "symlink" || e.OID != "" {
		t.Errorf("symlink: %+v", e)
	}
	if e := seen["run.sh"]; e.Mode != ModeExec || e.Problem != "" {
		t.Errorf("untracked program: %+v", e)
	}
	if e := seen["dir/b.txt"]; e.Mode != ModeFile || e.Problem != "hardlink" {
		t.Errorf("hard link: %+v", e)
	}
	problems(t, w)
	ctx := context.Background()
	for _, name := range oddNames {
		if data, err := w.Read(ctx, name); err != nil || string(data) != name {
			t.Errorf("Read(%q) = %q, %v", name, data, err)
		}
	}
	if data, err := w.Read(ctx, "link"); err != nil || string(data) != "target" {
		t.Errorf("Read(link) = %q, %v", data, err)
	}
	for _, path := range []string{"a.txt", "x.log", "dir/sub/c.txt", "nested/inside"} {
		if _, err := w.Read(ctx, path); !errors.Is(err, ErrNotFound) {
			t.Errorf("Read(%s) = %v, want ErrNotFound", path, err)
		}
	}
}

func problems(t *testing.T, w *WorkFiles) {
	t.Helper()
	for path, want := range map[string]string{
		"link": "symlink", "dir/sub": "symlink", "dir/sub/c.txt": "symlink", "dir/b.txt": "hardlink", "dir": "not_regular",
		"mod": "not_regular", "../x": "outside_repository", "/etc/passwd": "outside_repository", "dir/../../x": "outside_repository",
		".git/config": "outside_repository", "none": "", "dir/none/x": "", "forced.log": "", "forced.log/x": "",
	} {
		if got := w.Problem(path); got != want {
			t.Errorf("Problem(%s) = %q, want %q", path, got, want)
		}
	}
}

// A file that a sparse checkout left out is there all the same, unless it was
// put back by hand: then that counts.
func TestWorkFilesOfASparseCheckout(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "sparse-checkout", "set", "--no-cone", "/a.txt")
	r := openRepo(t, dir)
	w := openWorkFiles(t, r)
	if want := []string{"a.txt", "dir/b.txt", "dir/sub/c.txt"}; !slices.Equal(paths(w), want) {
		t.Errorf("entries %q", paths(w))
	}
	if data, err := w.Read(context.Background(), "dir/b.txt"); err != nil || string(data) != "beta\n" {
		t.Errorf("Read = %q, %v", data, err)
	}
	writeFile(t, dir, "dir/b.txt", "by hand\n")
	if data, err := openWorkFiles(t, r).Read(context.Background(), "dir/b.txt"); err != nil || string(data) != "by hand\n" {
		t.Errorf("Read = %q, %v", data, err)
	}
}

// Preflight may start four children in all.
func TestWorkFilesStartsTwoChildren(t *testing.T) {
	dir := newRepo(t)
	trace := filepath.Join(realTempDir(t), "trace")
	t.Setenv("GIT_TRACE2_EVENT", trace)
	w := openWorkFiles(t, openRepo(t, dir))
	for _, path := range paths(w) {
		if _, err := w.Read(context.Background(), path); err != nil {
			t.Error(err)
		}
	}
	w.Close()
	if n := strings.Count(readFile(t, trace), `"event":"start"`); n != 3 {
		t.Errorf("%d children with discovery, want 3", n)
	}
}

func TestNoWorkTree(t *testing.T) {
	bare := filepath.Join(realTempDir(t), "bare.git")
	git(t, os.TempDir(), "init", "-q", "--bare", bare)
	r := openRepo(t, bare)
	if _, err := r.WorkFiles(context.Background()); err == nil || !strings.Contains(err.Error(), "no work tree") {
		t.Errorf("WorkFiles: %v", err)
	}
	if _, _, err := r.Snapshot(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "no work tree") {
		t.Errorf("Snapshot: %v", err)
	}
}
