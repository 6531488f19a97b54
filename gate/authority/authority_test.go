package authority

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-longtask/git-longtask/gitx"
)

func TestMain(m *testing.M) {
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{"HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
		"GIT_AUTHOR_NAME": "Dev", "GIT_AUTHOR_EMAIL": "dev@example.invalid", "GIT_COMMITTER_NAME": "Dev", "GIT_COMMITTER_EMAIL": "dev@example.invalid"} {
		os.Setenv(name, value)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

var ctx = context.Background()

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func newRepo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "start")
	return dir
}

func open(t *testing.T, dir string) *gitx.Repo {
	t.Helper()
	repo, err := gitx.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

// draft is a lockable draft; meaning makes its identity.
func draft(t *testing.T, repo *gitx.Repo, task, workdir, meaning string) Draft {
	t.Helper()
	head, err := repo.Commit(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	compiled := []byte(fmt.Sprintf("{%q:%q}", task, meaning))
	sum := sha256.Sum256(compiled)
	return Draft{Task: task, Identity: hex.EncodeToString(sum[:]), Compiled: compiled, Workdir: workdir, Branch: repo.Branch,
		Files: map[string][]byte{workdir + "/delivery-contract.yaml": []byte("x")}, Base: head.OID, BaseTree: head.Tree}
}

func lock(t *testing.T, repo *gitx.Repo, d Draft) Locked {
	t.Helper()
	l, err := LockDraft(ctx, repo, time.Unix(1e9, 0), d)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func end(t *testing.T, repo *gitx.Repo, c *Chain, kind Kind) *Chain {
	t.Helper()
	rec, current := c.Current().Record, c.Current()
	rec.Kind = kind
	if _, err := Append(ctx, repo, time.Now(), Entry{Task: c.Task, Unbind: true, Link: &LinkSpec{Record: rec, Keep: &current, After: c.Tip().OID}}); err != nil {
		t.Fatal(err)
	}
	c, err := Load(ctx, repo, c.Task)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLockWritesChainMarkerAndJournalOnce(t *testing.T) {
	dir := newRepo(t)
	d := draft(t, open(t, dir), "login", "plans/login", "one")
	if l := lock(t, open(t, dir), d); !l.First || l.Status != "compiled" || l.Chain.Tip().Record.Revision != 1 {
		t.Fatalf("first lock: %+v", l)
	}
	if l := lock(t, open(t, dir), d); l.First || l.Status != "compiled" {
		t.Fatalf("second lock: %+v", l)
	}
	repo := open(t, dir)
	if !repo.Bound || len(Tasks(repo)) != 1 {
		t.Fatalf("marker %v, tasks %v", repo.Bound, Tasks(repo))
	}
	events, err := Events(ctx, repo, "login")
	if err != nil || len(events) != 1 || events[0].Type != ContractLocked || events[0].Seq != 1 {
		t.Fatalf("journal: %+v %v", events, err)
	}
	if got := git(t, dir, "ls-tree", "-r", "--name-only", ChainRef("login")); got != "compiled.json\nfiles/plans/login/delivery-contract.yaml\nrecord.json" {
		t.Errorf("tree of the chain:\n%s", got)
	}
	if git(t, dir, "rev-parse", ChainRef("login")+":base") != string(d.BaseTree) {
		t.Error("the base tree is not kept")
	}
}

func TestLockDecidesByWhatWasThereBefore(t *testing.T) {
	dir := newRepo(t)
	repo := open(t, dir)
	first := lock(t, repo, draft(t, repo, "login", "plans/login", "one"))

	if _, err := LockDraft(ctx, repo, time.Now(), draft(t, repo, "login", "plans/login", "two")); !errors.Is(err, ErrNeedsRevise) {
		t.Errorf("another identity: %v", err)
	}
	if _, err := LockDraft(ctx, repo, time.Now(), draft(t, repo, "other", "plans/other", "x")); !errors.Is(err, ErrTaskExists) {
		t.Errorf("another task in this worktree: %v", err)
	}
	git(t, dir, "worktree", "add", "-q", dir+"-wt", "-b", "side")
	if _, err := LockDraft(ctx, open(t, dir+"-wt"), time.Now(), draft(t, repo, "other", "plans/login", "x")); !errors.Is(err, ErrTaskExists) {
		t.Errorf("another task in this workdir: %v", err)
	}

	abandoned := end(t, repo, first.Chain, Abandon)
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "later")
	repo = open(t, dir)
	if _, err := LockDraft(ctx, repo, time.Now(), draft(t, repo, "login", "plans/login", "two")); !errors.Is(err, ErrRelock) {
		t.Errorf("a weaker contract after abandon: %v", err)
	}
	again := lock(t, repo, draft(t, repo, "login", "plans/login", "one"))
	if rec := again.Chain.Tip().Record; rec.Revision != 2 || rec.BaseCommit != abandoned.Tip().Record.BaseCommit {
		t.Errorf("lock after abandon: revision %d, base %s", rec.Revision, rec.BaseCommit)
	}
	end(t, repo, again.Chain, Close)
	repo = open(t, dir)
	fresh := draft(t, repo, "login", "plans/login", "two")
	if rec := lock(t, repo, fresh).Chain.Tip().Record; rec.Revision != 3 || rec.BaseCommit != fresh.Base {
		t.Errorf("lock after close: revision %d, base %s", rec.Revision, rec.BaseCommit)
	}
}

func TestNewTaskInAClosedWorkdirGoesOnFromTheOldChain(t *testing.T) {
	dir := newRepo(t)
	repo := open(t, dir)
	old := end(t, repo, lock(t, repo, draft(t, repo, "login", "plans/login", "one")).Chain, Close)
	repo = open(t, dir)
	l := lock(t, repo, draft(t, repo, "login2", "plans/login", "one"))
	if l.Chain.Tip().Parent != old.Tip().OID || len(l.Chain.Before) != 2 || l.Chain.Tip().Record.Revision != 1 {
		t.Errorf("parent %s, before %d", l.Chain.Tip().Parent, len(l.Chain.Before))
	}
}

func TestSixteenLocksAtOnceMakeOneRevision(t *testing.T) {
	dir := newRepo(t)
	d := draft(t, open(t, dir), "login", "plans/login", "one")
	var wg sync.WaitGroup
	results := make([]Locked, 16)
	for i := range results {
		repo := open(t, dir)
		wg.Go(func() {
			l, err := LockDraft(ctx, repo, time.Now(), d)
			if err != nil {
				t.Errorf("lock %d: %v", i, err)
			}
			results[i] = l
		})
	}
	wg.Wait()
	first := 0
	for _, l := range results {
		if l.First {
			first++
		}
	}
	c, err := Load(ctx, open(t, dir), "login")
	if err != nil || first != 1 || len(c.Links) != 1 {
		t.Errorf("%d first locks, chain %+v, %v", first, c, err)
	}
}

func TestSixteenJournalWritersLoseNothing(t *testing.T) {
	dir := newRepo(t)
	var wg sync.WaitGroup
	for i := range 16 {
		repo := open(t, dir)
		wg.Go(func() {
			e := Event{Type: CheckEnded, Data: []byte(fmt.Sprint(i))}
			if _, err := Append(ctx, repo, time.Now(), Entry{Task: "login", Events: []Event{e, e}}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	events, err := Events(ctx, open(t, dir), "login")
	if err != nil || len(events) != 32 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for i, e := range events {
		if e.Seq != i+1 {
			t.Errorf("event %d has number %d", i, e.Seq)
		}
	}
}

func TestAChainThatDoesNotFollowIsCorrupt(t *testing.T) {
	rewrite := func(old, new string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			record := strings.Replace(git(t, dir, "show", ChainRef("login")+":record.json"), old, new, 1)
			path := filepath.Join(dir, "record")
			if err := os.WriteFile(path, []byte(record), 0o600); err != nil {
				t.Fatal(err)
			}
			blob := git(t, dir, "hash-object", "-w", path)
			entry := exec.Command("git", "mktree")
			entry.Dir = dir
			entry.Stdin = strings.NewReader("100644 blob " + blob + "\trecord.json\n")
			tree, err := entry.Output()
			if err != nil {
				t.Fatal(err)
			}
			commit := git(t, dir, "commit-tree", strings.TrimSpace(string(tree)), "-p", ChainRef("login"), "-m", "x")
			git(t, dir, "update-ref", ChainRef("login"), commit)
		}
	}
	for name, tamper := range map[string]func(*testing.T, string){
		"a lock on an open revision":  rewrite(`"revision": 1`, `"revision": 2`),
		"a skipped revision":          rewrite(`"kind": "lock"`, `"kind": "revise", "x": 1`),
		"a close of another identity": rewrite("\"kind\": \"lock\",\n  \"identity\": \"", "\"kind\": \"close\",\n  \"identity\": \"0"),
		"an unknown kind":             rewrite(`"kind": "lock"`, `"kind": "bless"`),
		"no JSON":                     rewrite(`{`, ``),
		"a tree without a record":     func(t *testing.T, dir string) { git(t, dir, "update-ref", ChainRef("login"), "HEAD") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := newRepo(t)
			repo := open(t, dir)
			lock(t, repo, draft(t, repo, "login", "plans/login", "one"))
			tamper(t, dir)
			if _, err := Load(ctx, open(t, dir), "login"); !errors.Is(err, ErrCorrupt) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestADeletedChainIsMissedAndCanBePutBack(t *testing.T) {
	dir := newRepo(t)
	repo := open(t, dir)
	d := draft(t, repo, "login", "plans/login", "one")
	tip := lock(t, repo, d).Chain.Tip().OID
	git(t, dir, "update-ref", "-d", ChainRef("login"))
	repo = open(t, dir)
	if _, err := LockDraft(ctx, repo, time.Now(), d); !errors.Is(err, ErrMissing) {
		t.Fatalf("lock over a deleted chain: %v", err)
	}
	git(t, dir, "gc", "-q", "--prune=now")
	m, err := Bound(ctx, repo)
	if err != nil {
		t.Fatal(err)
	}
	if err := PutBack(ctx, repo, m); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(ctx, open(t, dir), "login"); err != nil || c.Tip().OID != tip {
		t.Errorf("%v %v", c, err)
	}
}

func TestALockFileOfAKilledGitDoesNotBlockForLong(t *testing.T) {
	dir := newRepo(t)
	repo := open(t, dir)
	d := draft(t, repo, "login", "plans/login", "one")
	left := filepath.Join(dir, ".git", "refs", "longtask", "login", "authority.lock")
	if err := os.MkdirAll(filepath.Dir(left), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if l := lock(t, repo, d); !l.First {
		t.Errorf("%+v", l)
	}
}

func TestOnlyTwentySnapshotsStay(t *testing.T) {
	dir := newRepo(t)
	repo := open(t, dir)
	head, err := repo.Commit(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	for range 23 {
		if _, err := Append(ctx, repo, time.Now(), Entry{Task: "login", Tried: &Snapshot{Tree: head.Tree, Parent: head.OID}}); err != nil {
			t.Fatal(err)
		}
	}
	refs := strings.Fields(git(t, dir, "for-each-ref", "--format=%(refname:lstrip=4)", "refs/longtask/login/attempts"))
	if len(refs) != 20 {
		t.Errorf("%d snapshots: %v", len(refs), refs)
	}
	if err := exec.Command("git", "-C", dir, "rev-parse", "-q", "--verify", "refs/longtask/login/attempts/3").Run(); err == nil {
		t.Error("the oldest ones stayed")
	}
}
