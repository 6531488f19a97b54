package gitx

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

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
