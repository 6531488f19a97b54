package gitx

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// layout is one shape a repository can have. make returns a directory in its
// work tree, whose HEAD is the second commit of fillRepo.
type layout struct {
	name string
	make func(t *testing.T) string
}

var layouts = []layout{
	{"plain", func(t *testing.T) string { return newRepo(t) }},
	{"linked worktree", linkedWorktree},
	{"sparse", sparseRepo},
	{"split index", splitIndexRepo},
	{"sha256", func(t *testing.T) string { return newRepo(t, "--object-format=sha256") }},
	{"partial clone", func(t *testing.T) string { return cloneOf(t, newRepo(t), "--filter=blob:none") }},
	{"shallow", func(t *testing.T) string { return cloneOf(t, newRepo(t), "--depth=1") }},
	{"submodule", submodule},
}

// newRepo makes a repository on branch main with the commits of fillRepo.
func newRepo(t *testing.T, initArgs ...string) string {
	t.Helper()
	dir := realTempDir(t)
	git(t, dir, append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	fillRepo(t, dir)
	return dir
}

// fillRepo commits a.txt, dir/b.txt and dir/sub/c.txt, then another a.txt.
func fillRepo(t *testing.T, dir string) {
	t.Helper()
	writeFile(t, dir, "a.txt", "alpha 1\n")
	writeFile(t, dir, "dir/b.txt", "beta\n")
	writeFile(t, dir, "dir/sub/c.txt", "gamma\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "first")
	writeFile(t, dir, "a.txt", "alpha 2\n")
	git(t, dir, "commit", "-qam", "second")
}

func linkedWorktree(t *testing.T) string {
	t.Helper()
	linked := filepath.Join(realTempDir(t), "linked")
	git(t, newRepo(t), "worktree", "add", "-q", "-b", "other", linked)
	return linked
}

func sparseRepo(t *testing.T) string {
	t.Helper()
	dir := newRepo(t)
	git(t, dir, "sparse-checkout", "set", "--cone", "dir/sub")
	return dir
}

func splitIndexRepo(t *testing.T) string {
	t.Helper()
	dir := newRepo(t)
	git(t, dir, "update-index", "--split-index")
	return dir
}

func submodule(t *testing.T) string {
	t.Helper()
	super := newRepo(t)
	git(t, super, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "file://"+newRepo(t), "mod")
	git(t, super, "commit", "-qm", "add mod")
	return filepath.Join(super, "mod")
}

// cloneOf clones over the file protocol, so that filters and depth count.
func cloneOf(t *testing.T, origin string, cloneArgs ...string) string {
	t.Helper()
	git(t, origin, "config", "uploadpack.allowFilter", "true")
	git(t, origin, "config", "uploadpack.allowAnySHA1InWant", "true")
	dir := filepath.Join(realTempDir(t), "clone")
	git(t, origin, append(append([]string{"clone", "-q"}, cloneArgs...), "file://"+origin, dir)...)
	return dir
}

// realTempDir is a temporary directory by the name git prints for it, which on
// macOS differs from t.TempDir by a symlink.
func realTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// git runs git as a user would and returns its output without the line break
// at the end.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return gitInput(t, dir, "", args...)
}

func gitInput(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	var diag strings.Builder
	cmd.Stderr = &diag
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, diag.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// writeFile writes a file at a slash-separated path below dir.
func writeFile(t testing.TB, dir, path, content string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// openRepo opens dir and closes it at the end of the test.
func openRepo(t testing.TB, dir string) *Repo {
	t.Helper()
	r, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}
