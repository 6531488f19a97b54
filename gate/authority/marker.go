package authority

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-longtask/git-longtask/gitx"
)

// Marker is marker.json: which task is active in this worktree, and on which
// branch it was bound. Chain is the link the marker's commit has as parent; it
// keeps the authority's objects alive even when somebody deletes its ref.
type Marker struct {
	Format int      `json:"format"`
	Task   string   `json:"task"`
	Branch string   `json:"branch"`
	Chain  gitx.OID `json:"-"`
	Commit gitx.OID `json:"-"`
}

// ReadMarker reads the marker commit at oid. Errors: ErrCorrupt, ErrFormat.
func ReadMarker(ctx context.Context, repo *gitx.Repo, oid gitx.OID) (Marker, error) {
	c, err := repo.Commit(ctx, string(oid))
	if err != nil {
		return Marker{}, fmt.Errorf("%w: marker %s: %w", ErrCorrupt, oid.Short(), err)
	}
	l := Link{OID: oid, Tree: c.Tree}
	data, err := l.read(ctx, repo, "marker.json")
	if err != nil {
		return Marker{}, err
	}
	m := Marker{Commit: oid}
	if err := json.Unmarshal(data, &m); err != nil || m.Task == "" || len(c.Parents) != 1 {
		return Marker{}, fmt.Errorf("%w: marker %s is not readable", ErrCorrupt, oid.Short())
	}
	if m.Format != Format {
		return Marker{}, fmt.Errorf("%w: marker.json has format %d, this binary reads %d", ErrFormat, m.Format, Format)
	}
	m.Chain = c.Parents[0]
	return m, nil
}

// markerUpdate binds this worktree to a task. ok is false when it already is.
func markerUpdate(ctx context.Context, repo *gitx.Repo, o *gitx.Objects, m Marker, w stamp) (gitx.RefUpdate, bool, error) {
	old, err := repo.Ref(ctx, gitx.ActiveRef)
	if err != nil && !errors.Is(err, gitx.ErrNotFound) {
		return gitx.RefUpdate{}, false, err
	}
	if err == nil {
		have, err := ReadMarker(ctx, repo, old)
		if err == nil && have.Task == m.Task && have.Branch == m.Branch {
			return gitx.RefUpdate{}, false, nil
		}
	}
	m.Format = Format
	data, err := json.Marshal(m)
	if err != nil {
		return gitx.RefUpdate{}, false, err
	}
	blob := o.Blob(append(data, '\n'))
	tree := o.Tree([]gitx.TreeEntry{{Mode: 0o100644, Path: "marker.json", OID: blob}})
	commit := o.Commit(gitx.CommitSpec{Tree: tree, Parents: []gitx.OID{m.Chain}, Message: "longtask: active task " + m.Task + "\n", When: w.now})
	return gitx.RefUpdate{Name: gitx.ActiveRef, New: commit, Old: old}, true, nil
}

// OnBranch tells whether the worktree stands where the marker was bound: on
// the same branch, detached when bound detached, in the middle of that
// branch's rebase, or, when the branch is gone, on a HEAD that holds the base.
func (m Marker) OnBranch(ctx context.Context, repo *gitx.Repo, base gitx.OID) (bool, error) {
	if m.Branch == repo.Branch {
		return true, nil
	}
	if repo.Branch == "" && rebasing(repo) == m.Branch {
		return true, nil
	}
	if m.Branch == "" {
		return false, nil
	}
	_, err := repo.Ref(ctx, m.Branch)
	if !errors.Is(err, gitx.ErrNotFound) {
		return false, err
	}
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return false, nil
	}
	return repo.IsAncestor(ctx, base, head)
}

// rebasing is the branch a rebase in progress will move, "" when there is none.
func rebasing(repo *gitx.Repo) string {
	for _, dir := range []string{"rebase-merge", "rebase-apply"} {
		if data, err := os.ReadFile(filepath.Join(repo.GitDir, dir, "head-name")); err == nil {
			return strings.TrimSpace(string(data))
		}
	}
	return ""
}
