package gitx

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// conflict leaves a merge of branch side into main with a.txt in conflict.
func conflict(t *testing.T) string {
	t.Helper()
	dir := newRepo(t)
	git(t, dir, "checkout", "-qb", "side")
	writeFile(t, dir, "a.txt", "side\n")
	git(t, dir, "commit", "-qam", "side")
	git(t, dir, "checkout", "-q", "main")
	writeFile(t, dir, "a.txt", "main\n")
	git(t, dir, "commit", "-qam", "main")
	cmd := exec.Command("git", "merge", "-q", "side")
	cmd.Dir = dir
	if err := cmd.Run(); err == nil {
		t.Fatal("the merge has no conflict")
	}
	return dir
}

func TestUnfinishedMerge(t *testing.T) {
	dir := conflict(t)
	r := openRepo(t, dir)
	ctx := context.Background()
	heads, err := r.MergeHeads(ctx)
	if err != nil || !slices.Equal(heads, []OID{OID(git(t, dir, "rev-parse", "side"))}) {
		t.Errorf("MergeHeads = %v, %v", heads, err)
	}
	status, err := r.Status(ctx)
	if err != nil || !slices.Equal(status, []StatusEntry{{Path: "a.txt", XY: "UU", Unmerged: true}}) {
		t.Errorf("Status = %+v, %v", status, err)
	}
	_, _, err = r.Snapshot(ctx, nil)
	var unmerged *UnmergedError
	if !errors.Is(err, ErrUnmerged) || !errors.As(err, &unmerged) || !slices.Equal(unmerged.Paths, []string{"a.txt"}) {
		t.Errorf("Snapshot of a conflict: %v", err)
	}
	w, err := r.WorkFiles(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if e := w.Entries(); len(e) != 3 || e[0].Path != "a.txt" || e[0].OID != "" {
		t.Errorf("Entries = %+v", e)
	}
	git(t, dir, "merge", "--abort")
	if heads, err := r.MergeHeads(ctx); err != nil || heads != nil {
		t.Errorf("MergeHeads without a merge = %v, %v", heads, err)
	}
}

func TestGitHeads(t *testing.T) {
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	got := GitHeads([]string{"PATH=/bin", "GITHEAD_" + b + "=side", "GITHEAD_x=y", "GITHEAD_" + a + "=other"})
	if !slices.Equal(got, []OID{OID(a), OID(b)}) {
		t.Errorf("GitHeads = %v", got)
	}
}

func TestStatusOfOddNames(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "config", "status.showUntrackedFiles", "no")
	git(t, dir, "config", "status.branch", "true")
	for _, name := range oddNames {
		writeFile(t, dir, name, name)
	}
	git(t, dir, "add", "line\nbreak")
	status, err := openRepo(t, dir).Status(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range status {
		got = append(got, e.Path)
		if e.Untracked == (e.Path == "line\nbreak") {
			t.Errorf("%+v", e)
		}
	}
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(oddNames))) {
		t.Errorf("Status names %q", got)
	}
}

func TestHooksDirNamesWhoSetIt(t *testing.T) {
	linked := linkedWorktree(t)
	ctx := context.Background()
	git(t, linked, "config", "core.hooksPath", ".hooks")
	config := filepath.Join(git(t, linked, "rev-parse", "--path-format=absolute", "--git-common-dir"), "config")
	got, err := openRepo(t, linked).HooksDir(ctx)
	if want := (HooksDir{Path: filepath.Join(linked, ".hooks"), Scope: "local", Origin: "file:" + config, Value: ".hooks"}); err != nil || got != want {
		t.Errorf("HooksDir = %+v, %v, want %+v", got, err, want)
	}
	git(t, linked, "config", "--unset", "core.hooksPath")
	global, included := filepath.Join(realTempDir(t), "global"), filepath.Join(realTempDir(t), "included")
	git(t, linked, "config", "-f", global, "include.path", included)
	git(t, linked, "config", "-f", included, "core.hooksPath", "~/shared hooks")
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	t.Setenv("HOME", "/home/x")
	got, err = openRepo(t, linked).HooksDir(ctx)
	if want := (HooksDir{Path: "/home/x/shared hooks", Scope: "global", Origin: "file:" + included, Value: "~/shared hooks"}); err != nil || got != want {
		t.Errorf("HooksDir = %+v, %v, want %+v", got, err, want)
	}
}

func TestWorktrees(t *testing.T) {
	main := newRepo(t)
	odd := filepath.Join(realTempDir(t), "line\nbreak")
	git(t, main, "worktree", "add", "-q", "--detach", odd)
	list, err := openRepo(t, main).Worktrees(context.Background())
	head := OID(git(t, main, "rev-parse", "HEAD"))
	want := []Worktree{{Path: main, Branch: "refs/heads/main", HEAD: head}, {Path: odd, HEAD: head, Detached: true}}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("Worktrees = %+v, %v, want %+v", list, err, want)
	}
	bare := filepath.Join(realTempDir(t), "bare.git")
	git(t, main, "clone", "-q", "--bare", main, bare)
	list, err = openRepo(t, bare).Worktrees(context.Background())
	if err != nil || len(list) != 1 || !list[0].Bare {
		t.Errorf("Worktrees of a bare repository = %+v, %v", list, err)
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add("# branch.head main\x00? a b\x001 M. N... 100644 100644 100644 1 2 a b\x00u UU N... 1 2 3 4 5 6 7 a\n\x00")
	f.Fuzz(func(t *testing.T, out string) { parseStatus(out) })
}

func FuzzParseListed(f *testing.F) {
	f.Add("? a\tb")
	f.Add("s 100644 " + strings.Repeat("0", 40) + " 2\ta\tb")
	f.Fuzz(func(t *testing.T, record string) {
		if l, err := parseListed(record); err == nil && !strings.HasSuffix(record, l.path) {
			t.Errorf("%q was read as path %q", record, l.path)
		}
	})
}
