package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/git-longtask/git-longtask/gate/authority"
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

func newRepo(t *testing.T) (string, *gitx.Repo) {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "start")
	repo, err := gitx.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return dir, repo
}

func TestLeadsOut(t *testing.T) {
	_, repo := newRepo(t)
	o := repo.NewObjects()
	link := func(target string) gitx.TreeEntry {
		return gitx.TreeEntry{Mode: gitx.ModeSymlink, OID: o.Blob([]byte(target))}
	}
	links := map[string]struct {
		target string
		out    bool
	}{
		"a":             {"b/c", false},
		"b/up":          {"../a", false},
		"b/top":         {"..", false},
		"b/escape":      {"../..", true},
		"absolute":      {"/etc/passwd", true},
		"drive":         {`C:\x`, true},
		"loop":          {"loop", true},
		"hop":           {"b/escape", true},
		"deep/d/shelf":  {"../../b", false},
		"through":       {"deep/d/shelf/../../x", true}, // shelf is b: two levels up leave
		"lexical":       {"deep/d/shelf/..", false},
		"dots":          {"./././b/./up", false},
		"gone":          {"nowhere/at/all", false},
		"gone-then-out": {"nowhere/../../x", true},
	}
	files := map[string]gitx.TreeEntry{"b/c": {Mode: gitx.ModeFile, OID: o.Blob([]byte("c"))}}
	for path, l := range links {
		files[path] = link(l.target)
	}
	tree := o.Nested(files)
	if err := repo.Write(ctx, o); err != nil {
		t.Fatal(err)
	}
	for path, l := range links {
		_, out, err := leadsOut(ctx, repo, path, inTree(repo, tree))
		if err != nil || out != l.out {
			t.Errorf("%s -> %s: out %v, want %v (%v)", path, l.target, out, l.out, err)
		}
	}
}

func TestMovingBase(t *testing.T) {
	dir, repo := newRepo(t)
	commit := func(branch, name string) gitx.OID {
		git(t, dir, "checkout", "-q", "-B", branch)
		git(t, dir, "commit", "-q", "--allow-empty", "-m", name)
		return gitx.OID(git(t, dir, "rev-parse", "HEAD"))
	}
	base := gitx.OID(git(t, dir, "rev-parse", "HEAD"))
	work := commit("feature", "work")
	git(t, dir, "checkout", "-q", "main")
	newer := commit("main", "others")
	git(t, dir, "checkout", "-q", "feature")
	git(t, dir, "merge", "-q", "--no-edit", "main")
	merged := gitx.OID(git(t, dir, "rev-parse", "HEAD"))
	git(t, dir, "checkout", "-q", "--orphan", "island")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "island")
	island := gitx.OID(git(t, dir, "rev-parse", "HEAD"))
	git(t, dir, "checkout", "-q", "--detach", string(newer))
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "rebased")
	rebased := gitx.OID(git(t, dir, "rev-parse", "HEAD"))

	rec := authority.Record{Task: "t", BaseCommit: base}
	for _, c := range []struct {
		name string
		rec  authority.Record
		line line
		want gitx.OID // "" is base_not_ancestor
	}{
		{"no integration branch", rec, line{Commit: work}, base},
		{"integration at the base", rec, line{Commit: work, Integration: string(base)}, base},
		{"integration went on, not merged", rec, line{Commit: work, Integration: "main"}, base},
		{"integration merged in", rec, line{Commit: merged, Integration: "main"}, newer},
		{"landed on the integration branch", rec, line{Commit: newer, Integration: "main"}, base},
		{"the next commit on top of it", rec, line{Commit: newer, Integration: "main", Growing: true}, newer},
		{"integration ref that is not here", rec, line{Commit: work, Integration: "refs/remotes/origin/gone"}, base},
		{"a base that a rewrite removed", authority.Record{Task: "t", BaseCommit: work}, line{Commit: rebased, Integration: "main"}, newer},
		{"the same without integration", authority.Record{Task: "t", BaseCommit: work}, line{Commit: rebased}, ""},
		{"no common history", rec, line{Commit: island, Integration: "main"}, ""},
	} {
		got, problem, err := movingBase(ctx, repo, c.rec, c.line)
		if err != nil || got != c.want || (problem == nil) != (c.want != "") {
			t.Errorf("%s: got %s, want %s (%v, %v)", c.name, got.Short(), c.want.Short(), problem, err)
		}
	}
}

func TestOutcomeState(t *testing.T) {
	for _, c := range []struct {
		checks []string
		want   string
	}{
		{[]string{ProgressPassing, ProgressPassing}, ProgressPassing},
		{[]string{ProgressPassing, Unverified}, Unverified},
		{[]string{ProgressStale, Unverified}, ProgressStale},
		{[]string{ProgressStale, BlockedExternal}, BlockedExternal},
		{[]string{BlockedExternal, ProgressFailing}, ProgressFailing},
	} {
		if got := outcomeState(c.checks); got != c.want {
			t.Errorf("%v: %s, want %s", c.checks, got, c.want)
		}
	}
}

func TestReceiptsAreCutToFit(t *testing.T) {
	long := strings.Repeat("x", 3000)
	observations := map[string]any{"short": "kept"}
	for i := range 100 {
		observations[string(rune('a'+i%26))+strings.Repeat("k", i)] = long
	}
	s := Statement{Type: statementType, PredicateType: PredicateType, Predicate: Predicate{Checks: []ReceiptCheck{{ID: "CHECK.a.b", Observations: observations}}}}
	line, err := s.encode()
	if err != nil || len(line) > maxReceipt || bytes.ContainsRune(line, '\n') {
		t.Fatalf("%d bytes, %v", len(line), err)
	}
	var back Statement
	if err := json.Unmarshal(line, &back); err != nil {
		t.Fatal(err)
	}
	got := back.Predicate.Checks[0].Observations
	if got["short"] != "kept" {
		t.Errorf("a short value was cut: %v", got["short"])
	}
	cut, ok := got["a"].(map[string]any)
	if !ok || cut["sha256"] != digest([]byte(`"`+long+`"`)) {
		t.Errorf("a long value: %v", got["a"])
	}
	if !equalLines(t, s, line) {
		t.Error("encoding twice gives different bytes")
	}
}

func equalLines(t *testing.T, s Statement, line []byte) bool {
	t.Helper()
	again, err := s.encode()
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(line, again)
}

// FuzzReceiptLine: whatever stands in a note, reading it is safe, and what is
// no receipt is passed over.
func FuzzReceiptLine(f *testing.F) {
	f.Add([]byte(`{"_type":"https://in-toto.io/Statement/v1"}`))
	f.Add([]byte("null\n[]\n{}"))
	f.Fuzz(func(t *testing.T, note []byte) {
		for _, s := range parseReceipts(note, "0123456789012345678901234567890123456789") {
			if s.Type != statementType || len(s.Subject) != 1 {
				t.Errorf("accepted %q", s.Line)
			}
		}
	})
}
