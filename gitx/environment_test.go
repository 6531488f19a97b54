package gitx

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func init() {
	roles["where"] = func() error {
		r, err := Open(context.Background(), ".")
		if err != nil {
			return err
		}
		defer r.Close()
		head, err := r.Resolve(context.Background(), "HEAD")
		fmt.Println(r.Top, head)
		return err
	}
}

// asGitCommand runs this program as a hook or subcommand of git would be:
// found on PATH and started by git itself with these arguments before it.
func asGitCommand(t *testing.T, dir string, args ...string) string {
	t.Helper()
	bin := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(bin, "git-where")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", append(args, "where")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), gitxRole+"=where")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestOpenWhereGitWouldWork(t *testing.T) {
	dir, other := newRepo(t), realTempDir(t)
	want := dir + " " + git(t, dir, "rev-parse", "HEAD")
	for name, got := range map[string]string{
		"sub-directory":    asGitCommand(t, filepath.Join(dir, "dir", "sub")),
		"-C":               asGitCommand(t, other, "-C", dir),
		"-C sub-directory": asGitCommand(t, other, "-C", filepath.Join(dir, "dir")),
		"--git-dir":        asGitCommand(t, other, "--git-dir="+filepath.Join(dir, ".git"), "--work-tree="+dir),
		"relative":         asGitCommand(t, filepath.Join(dir, "dir"), "--git-dir=../.git", "--work-tree=.."),
	} {
		if got != want {
			t.Errorf("%s: opened %q, want %q", name, got, want)
		}
	}
}

func TestOpenHonoursGitDir(t *testing.T) {
	ctx := context.Background()
	dir, other := newRepo(t), newRepo(t)
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "only here")
	t.Setenv("GIT_DIR", filepath.Join(dir, ".git"))
	t.Setenv("GIT_WORK_TREE", dir)
	c, err := openRepo(t, filepath.Join(dir, "dir")).Commit(ctx, "HEAD")
	if err != nil || c.Subject != "only here" {
		t.Errorf("Open with GIT_DIR: HEAD is %q, %v", c.Subject, err)
	}
	foreign, err := OpenForeign(ctx, other)
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	if c, err := foreign.Commit(ctx, "HEAD"); err != nil || c.Subject != "second" || foreign.Top != other {
		t.Errorf("OpenForeign with GIT_DIR: %q in %s, %v", c.Subject, foreign.Top, err)
	}
}

// Hooks of a plain commit get GIT_INDEX_FILE=.git/index, relative to the top.
func TestOpenHonoursRelativeIndexFile(t *testing.T) {
	ctx := context.Background()
	dir := newRepo(t)
	writeFile(t, dir, "staged", "x\n")
	t.Setenv("GIT_INDEX_FILE", ".git/other-index")
	git(t, dir, "read-tree", "HEAD~1")
	r := openRepo(t, dir)
	if want := filepath.Join(dir, ".git", "other-index"); r.IndexFile != want {
		t.Errorf("IndexFile = %s, want %s", r.IndexFile, want)
	}
	out, err := r.here.run(ctx, nil, "write-tree")
	if tree := strings.TrimSpace(string(out)); err != nil || tree != git(t, dir, "rev-parse", "HEAD~1^{tree}") {
		t.Errorf("children use the index of %s, %v", tree, err)
	}
}

// What a hook inherits must not decide who signs our commits.
func TestAuthorOfTheUserIsNotTaken(t *testing.T) {
	dir := newRepo(t)
	r := openRepo(t, dir)
	o := r.NewObjects()
	id := o.Commit(CommitSpec{Tree: o.Tree(nil), Message: "m"})
	if err := r.Write(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if who := git(t, dir, "show", "-s", "--format=%an|%cn|%ct", string(id)); who != "git-longtask|git-longtask|0" {
		t.Errorf("written by %q", who)
	}
}

func TestOpenOutsideOfRepositories(t *testing.T) {
	if _, err := Open(context.Background(), realTempDir(t)); !errors.Is(err, ErrNotRepository) {
		t.Errorf("Open: %v, want ErrNotRepository", err)
	}
}

func TestBareRepository(t *testing.T) {
	ctx := context.Background()
	origin := newRepo(t)
	bare := filepath.Join(realTempDir(t), "bare.git")
	git(t, origin, "clone", "-q", "--bare", origin, bare)
	r := openRepo(t, bare)
	if !r.Bare || r.Top != "" {
		t.Errorf("Bare = %v, Top = %q", r.Bare, r.Top)
	}
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if err := addNote(r, notesRef, head, "line"); err != nil {
		t.Error(err)
	}
	if got := noteOf(t, r, notesRef, head); got != "line\n" {
		t.Errorf("note = %q", got)
	}
}
