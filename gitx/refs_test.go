package gitx

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func init() {
	roles["cas"] = func() error { return appendCommits(os.Getenv("GITX_TEST_DIR"), os.Getenv("GITX_TEST_TAG"), 2) }
}

// startRole starts a copy of this program in one of its roles.
func startRole(t *testing.T, role string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), gitxRole+"="+role), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

const chainRef = "refs/longtask/test/chain"

// appendCommits puts n commits on the chain by compare-and-swap alone.
func appendCommits(dir, tag string, n int) error {
	ctx := context.Background()
	r, err := Open(ctx, dir)
	if err != nil {
		return err
	}
	defer r.Close()
	for i := 0; i < n; {
		switch err := appendCommit(ctx, r, fmt.Sprintf("%s %d", tag, i)); {
		case err == nil:
			i++
		case !errors.Is(err, ErrStale) && !errors.Is(err, ErrLocked):
			return err
		default:
			time.Sleep(rand.N(50 * time.Millisecond))
		}
	}
	return nil
}

func appendCommit(ctx context.Context, r *Repo, message string) error {
	old, err := r.Ref(ctx, chainRef)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	o := r.NewObjects()
	spec := CommitSpec{Tree: o.Tree(nil), Message: message}
	if old != "" {
		spec.Parents = []OID{old}
	}
	next := o.Commit(spec)
	if err := r.Write(ctx, o); err != nil {
		return err
	}
	return r.Update(ctx, []RefUpdate{{Name: chainRef, New: next, Old: old}})
}

// Eight processes and eight goroutines append to one ref and lose nothing.
func TestConcurrentUpdatesLoseNothing(t *testing.T) {
	dir := newRepo(t)
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			tag := fmt.Sprint("writer ", i)
			var err error
			if i%2 == 0 {
				err = startRole(t, "cas", "GITX_TEST_DIR="+dir, "GITX_TEST_TAG="+tag).Run()
			} else {
				err = appendCommits(dir, tag, 2)
			}
			if err != nil {
				t.Errorf("%s: %v", tag, err)
			}
		})
	}
	group.Wait()
	subjects := strings.Split(git(t, dir, "log", "--format=%s", chainRef), "\n")
	seen := map[string]bool{}
	for _, s := range subjects {
		seen[s] = true
	}
	if len(subjects) != 32 || len(seen) != 32 {
		t.Errorf("%d commits with %d different subjects on the chain, want 32", len(subjects), len(seen))
	}
}

func TestUpdateNamesWhatIsInTheWay(t *testing.T) {
	ctx := context.Background()
	dir := newRepo(t)
	r := openRepo(t, dir)
	head, _ := r.Resolve(ctx, "HEAD")
	git(t, dir, "update-ref", "refs/longtask/a/b", "HEAD")
	git(t, dir, "pack-refs", "--all")
	for _, name := range []string{"refs/longtask/a", "refs/longtask/a/b/c/d"} {
		err := r.Update(ctx, []RefUpdate{{Name: name, New: head}})
		if err == nil || errors.Is(err, ErrStale) || !strings.Contains(err.Error(), "refs/longtask/a/b exists") {
			t.Errorf("create %s: %v, want an error that names refs/longtask/a/b", name, err)
		}
	}
}

func TestUpdateNamesTheLockThatStays(t *testing.T) {
	ctx := context.Background()
	dir := newRepo(t)
	r := openRepo(t, dir)
	head, _ := r.Resolve(ctx, "HEAD")
	for name, lock := range map[string]string{chainRef: chainRef + ".lock", ActiveRef: ActiveRef + ".lock"} {
		writeFile(t, r.GitDir, lock, "")
		start := time.Now()
		err := r.Update(ctx, []RefUpdate{{Name: name, New: head}})
		if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), filepath.Join(r.GitDir, filepath.FromSlash(lock))) {
			t.Errorf("update of a locked ref: %v, want ErrLocked with the file", err)
		}
		if d := time.Since(start); d < lockPatience {
			t.Errorf("gave up after %v", d)
		}
	}
	time.AfterFunc(200*time.Millisecond, func() { os.Remove(filepath.Join(r.GitDir, filepath.FromSlash(chainRef)+".lock")) })
	if err := r.Update(ctx, []RefUpdate{{Name: chainRef, New: head}}); err != nil {
		t.Errorf("update of a ref that is unlocked soon: %v", err)
	}
}

func TestUpdateTellsStale(t *testing.T) {
	ctx := context.Background()
	dir := newRepo(t)
	r := openRepo(t, dir)
	head, _ := r.Resolve(ctx, "HEAD")
	parent, _ := r.Resolve(ctx, "HEAD~1")
	git(t, dir, "update-ref", chainRef, string(head))
	for what, u := range map[string]RefUpdate{
		"create of what exists":  {Name: chainRef, New: parent},
		"move from elsewhere":    {Name: chainRef, New: head, Old: parent},
		"delete of other value":  {Name: chainRef, Old: parent},
		"move of what is absent": {Name: "refs/longtask/none", New: head, Old: parent},
		"check of other value":   {Name: chainRef, New: parent, Old: parent},
		"check for absence":      {Name: chainRef},
	} {
		if err := r.Update(ctx, []RefUpdate{{Name: "refs/longtask/other", New: head}, u}); !errors.Is(err, ErrStale) || !strings.Contains(err.Error(), u.Name) {
			t.Errorf("%s: %v, want ErrStale with the ref", what, err)
		}
	}
	if refs, err := r.Refs(ctx, "refs/longtask/"); err != nil || len(refs) != 1 || refs[0] != (Ref{chainRef, head}) {
		t.Errorf("refs after refused updates: %v, %v", refs, err)
	}
	if err := r.Update(ctx, []RefUpdate{{Name: chainRef, New: head, Old: head}, {Name: "refs/longtask/none"}}); err != nil {
		t.Errorf("checks that hold: %v", err)
	}
}

func TestUpdateLeavesBranchesAlone(t *testing.T) {
	ctx := context.Background()
	dir := newRepo(t)
	r := openRepo(t, dir)
	head, _ := r.Resolve(ctx, "HEAD")
	parent, _ := r.Resolve(ctx, "HEAD~1")
	for _, name := range []string{"refs/heads/x", "refs/tags/x", "HEAD^", "refs/longtask/a\nb", "refs/longtask/a b", "refs/longtask/../heads/x"} {
		if err := r.Update(ctx, []RefUpdate{{Name: name, New: head}}); err == nil {
			t.Errorf("Update wrote %q", name)
		}
	}
	git(t, dir, "symbolic-ref", chainRef, "refs/heads/main")
	if err := r.Update(ctx, []RefUpdate{{Name: chainRef, New: parent, Old: head}}); err != nil {
		t.Error(err)
	}
	if got := git(t, dir, "rev-parse", "refs/heads/main"); got != string(head) {
		t.Errorf("a symbolic ref led the update to main, now at %s", got)
	}
}

// Git looks for refs/heads/<name> too when <name> does not exist; a pushed
// branch must not stand in for a ref of ours.
func TestRefIsNotFoundByItsLookalike(t *testing.T) {
	ctx := context.Background()
	dir := newRepo(t)
	r := openRepo(t, dir)
	head, _ := r.Resolve(ctx, "HEAD")
	lookalike := "refs/longtask/fix-g" + string(head[:7])
	for _, name := range []string{"refs/heads/" + chainRef, "refs/tags/" + chainRef, "refs/" + chainRef, "refs/remotes/" + chainRef, "refs/remotes/" + chainRef + "/HEAD"} {
		git(t, dir, "update-ref", name, "HEAD")
		if got, err := r.Ref(ctx, chainRef); !errors.Is(err, ErrNotFound) {
			t.Errorf("with %s: Ref = %q, %v; want ErrNotFound", name, got, err)
		}
		git(t, dir, "update-ref", "-d", name)
	}
	if got, err := r.Ref(ctx, lookalike); !errors.Is(err, ErrNotFound) {
		t.Errorf("Ref(%s) = %q, %v; want ErrNotFound", lookalike, got, err)
	}
	git(t, dir, "update-ref", "refs/heads/"+chainRef, "HEAD")
	git(t, dir, "update-ref", chainRef, "HEAD~1")
	if got, err := r.Ref(ctx, chainRef); err != nil || string(got) != git(t, dir, "rev-parse", "HEAD~1") {
		t.Errorf("with both: Ref = %q, %v", got, err)
	}
}

func TestWorktreeRefsAreOfOneWorktree(t *testing.T) {
	ctx := context.Background()
	dir := newRepo(t)
	linked := filepath.Join(realTempDir(t), "linked")
	git(t, dir, "worktree", "add", "-q", "-b", "other", linked)
	main, other := openRepo(t, dir), openRepo(t, linked)
	head, _ := main.Resolve(ctx, "HEAD")
	if err := other.Update(ctx, []RefUpdate{{Name: ActiveRef, New: head}, {Name: chainRef, New: head}}); err != nil {
		t.Fatal(err)
	}
	if _, err := main.Ref(ctx, ActiveRef); !errors.Is(err, ErrNotFound) {
		t.Errorf("the main worktree sees the marker of the linked one: %v", err)
	}
	if got, err := other.Ref(ctx, ActiveRef); err != nil || got != head {
		t.Errorf("marker = %q, %v", got, err)
	}
	if got, err := main.Ref(ctx, chainRef); err != nil || got != head {
		t.Errorf("chain = %q, %v", got, err)
	}
}

func TestRemoteHead(t *testing.T) {
	ctx := context.Background()
	r := openRepo(t, cloneOf(t, newRepo(t)))
	if got, err := r.RemoteHead(ctx, "origin"); err != nil || got != "refs/remotes/origin/main" {
		t.Errorf("RemoteHead = %q, %v", got, err)
	}
	if _, err := r.RemoteHead(ctx, "upstream"); !errors.Is(err, ErrNotFound) {
		t.Errorf("RemoteHead of an unknown remote: %v", err)
	}
	if _, err := r.RemoteHead(ctx, "a b"); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("RemoteHead of a bad name: %v", err)
	}
}
