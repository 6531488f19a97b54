package gitx

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// oddNames are paths that quoting, trimming or decoding would destroy.
var oddNames = []string{" lead", "tab\there", "line\nbreak", "latin-\xe9", "quote\"s", `back\slash`, "trail ", "-dash", "*", "ü", "cr\r"}

func TestDiffIndexOnAnUnbornBranch(t *testing.T) {
	dir := realTempDir(t)
	git(t, dir, "init", "-q")
	for _, name := range oddNames {
		writeFile(t, dir, name, name)
	}
	git(t, dir, "add", ".")
	r := openRepo(t, dir)
	changes, err := r.DiffIndex(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		if c.Status != 'A' || c.OldMode != 0 || !c.OldOID.IsZero() || c.NewMode != ModeFile {
			t.Errorf("%+v is not an added file", c)
		}
		got = append(got, c.Path)
	}
	if want := slices.Sorted(slices.Values(oddNames)); !slices.Equal(got, want) {
		t.Errorf("paths = %q, want %q", got, want)
	}
}

// Renames are two changes, a change of kind or mode has both sides, what is
// only intended to be added is not in the commit, and diff settings that hide
// or decorate have no say.
func TestDiffSeesBothSides(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "config", "diff.renames", "copies")
	git(t, dir, "config", "diff.noprefix", "true")
	git(t, dir, "config", "diff.external", "false")
	git(t, dir, "mv", "a.txt", "moved.txt")
	os.Remove(filepath.Join(dir, "dir/b.txt"))
	if err := os.Symlink("../secret", filepath.Join(dir, "dir/b.txt")); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", "dir/b.txt")
	git(t, dir, "update-index", "--chmod=+x", "dir/sub/c.txt")
	writeFile(t, dir, "later.txt", "")
	git(t, dir, "add", "-N", "later.txt")

	r := openRepo(t, dir)
	ctx := context.Background()
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	staged, err := r.DiffIndex(ctx, head)
	if err != nil {
		t.Fatal(err)
	}
	want := "D a.txt 100644 000000|T dir/b.txt 100644 120000|M dir/sub/c.txt 100644 100755|A moved.txt 000000 100644"
	if got := brief(staged); got != want {
		t.Errorf("DiffIndex = %s\nwant        %s", got, want)
	}
	committed, err := r.DiffTrees(ctx, head, OID(git(t, dir, "write-tree")))
	if err != nil || brief(committed) != want {
		t.Errorf("DiffTrees = %s, %v", brief(committed), err)
	}
}

func brief(changes []Change) string {
	var lines []string
	for _, c := range changes {
		lines = append(lines, fmt.Sprintf("%c %s %s %s", c.Status, c.Path, c.OldMode, c.NewMode))
	}
	return strings.Join(lines, "|")
}

// submodule.<name>.ignore=all, also when the change itself brings it, hid a
// moved submodule.
func TestIgnoredSubmoduleIsSeen(t *testing.T) {
	mod := submodule(t)
	super := filepath.Dir(mod)
	git(t, super, "config", "-f", ".gitmodules", "submodule.mod.ignore", "all")
	git(t, super, "config", "diff.ignoreSubmodules", "all")
	git(t, super, "commit", "-qam", "ignore")
	git(t, mod, "commit", "-q", "--allow-empty", "-m", "moved")
	r := openRepo(t, super)
	ctx := context.Background()
	status, err := r.Status(ctx)
	if err != nil || len(status) != 1 || status[0].Path != "mod" {
		t.Errorf("Status = %v, %v", status, err)
	}
	tree, _, err := r.Snapshot(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	changes, err := r.DiffTrees(ctx, head, tree)
	if err != nil || brief(changes) != "M mod 160000 160000" {
		t.Errorf("the snapshot has %s, %v", brief(changes), err)
	}
	git(t, super, "update-index", "--add", "--cacheinfo", "160000,"+git(t, mod, "rev-parse", "HEAD")+",mod")
	if staged, err := r.DiffIndex(ctx, head); err != nil || brief(staged) != "M mod 160000 160000" {
		t.Errorf("DiffIndex = %s, %v", brief(staged), err)
	}
}

func init() {
	roles["print staged"] = func() error {
		ctx := context.Background()
		r, err := Open(ctx, ".")
		if err != nil {
			return err
		}
		defer r.Close()
		head, err := r.Resolve(ctx, "HEAD")
		if err != nil {
			return err
		}
		changes, err := r.DiffIndex(ctx, head)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(r.CommonDir, "seen"), []byte(brief(changes)), 0o666)
	}
}

// Each form of commit gives pre-commit another index; reading the one in the
// git directory let commit -a pass a gate.
func TestPreCommitSeesTheIndexOfTheCommit(t *testing.T) {
	for _, l := range []layout{layouts[0], layouts[1]} {
		t.Run(l.name, func(t *testing.T) {
			dir := l.make(t)
			r := openRepo(t, dir)
			program, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			hook := fmt.Sprintf("#!/bin/sh\n%s='print staged' exec '%s'\n", gitxRole, program)
			if err := os.WriteFile(filepath.Join(r.CommonDir, "hooks", "pre-commit"), []byte(hook), 0o777); err != nil {
				t.Fatal(err)
			}
			sub := filepath.Join(dir, "dir")
			for _, c := range []struct{ args, want string }{
				{"-a", "M a.txt 100644 100644|M dir/b.txt 100644 100644|M dir/sub/c.txt 100644 100644"},
				{"b.txt", "M dir/b.txt 100644 100644"},
				{"-i sub/c.txt", "M a.txt 100644 100644|M dir/sub/c.txt 100644 100644"},
				{"", "M a.txt 100644 100644"},
			} {
				for _, name := range []string{"a.txt", "dir/b.txt", "dir/sub/c.txt"} {
					writeFile(t, dir, name, c.args+" edited\n")
				}
				git(t, dir, "add", "a.txt")
				git(t, sub, append([]string{"commit", "-qm", "x"}, strings.Fields(c.args)...)...)
				if got := readFile(t, filepath.Join(r.CommonDir, "seen")); got != c.want {
					t.Errorf("commit %s: the hook saw %s, want %s", c.args, got, c.want)
				}
				git(t, dir, "reset", "-q", "--hard")
			}
		})
	}
}

func FuzzParseChanges(f *testing.F) {
	id := strings.Repeat("0", 40)
	f.Add(":100644 120000 " + id + " " + id + " T\x00a\nb\x00:000000 100644 " + id + " " + id + " A\x00\x00")
	f.Add(":100644")
	f.Fuzz(func(t *testing.T, out string) {
		changes, err := parseChanges(out)
		if err == nil && out != "" && len(changes) == 0 {
			t.Errorf("%q was read as nothing", out)
		}
	})
}
