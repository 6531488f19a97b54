package gitx

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// In every layout the work tree is seen, snapshotted and checked out.
func TestWorkTreeInEveryLayout(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			dir := l.make(t)
			r := openRepo(t, dir)
			ctx := context.Background()
			writeFile(t, r.Top, "dir/sub/c.txt", "gamma edited\n")
			writeFile(t, r.Top, "dir/sub/new.txt", "new\n")
			git(t, r.Top, "add", "dir/sub/c.txt")

			head, err := r.Resolve(ctx, "HEAD")
			if err != nil {
				t.Fatal(err)
			}
			seesChanges(t, r, head)
			tree := snapshotsLikeGit(t, r)
			readsWorkFiles(t, r)
			checksOut(t, r, head, tree)
		})
	}
}

func seesChanges(t *testing.T, r *Repo, head OID) {
	t.Helper()
	ctx := context.Background()
	staged, err := r.DiffIndex(ctx, head)
	if err != nil || len(staged) != 1 || staged[0].Path != "dir/sub/c.txt" || staged[0].Status != 'M' {
		t.Errorf("DiffIndex = %+v, %v", staged, err)
	}
	all, err := r.DiffTrees(ctx, "", head)
	if err != nil || len(all) != 3 || all[0].Status != 'A' || all[0].OldMode != 0 || all[0].NewMode != ModeFile {
		t.Errorf("DiffTrees from nothing = %+v, %v", all, err)
	}
	status, err := r.Status(ctx)
	want := []StatusEntry{{Path: "dir/sub/c.txt", XY: "M."}, {Path: "dir/sub/new.txt", XY: "??", Untracked: true}}
	if err != nil || !slices.Equal(status, want) {
		t.Errorf("Status = %+v, %v, want %+v", status, err, want)
	}
	hooks, err := r.HooksDir(ctx)
	if err != nil || hooks != (HooksDir{Path: filepath.Join(r.CommonDir, "hooks")}) {
		t.Errorf("HooksDir = %+v, %v", hooks, err)
	}
}

// snapshotsLikeGit compares with a real commit of everything in a copy of the
// index, and sees the user's index unchanged.
func snapshotsLikeGit(t *testing.T, r *Repo) OID {
	t.Helper()
	ctx := context.Background()
	staged := git(t, r.Top, "write-tree", "--missing-ok")
	before := readFile(t, r.IndexFile)
	tree, skipped, err := r.Snapshot(ctx, nil)
	if err != nil || !slices.Equal(skipped, []string{"dir/sub/new.txt"}) {
		t.Fatalf("Snapshot(nil) = %s, %q, %v", tree, skipped, err)
	}
	if string(tree) != staged {
		t.Errorf("Snapshot of what is staged = %s, git writes %s", tree, staged)
	}
	tree, skipped, err = r.Snapshot(ctx, func(string) bool { return true })
	if err != nil || len(skipped) != 0 {
		t.Fatalf("Snapshot(all) = %s, %q, %v", tree, skipped, err)
	}
	if after := readFile(t, r.IndexFile); after != before {
		t.Error("Snapshot changed the index")
	}
	list, err := r.ListTree(ctx, tree)
	if err != nil || len(list) != 4 || list[3].Path != "dir/sub/new.txt" {
		t.Errorf("tree of the snapshot = %v, %v", list, err)
	}
	return tree
}

func readsWorkFiles(t *testing.T, r *Repo) {
	t.Helper()
	ctx := context.Background()
	w, err := r.WorkFiles(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for path, want := range map[string]string{"a.txt": "alpha 2\n", "dir/b.txt": "beta\n", "dir/sub/c.txt": "gamma edited\n", "dir/sub/new.txt": "new\n"} {
		data, err := w.Read(ctx, path)
		if err != nil || string(data) != want {
			t.Errorf("Read(%s) = %q, %v", path, data, err)
		}
	}
	if n := len(w.Entries()); n != 4 {
		t.Errorf("%d entries, want 4: %v", n, w.Entries())
	}
}

func checksOut(t *testing.T, r *Repo, trees ...OID) {
	t.Helper()
	ctx := context.Background()
	c, err := OpenCheckout(ctx, r, filepath.Join(realTempDir(t), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, tree := range trees {
		if err := r.FetchMissing(ctx, tree); err != nil {
			t.Fatal(err)
		}
		if err := c.Fill(ctx, tree); err != nil {
			t.Fatal(err)
		}
		if got := git(t, r.Top, "rev-parse", string(tree)+"^{tree}"); got != treeOfDir(t, r, c.Dir()) {
			t.Errorf("the checkout of %s holds another tree", tree)
		}
	}
}

// treeOfDir is the tree git makes of a directory, with nothing converted.
func treeOfDir(t *testing.T, r *Repo, dir string) string {
	t.Helper()
	bare := filepath.Join(realTempDir(t), "bare")
	git(t, dir, "init", "-q", "--bare", "--object-format="+r.Format, bare)
	flags := []string{"--git-dir=" + bare, "--work-tree=" + dir}
	if err := os.MkdirAll(filepath.Join(bare, "info"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, bare, "info/attributes", "* -text -eol -ident -filter -working-tree-encoding\n")
	git(t, dir, append(flags, "add", "-Af", ".")...)
	return git(t, dir, append(flags, "write-tree")...)
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
