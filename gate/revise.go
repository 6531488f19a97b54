package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/contract/revision"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

const codeUserDecision = "authority_change_requires_user_decision"

// riskSurfaces is where a project says which paths are risky to change.
const riskSurfaces = "project_context/risk-surfaces.yaml"

// fileReader gives the bytes of a frozen file by its path.
type fileReader func(ctx context.Context, path string) ([]byte, error)

// linkFiles reads the frozen files of a link.
func linkFiles(repo *gitx.Repo, l authority.Link) fileReader {
	return func(ctx context.Context, path string) ([]byte, error) {
		e, err := l.File(ctx, repo, path)
		if err != nil {
			return nil, err
		}
		o, err := repo.Read(ctx, string(e.OID))
		return o.Data, err
	}
}

// judge compares the draft with a revision.
func (d *Draft) judge(repo *gitx.Repo) func(context.Context, authority.Link) ([]revision.Change, error) {
	return func(ctx context.Context, old authority.Link) ([]revision.Change, error) {
		return changesFrom(ctx, repo, old, d.Compiled, d.tree.Read)
	}
}

// changesFrom compares a revision with a compiled contract and its files.
func changesFrom(ctx context.Context, repo *gitx.Repo, old authority.Link, next *contract.Compiled, read fileReader) ([]revision.Change, error) {
	compiled, err := old.Compiled(ctx, repo)
	if err != nil {
		return nil, err
	}
	a, b := revision.Side{Compiled: compiled, Files: map[string][]byte{}}, revision.Side{Compiled: next, Files: map[string][]byte{}}
	if err := addFiles(ctx, a, b, linkFiles(repo, old)); err != nil {
		return nil, err
	}
	if err := addFiles(ctx, b, a, read); err != nil {
		return nil, err
	}
	var trouble error
	changes, err := revision.Compare(a, b, func(path string) (string, bool) {
		e, err := repo.Entry(ctx, old.Record.BaseTree, path)
		if errors.Is(err, gitx.ErrNotFound) {
			return "", false
		}
		var o gitx.Object
		if err == nil {
			o, err = repo.Read(ctx, string(e.OID))
		}
		if err != nil {
			trouble = fmt.Errorf("base of revision %d: %s: %w", old.Record.Revision, path, err)
		}
		sum := sha256.Sum256(o.Data)
		return hex.EncodeToString(sum[:]), true
	})
	return changes, errors.Join(err, trouble)
}

// addFiles reads those files of a side whose bytes the other does not have.
func addFiles(ctx context.Context, s, other revision.Side, read fileReader) error {
	for _, f := range s.Compiled.Files {
		same := func(o contract.Frozen) bool { return o.Path == f.Path && o.SHA256 == f.SHA256 }
		if slices.ContainsFunc(other.Compiled.Files, same) {
			continue
		}
		data, err := read(ctx, f.Path)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		s.Files[f.Path] = data
	}
	return nil
}

// refused says why a changed contract did not become authority.
func (d *Draft) refused(l authority.Locked) []contract.Finding {
	switch l.Status {
	case "pending":
		need := revision.Protected(l.Changes)
		return []contract.Finding{{Code: codeUserDecision, Level: contract.LevelDecision, Path: d.Path, Line: 1, Column: 1,
			Message:    fmt.Sprintf("revision %s of task %s changes what only a person may change (%s)", l.Pending, d.draft.Task, strings.Join(reasons(need), ", ")),
			RepairHint: "a person looks at the changes and approves them on a terminal; or take them back", Next: "git longtask approve " + l.Pending,
			Refs: map[string]any{"revision": l.Pending, "reasons": reasons(need)}}}
	case "rejected":
		var findings []contract.Finding
		for _, c := range revision.Rejected(l.Changes) {
			f := contract.Finding{Code: revision.DowngradeRejected, Level: contract.LevelError, Path: d.Path, Line: 1, Column: 1,
				Message:    fmt.Sprintf("the risk of task %s was %s when it was locked; a revision never lowers it", d.draft.Task, c.Old),
				RepairHint: "keep the risk facts and the level; a lower risk needs another task, after this one is finished or abandoned",
				Refs:       map[string]any{"expected": c.Old, "actual": c.New}}
			if c.New == "" {
				f.Message = fmt.Sprintf("the risk reason %s of task %s is gone; a revision never drops one", c.Old, d.draft.Task)
			}
			findings = append(findings, f)
		}
		return findings
	}
	return nil
}

func reasons(changes []revision.Change) []string {
	var names []string
	for _, c := range changes {
		if !slices.Contains(names, c.Reason) {
			names = append(names, c.Reason)
		}
	}
	return names
}

// changedPaths are the paths that differ from where the work of this worktree
// started, for projects that declare risk surfaces; for others nobody asks.
func changedPaths(ctx context.Context, repo *gitx.Repo, tree *contract.Tree) ([]string, error) {
	if repo.Unborn || !slices.ContainsFunc(tree.Entries, func(e contract.Entry) bool { return e.Path == riskSurfaces }) {
		return nil, nil
	}
	var paths []string
	status, err := repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range status {
		paths = append(paths, s.Path)
	}
	t, err := Active(ctx, repo)
	switch {
	case errors.Is(err, ErrNoTask):
		return paths, nil
	case err != nil:
		return nil, err
	}
	head, err := repo.Commit(ctx, "HEAD")
	if err != nil {
		return nil, fmt.Errorf("HEAD: %w", err)
	}
	changes, err := repo.DiffTrees(ctx, t.Link.Record.BaseTree, head.Tree)
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths, err
}
