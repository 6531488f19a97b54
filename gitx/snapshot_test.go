package gitx

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func everything(string) bool { return true }

// snapshotOf is the tree of a snapshot, one "mode path blob" a line, and sees
// the index untouched.
func snapshotOf(t *testing.T, dir string, untracked func(string) bool) string {
	t.Helper()
	r := openRepo(t, dir)
	before := stateOf(t, filepath.Dir(r.IndexFile)) // names and times of index files
	index := readFile(t, r.IndexFile)
	tree, _, err := r.Snapshot(context.Background(), untracked)
	if err != nil {
		t.Fatal(err)
	}
	if readFile(t, r.IndexFile) != index {
		t.Error("the index changed")
	}
	if left := newNames(before, stateOf(t, filepath.Dir(r.IndexFile))); len(left) > 0 {
		t.Errorf("left in the git directory: %q", left)
	}
	var lines []string
	list, err := r.ListTree(context.Background(), tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		content := "-"
		if obj, err := r.Read(context.Background(), string(e.OID)); err == nil && e.Mode != ModeSubmodule {
			content = strings.TrimSuffix(string(obj.Data), "\n")
		}
		lines = append(lines, e.Mode.String()+" "+e.Path+" "+content)
	}
	return strings.Join(lines, "|")
}

// newNames are the files only the second state has, objects left out.
func newNames(before, after string) []string {
	var names []string
	for line := range strings.Lines(after) {
		name, _, _ := strings.Cut(line, " ")
		if !strings.Contains(name, "/objects") && !strings.Contains(before, name+" ") {
			names = append(names, name)
		}
	}
	return names
}

func TestSnapshotSeesHiddenEdits(t *testing.T) {
	for _, hide := range [][]string{{"--assume-unchanged"}, {"--skip-worktree"}, {"--assume-unchanged", "--skip-worktree"}} {
		t.Run(strings.Join(hide, " "), func(t *testing.T) {
			dir := newRepo(t)
			for _, flag := range hide {
				git(t, dir, "update-index", flag, "a.txt", "dir/b.txt")
			}
			writeFile(t, dir, "a.txt", "hidden\n")
			if got := snapshotOf(t, dir, nil); got != "100644 a.txt hidden|100644 dir/b.txt beta|100644 dir/sub/c.txt gamma" {
				t.Error(got)
			}
		})
	}
}

func TestSnapshotOfASparseCheckout(t *testing.T) {
	for _, index := range []string{"--no-sparse-index", "--sparse-index"} {
		dir := newRepo(t)
		git(t, dir, "sparse-checkout", "set", "--cone", index, "other")
		if _, err := os.Stat(filepath.Join(dir, "dir")); err == nil {
			t.Fatal("dir is there")
		}
		if got := snapshotOf(t, dir, everything); got != "100644 a.txt alpha 2|100644 dir/b.txt beta|100644 dir/sub/c.txt gamma" {
			t.Errorf("%s: %s", index, got)
		}
		writeFile(t, dir, "dir/b.txt", "outside the cone\n")
		writeFile(t, dir, "dir/new.txt", "new\n")
		if got := snapshotOf(t, dir, everything); got != "100644 a.txt alpha 2|100644 dir/b.txt outside the cone|100644 dir/new.txt new|100644 dir/sub/c.txt gamma" {
			t.Errorf("%s: %s", index, got)
		}
	}
}

// Kinds, modes and places change; what is behind a symlinked directory is gone.
func TestSnapshotOfMovedThings(t *testing.T) {
	dir := newRepo(t)
	at := func(path string) string { return filepath.Join(dir, path) }
	os.Remove(at("a.txt"))
	writeFile(t, dir, "a.txt/now a directory", "x\n")
	os.Rename(at("dir/sub"), at("real"))
	os.Symlink("../real", at("dir/sub"))
	os.Chmod(at("dir/b.txt"), 0o755)
	writeFile(t, dir, "meant", "intent to add\n")
	writeFile(t, dir, "gone", "intent to add\n")
	git(t, dir, "add", "-N", "meant", "gone")
	os.Remove(at("gone"))
	os.Symlink("/nowhere", at("link"))
	want := "100644 a.txt/now a directory x|100755 dir/b.txt beta|120000 dir/sub ../real|120000 link /nowhere|100644 meant intent to add|100644 real/c.txt gamma"
	if got := snapshotOf(t, dir, everything); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := snapshotOf(t, dir, nil); got != "100755 dir/b.txt beta|100644 meant intent to add" {
		t.Errorf("without untracked files: %s", got)
	}
	git(t, dir, "config", "core.fileMode", "false")
	if got := snapshotOf(t, dir, nil); got != "100644 dir/b.txt beta|100644 meant intent to add" {
		t.Errorf("core.fileMode=false: %s", got)
	}
}

func TestSnapshotChoosesUntracked(t *testing.T) {
	dir := newRepo(t)
	for _, name := range oddNames {
		writeFile(t, dir, name, "x")
	}
	writeFile(t, dir, ".gitignore", "*.log\n")
	writeFile(t, dir, "x.log", "ignored")
	git(t, dir, "init", "-q", "nested")
	writeFile(t, dir, "nested/inside", "")
	r := openRepo(t, dir)
	tree, skipped, err := r.Snapshot(context.Background(), func(path string) bool { return path != "*" && path != "ü" })
	if want := []string{"*", "nested/", "ü"}; err != nil || !slices.Equal(skipped, want) {
		t.Errorf("skipped %q, %v, want %q", skipped, err, want)
	}
	if n := len(strings.Split(git(t, dir, "ls-tree", "-r", "--name-only", string(tree)), "\n")); n != 3+1+len(oddNames)-2 {
		t.Errorf("%d files in the tree", n)
	}
}

// A hook that git runs when it writes an index must not see ours, and a strict
// safecrlf, right for a commit, must not keep us from looking.
func TestSnapshotIsQuiet(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "update-index", "--split-index")
	git(t, dir, "config", "core.autocrlf", "input")
	git(t, dir, "config", "core.safecrlf", "true")
	if err := os.WriteFile(filepath.Join(dir, ".git/hooks/post-index-change"), []byte("#!/bin/sh\ntouch ran\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, "a.txt", "crlf\r\n")
	if got := snapshotOf(t, dir, everything); got != "100644 a.txt crlf|100644 dir/b.txt beta|100644 dir/sub/c.txt gamma" {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the user's hook ran on our index")
	}
}

// An edit within the clock tick of the last git add, of the same size, is told
// by the time of the index alone: a copy of the index must keep it.
func TestSnapshotSeesARacyEdit(t *testing.T) {
	dir := newRepo(t)
	when := time.Now().Add(-time.Hour).Truncate(time.Second)
	writeFile(t, dir, "a.txt", "first\n")
	os.Chtimes(filepath.Join(dir, "a.txt"), when, when)
	git(t, dir, "-c", "core.trustctime=false", "add", "a.txt")
	os.Chtimes(filepath.Join(dir, ".git/index"), when, when)
	f, err := os.OpenFile(filepath.Join(dir, "a.txt"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("other\n")
	f.Close()
	os.Chtimes(filepath.Join(dir, "a.txt"), when, when)
	git(t, dir, "config", "core.trustctime", "false")
	if got := snapshotOf(t, dir, nil); !strings.HasPrefix(got, "100644 a.txt other|") {
		t.Error(got)
	}
}

func TestSnapshotWithoutAnIndex(t *testing.T) {
	dir := realTempDir(t)
	git(t, dir, "init", "-q")
	r := openRepo(t, dir)
	if tree, _, err := r.Snapshot(context.Background(), everything); err != nil || tree != r.EmptyTree() {
		t.Errorf("Snapshot of nothing = %s, %v", tree, err)
	}
	writeFile(t, dir, "x", "x")
	if tree, _, err := r.Snapshot(context.Background(), everything); err != nil || git(t, dir, "ls-tree", "--name-only", string(tree)) != "x" {
		t.Errorf("Snapshot of one file = %s, %v", tree, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git/index")); err == nil {
		t.Error("Snapshot made an index")
	}
}
