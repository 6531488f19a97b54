package gitx

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// remoteAndClones makes a bare remote and clones of it, of each kind we must serve.
func remoteAndClones(t *testing.T) (bare string, clones map[string]string) {
	t.Helper()
	origin := newRepo(t)
	bare = filepath.Join(realTempDir(t), "remote.git")
	git(t, origin, "clone", "-q", "--bare", origin, bare)
	git(t, bare, "config", "uploadpack.allowFilter", "true")
	clones = make(map[string]string)
	for name, args := range map[string][]string{"whole": nil, "shallow": {"--depth=1"}, "partial": {"--filter=tree:0"}} {
		clones[name] = filepath.Join(realTempDir(t), name)
		git(t, bare, append(append([]string{"clone", "-q"}, args...), "file://"+bare, clones[name])...)
	}
	clones["by path"] = filepath.Join(realTempDir(t), "by path")
	git(t, bare, "clone", "-q", bare, clones["by path"])
	clones["linked"] = filepath.Join(realTempDir(t), "linked")
	git(t, clones["whole"], "worktree", "add", "-q", "-b", "other", clones["linked"])
	return bare, clones
}

const remoteChain, remoteNote = "refs/longtask/t/authority", "refs/notes/longtask"

// ourCommit writes a commit of our own on top of another.
func ourCommit(t *testing.T, r *Repo, text string, parents ...OID) OID {
	t.Helper()
	o := r.NewObjects()
	c := o.Commit(CommitSpec{Tree: o.Nested(map[string]TreeEntry{"record": {Mode: ModeFile, OID: o.Blob([]byte(text))}}), Parents: parents, Message: text})
	if err := r.Write(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPushAndFetchRefs(t *testing.T) {
	bare, clones := remoteAndClones(t)
	reader := openRepo(t, clones["whole"])
	for name, dir := range clones {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			chain, note := remoteChain+"-"+strings.ReplaceAll(name, " ", "-"), remoteNote+"-"+strings.ReplaceAll(name, " ", "-")
			if err := os.WriteFile(filepath.Join(openRepo(t, dir).CommonDir, "hooks", "pre-push"), []byte("#!/bin/sh\nexit 1\n"), 0o777); err != nil {
				t.Fatal(err)
			}
			r := openRepo(t, dir)
			git(t, dir, "config", "push.followTags", "true")
			first := ourCommit(t, r, "first")
			second := ourCommit(t, r, "second", first)
			if err := r.PushRefs(ctx, "origin", []RefUpdate{{Name: chain, New: first}, {Name: note, New: first, Old: r.Zero()}}); err != nil {
				t.Fatal(err)
			}
			if err := r.PushRefs(ctx, "origin", []RefUpdate{{Name: chain, New: second, Old: first}, {Name: note, Old: first}}); err != nil {
				t.Fatal(err)
			}
			refs, err := r.LsRemote(ctx, "origin", chain, note)
			if err != nil || len(refs) != 1 || refs[0] != (Ref{chain, second}) {
				t.Errorf("LsRemote = %v, %v", refs, err)
			}
			git(t, reader.Top, "config", "fetch.prune", "true")
			kept := "refs/longtask-remotes/origin/kept"
			git(t, reader.Top, "update-ref", kept, "HEAD")
			specs := []string{"+" + chain + ":refs/longtask-remotes/origin/" + chain, note + ":refs/x/none", "refs/none/*:refs/longtask-remotes/origin/*"}
			if err := reader.FetchRefs(ctx, "origin", specs); err != nil {
				t.Fatal(err)
			}
			if got, err := reader.Ref(ctx, "refs/longtask-remotes/origin/"+chain); err != nil || got != second {
				t.Errorf("fetched %s, %v", got, err)
			}
			if _, err := reader.Ref(ctx, kept); err != nil {
				t.Errorf("the fetch pruned: %v", err)
			}
		})
	}
	if got := git(t, bare, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags"); got != "refs/heads/main" {
		t.Errorf("branches and tags of the remote: %s", got)
	}
	if _, err := os.Stat(filepath.Join(reader.GitDir, "FETCH_HEAD")); err == nil {
		t.Error("the fetch wrote FETCH_HEAD")
	}
}

// All or nothing, and only where the remote is as we last saw it.
func TestPushLosesARace(t *testing.T) {
	bare, clones := remoteAndClones(t)
	r := openRepo(t, clones["by path"])
	ctx := context.Background()
	first := ourCommit(t, r, "first")
	other, ours := ourCommit(t, r, "other", first), ourCommit(t, r, "ours", first)
	if err := r.PushRefs(ctx, "origin", []RefUpdate{{Name: remoteChain, New: first}}); err != nil {
		t.Fatal(err)
	}
	if err := r.PushRefs(ctx, "origin", []RefUpdate{{Name: remoteChain, New: other, Old: first}}); err != nil {
		t.Fatal(err)
	}
	for name, updates := range map[string][]RefUpdate{
		"moved":           {{Name: remoteNote, New: ours}, {Name: remoteChain, New: ours, Old: first}},
		"exists":          {{Name: remoteNote, New: ours}, {Name: remoteChain, New: ours}},
		"deleted, moved":  {{Name: remoteNote, New: ours}, {Name: remoteChain, Old: first}},
		"does not exist":  {{Name: remoteChain, New: ours, Old: other}, {Name: remoteNote, New: ours, Old: first}},
		"not there to go": {{Name: remoteChain, New: ours, Old: other}, {Name: remoteNote, Old: first}},
	} {
		if err := r.PushRefs(ctx, "origin", updates); !errors.Is(err, ErrStale) {
			t.Errorf("%s: %v, want ErrStale", name, err)
		}
	}
	refs, err := r.LsRemote(ctx, "origin", "refs/longtask/*", "refs/notes/*")
	if err != nil || len(refs) != 1 || refs[0] != (Ref{remoteChain, other}) {
		t.Errorf("after refused pushes: %v, %v", refs, err)
	}
	if err := os.WriteFile(filepath.Join(bare, "hooks", "update"), []byte("#!/bin/sh\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	var g *GitError
	if err := r.PushRefs(ctx, "origin", []RefUpdate{{Name: remoteChain, New: ours, Old: other}}); errors.Is(err, ErrStale) || !errors.As(err, &g) {
		t.Errorf("a push the remote's hook refuses: %v", err)
	}
}

func TestRemoteThatIsNotThere(t *testing.T) {
	r := openRepo(t, newRepo(t))
	ctx := context.Background()
	for name, err := range map[string]error{
		"fetch": r.FetchRefs(ctx, "--upload-pack=touch x", []string{remoteChain}),
		"push":  r.PushRefs(ctx, "nowhere", []RefUpdate{{Name: remoteChain, New: OID(git(t, r.Top, "rev-parse", "HEAD"))}}),
	} {
		var g *GitError
		if !errors.As(err, &g) || errors.Is(err, ErrStale) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMatchesRef(t *testing.T) {
	for _, c := range []struct {
		name, pattern string
		want          bool
	}{
		{"refs/notes/longtask", "refs/notes/longtask", true},
		{"refs/x/refs/notes/longtask", "refs/notes/longtask", false},
		{"refs/longtask/t/a", "refs/longtask/*", true},
		{"refs/longtasks/t", "refs/longtask/*", false},
	} {
		if got := matchesRef(c.name, []string{c.pattern}); got != c.want {
			t.Errorf("matchesRef(%s, %s) = %v", c.name, c.pattern, got)
		}
	}
}
