package gitx

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
)

func TestReaderRefusesNamesThatBreakTheLine(t *testing.T) {
	r := openRepo(t, newRepo(t))
	for _, name := range []string{"", "HEAD\nHEAD", "HEAD:a\n", "HEAD\x00", "HEAD\r"} {
		_, _, _, err := r.Info(context.Background(), name)
		if err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("Info(%q): %v, want a refusal that is not ErrNotFound", name, err)
		}
	}
	if r.batch != nil {
		t.Error("a refused name was sent to the reader")
	}
}

func TestReaderAnswersOddNames(t *testing.T) {
	ctx := context.Background()
	r := openRepo(t, newRepo(t))
	for _, name := range []string{"no such", "--help", "x missing", "x blob 3", " HEAD", "HEAD:no\x01where", "^HEAD", "0000000", ":9:x"} {
		if _, _, _, err := r.Info(ctx, name); !errors.Is(err, ErrNotFound) {
			t.Errorf("Info(%q): %v, want ErrNotFound", name, err)
		}
	}
	if _, err := r.Resolve(ctx, "HEAD:a.txt"); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "blob") {
		t.Errorf("Resolve of a blob: %v", err)
	}
}

func TestResolvePeelsTags(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "tag", "-a", "-m", "m", "v1", "HEAD~1")
	r := openRepo(t, dir)
	got, err := r.Resolve(context.Background(), "v1")
	if err != nil || string(got) != git(t, dir, "rev-parse", "HEAD~1") {
		t.Errorf("Resolve(v1) = %q, %v", got, err)
	}
	if c, err := r.Commit(context.Background(), "v1"); err != nil || c.OID != got || c.Subject != "first" {
		t.Errorf("Commit(v1) = %+v, %v", c, err)
	}
}

func TestReaderRestartsAfterItsChildDied(t *testing.T) {
	ctx := context.Background()
	r := openRepo(t, newRepo(t))
	for range 3 {
		if _, err := r.Read(ctx, "HEAD:a.txt"); err != nil {
			t.Fatal(err)
		}
		r.batch.cmd.Process.Kill()
	}
}

func TestReaderRestartsAfterCancel(t *testing.T) {
	r := openRepo(t, newRepo(t))
	if _, err := r.Read(context.Background(), "HEAD"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Read(ctx, "HEAD"); !errors.Is(err, context.Canceled) {
		t.Errorf("Read with a cancelled context: %v", err)
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			group.Go(cancel)
			if obj, err := r.Read(ctx, "HEAD:a.txt"); err == nil && string(obj.Data) != "alpha 2\n" || err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("reader %d: %q, %v", i, obj.Data, err)
			}
		})
	}
	group.Wait()
	if obj, err := r.Read(context.Background(), "HEAD:a.txt"); err != nil || string(obj.Data) != "alpha 2\n" {
		t.Errorf("after cancelled reads: %q, %v", obj.Data, err)
	}
}

func TestReaderIsSafeForManyGoroutines(t *testing.T) {
	r := openRepo(t, newRepo(t))
	want := map[string]string{"HEAD:a.txt": "alpha 2\n", "HEAD~1:a.txt": "alpha 1\n", "HEAD:dir/b.txt": "beta\n"}
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for name, content := range want {
				if obj, err := r.Read(context.Background(), name); err != nil || string(obj.Data) != content {
					t.Errorf("Read(%s) = %q, %v", name, obj.Data, err)
				}
			}
		})
	}
	group.Wait()
}

// A blob left out of a partial clone is an error that says so, and is not
// fetched behind the user's back.
func TestMissingPromisedObjectIsNotFetched(t *testing.T) {
	ctx := context.Background()
	origin := newRepo(t)
	dir := cloneOf(t, origin, "--filter=blob:none")
	blob := git(t, origin, "rev-parse", "HEAD~1:a.txt")
	r := openRepo(t, dir)
	parent, err := r.Resolve(ctx, "HEAD~1")
	if err != nil {
		t.Fatal(err)
	}
	if e, err := r.Entry(ctx, parent, "a.txt"); err != nil || string(e.OID) != blob {
		t.Errorf("Entry = %+v, %v", e, err)
	}
	for range 2 {
		_, err = r.Read(ctx, blob)
		if !errors.Is(err, ErrMissing) || !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), blob) {
			t.Errorf("Read of a promised blob: %v, want ErrMissing with its id", err)
		}
	}
	if missing := git(t, dir, "rev-list", "--objects", "--missing=print", "--all"); !strings.Contains(missing, "?"+blob) {
		t.Error("the blob was fetched")
	}
}

// A clone without trees must not look like one whose commits lack the path.
func TestMissingTreeIsNotAnAbsentPath(t *testing.T) {
	ctx := context.Background()
	dir := cloneOf(t, newRepo(t), "--filter=tree:0", "--no-checkout")
	r := openRepo(t, dir)
	parent, err := r.Resolve(ctx, "HEAD~1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Entry(ctx, parent, "a.txt"); !errors.Is(err, ErrMissing) || errors.Is(err, ErrNotFound) {
		t.Errorf("Entry without the tree: %v, want ErrMissing and not ErrNotFound", err)
	}
}

func TestReplacedObjectsAreNotSeen(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "replace", "HEAD:a.txt", gitInput(t, dir, "evil\n", "hash-object", "-w", "--stdin"))
	obj, err := openRepo(t, dir).Read(context.Background(), "HEAD:a.txt")
	if err != nil || string(obj.Data) != "alpha 2\n" {
		t.Errorf("Read = %q, %v", obj.Data, err)
	}
}

func TestReaderSeesWhatCameLater(t *testing.T) {
	ctx := context.Background()
	dir := newRepo(t)
	r := openRepo(t, dir)
	if _, _, _, err := r.Info(ctx, "refs/longtask/later"); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	blob := gitInput(t, dir, "later\n", "hash-object", "-w", "--stdin")
	git(t, dir, "update-ref", "refs/longtask/later", blob)
	git(t, dir, "gc", "-q")
	if obj, err := r.Read(ctx, "refs/longtask/later"); err != nil || string(obj.Data) != "later\n" {
		t.Errorf("Read = %q, %v", obj.Data, err)
	}
}
