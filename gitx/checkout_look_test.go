//go:build linux || darwin

package gitx

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// lookedAt is a checkout whose files were all read, closed and opened again, so
// that it goes by what it wrote down.
func lookedAt(t *testing.T) (*Checkout, func() *Checkout) {
	t.Helper()
	dir := newRepo(t)
	writeFile(t, dir, "a.txt", "one\n")
	writeFile(t, dir, "sub/b.txt", "two\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "files")
	r := openRepo(t, dir)
	cache := filepath.Join(realTempDir(t), "cache")
	open := func() *Checkout {
		c, err := OpenCheckout(context.Background(), r, cache)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Fill(context.Background(), OID(git(t, dir, "rev-parse", "HEAD"))); err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := open()
	time.Sleep(2 * tick)
	if _, err := c.Verify(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.Dir() + looksSuffix); err != nil {
		t.Fatalf("nothing was written down: %v", err)
	}
	return c, open
}

// TestAnEditThatKeepsSizeAndTimesIsSeen: mtime can be set back, ctime cannot.
func TestAnEditThatKeepsSizeAndTimesIsSeen(t *testing.T) {
	for name, edit := range map[string]func(t *testing.T, file string, before os.FileInfo){
		"in place": func(t *testing.T, file string, _ os.FileInfo) {
			if err := os.WriteFile(file, []byte("two!"), 0o644); err != nil {
				t.Fatal(err)
			}
		},
		"by another file": func(t *testing.T, file string, _ os.FileInfo) {
			if err := os.WriteFile(file+"x", []byte("two!"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(file+"x", file); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, open := lookedAt(t)
			file := filepath.Join(c.Dir(), "sub", "b.txt")
			before, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			edit(t, file, before)
			if err := os.Chtimes(file, before.ModTime(), before.ModTime()); err != nil {
				t.Fatal(err)
			}
			again := open()
			defer again.Close()
			if data, err := os.ReadFile(file); err != nil || string(data) != "two\n" {
				t.Errorf("a hidden edit survived: %q %v", data, err)
			}
		})
	}
}

func TestAnEditRightAfterTheFillIsSeen(t *testing.T) {
	c, open := lookedAt(t)
	again := open()
	defer again.Close()
	file := filepath.Join(c.Dir(), "a.txt")
	for i := range 50 {
		if err := again.Restore(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("ONE\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if changed, err := again.Verify(context.Background()); err != nil || len(changed) != 1 {
			t.Fatalf("round %d: %q %v", i, changed, err)
		}
	}
}

// TestWhatWasWrittenDownIsNotBelievedBlindly: a file of looks that is damaged,
// or belongs to other directories or content, only costs time.
func TestWhatWasWrittenDownIsNotBelievedBlindly(t *testing.T) {
	for name, damage := range map[string]func(seen string, c *Checkout) error{
		"truncated": func(seen string, _ *Checkout) error { return os.Truncate(seen, 40) },
		"garbage":   func(seen string, _ *Checkout) error { return os.WriteFile(seen, []byte("\x00 \x00"), 0o600) },
		"a directory of the same name": func(_ string, c *Checkout) error {
			if err := os.Rename(c.Dir(), c.Dir()+"-old"); err != nil {
				return err
			}
			return os.Mkdir(c.Dir(), 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, open := lookedAt(t)
			file := filepath.Join(c.Dir(), "a.txt")
			if err := os.WriteFile(file, []byte("ONE\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := damage(c.Dir()+looksSuffix, c); err != nil {
				t.Fatal(err)
			}
			again := open()
			defer again.Close()
			if data, err := os.ReadFile(file); err != nil || string(data) != "one\n" {
				t.Errorf("%q %v", data, err)
			}
		})
	}
}

func TestDistrustReadsEverything(t *testing.T) {
	c, open := lookedAt(t)
	looks, err := os.ReadFile(c.Dir() + looksSuffix)
	if err != nil {
		t.Fatal(err)
	}
	again := open()
	defer again.Close()
	again.Distrust()
	if err := again.FillList(context.Background(), again.commit, again.list); err != nil {
		t.Fatal(err)
	}
	again.want.each(func(e *wantFile) {
		if !again.learned {
			t.Errorf("%s was not read, with %d bytes of looks", e.Path, len(looks))
		}
	})
}
