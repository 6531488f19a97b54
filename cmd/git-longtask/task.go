package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// task is the active task of this worktree. A workdir that is named must be
// the task's own.
func (inv *invocation) task(ctx context.Context, workdir string) (*gate.Task, error) {
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil, err
	}
	t, err := gate.Active(ctx, repo)
	if err == nil {
		err = authority.InLine(ctx, repo, t.Chain)
	}
	if err != nil {
		return nil, inv.taskError(ctx, repo, err)
	}
	if workdir == "" {
		return t, nil
	}
	dir, err := inv.inRepo(repo, workdir)
	if err != nil {
		return nil, err
	}
	if dir != t.Compiled.Workdir {
		return nil, &decideError{Code: codeOtherWorkdir,
			Message: fmt.Sprintf("task %s is active in this worktree and lives in %s, not in %s", t.ID(), t.Compiled.Workdir, dir),
			Hint:    "leave the workdir out, or go to the worktree of the other task", Next: "git longtask tasks"}
	}
	return t, nil
}

// taskError gives the errors of reading a task their code and remedy.
func (inv *invocation) taskError(ctx context.Context, repo *gitx.Repo, err error) error {
	switch {
	case errors.Is(err, gate.ErrNoTask):
		return inv.noTask(ctx, repo)
	case errors.Is(err, authority.ErrMissing):
		return &decideError{Code: authority.ErrMissing.Error(), Message: plainly(err, authority.ErrMissing, "its authority is not in this repository"),
			Hint: "fetch it from where it was published, or let doctor look for what is left of it", Next: "git longtask sync"}
	case errors.Is(err, gitx.ErrMissing):
		return &decideError{Code: "object_missing", Message: err.Error(),
			Hint: "this clone holds only a part of its history; let git longtask fetch the authority while the remote can be reached", Next: "git longtask sync"}
	case errors.Is(err, authority.ErrRewritten):
		return &decideError{Code: authority.ErrRewritten.Error(), Message: plainly(err, authority.ErrRewritten, "its authority was rewritten"),
			Hint: "find out which of the two was changed and by whom; nothing is decided before they agree", Next: "git longtask doctor"}
	case errors.Is(err, authority.ErrFormat):
		return &decideError{Code: authority.ErrFormat.Error(), Message: plainly(err, authority.ErrFormat, "written by another version"),
			Hint: "use the version of git-longtask that locked the task, or a newer one"}
	case errors.Is(err, authority.ErrCorrupt):
		return &decideError{Code: authority.ErrCorrupt.Error(), Message: plainly(err, authority.ErrCorrupt, "its records do not hold together"),
			Hint: "fetch a whole copy from where it was published, or look closer with doctor", Next: "git longtask doctor"}
	}
	return err
}

// plainly puts words where an error text holds a code.
func plainly(err, code error, words string) string {
	return strings.Replace(err.Error(), code.Error(), words, 1)
}

func (inv *invocation) noTask(ctx context.Context, repo *gitx.Repo) error {
	e := &decideError{Code: gate.ErrNoTask.Error(), Message: "no task is locked in this worktree"}
	rows, err := taskRows(ctx, repo)
	if err != nil || len(rows) == 0 {
		e.Hint = "lock a contract to start one"
		e.Next = "git longtask compile <workdir>"
		return e
	}
	var names []string
	for _, r := range rows {
		names = append(names, fmt.Sprintf("%s (%s)", r.ID, r.place()))
	}
	e.Hint = "tasks of this repository: " + strings.Join(names, ", ") + "\nto work on one here, check out its branch and compile its workdir"
	e.Next = "git longtask compile " + rows[0].Workdir
	return e
}

// inRepo turns a directory as typed into a repository path.
func (inv *invocation) inRepo(repo *gitx.Repo, dir string) (string, error) {
	abs := dir
	if !filepath.IsAbs(dir) {
		abs = filepath.Join(inv.Dir, dir)
	}
	abs = resolved(abs)
	rel, err := filepath.Rel(repo.Top, abs)
	if top, e := filepath.EvalSymlinks(repo.Top); e == nil && (err != nil || strings.HasPrefix(rel, "..")) {
		rel, err = filepath.Rel(top, abs)
	}
	rel = filepath.ToSlash(rel)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", &decideError{Code: "path_outside_repository", Message: fmt.Sprintf("%s is not inside the repository", dir), Hint: "name a directory of this repository"}
	}
	return rel, nil
}

// resolved follows the links of what exists of a path; the rest need not.
func resolved(abs string) string {
	real, err := filepath.EvalSymlinks(abs)
	switch up := filepath.Dir(abs); {
	case err == nil:
		return real
	case up != abs:
		return filepath.Join(resolved(up), filepath.Base(abs))
	}
	return abs
}

// author is the contract to compile: the named workdir, the active task's, or
// the only contract of the repository.
func (inv *invocation) author(ctx context.Context, repo *gitx.Repo, tree *contract.Tree, workdir string) (string, error) {
	if workdir != "" {
		dir, err := inv.inRepo(repo, workdir)
		if err == nil && path.Base(dir) == contract.FileName {
			dir = path.Dir(dir)
		}
		if err == nil {
			err = notADirectory(repo, dir, workdir)
		}
		return dir, err
	}
	if t, err := gate.Active(ctx, repo); err == nil {
		return t.Compiled.Workdir, nil
	}
	found := contract.FindContracts(tree)
	switch len(found) {
	case 0:
		return "", &decideError{Code: "contract_missing", Message: fmt.Sprintf("there is no %s in this repository", contract.FileName), Hint: "write one, or name its directory", Next: "git longtask init <workdir>"}
	case 1:
		return found[0], nil
	}
	return "", &decideError{Code: "contract_ambiguous", Message: fmt.Sprintf("this repository has %d contracts; name the workdir of one", len(found)),
		Hint: strings.Join(found, "\n"), Next: "git longtask preflight " + found[0]}
}

func notADirectory(repo *gitx.Repo, dir, typed string) error {
	info, err := os.Stat(filepath.Join(repo.Top, filepath.FromSlash(dir)))
	if err == nil && !info.IsDir() {
		return &decideError{Code: "workdir_not_directory", Message: fmt.Sprintf("%s is a file; a workdir is the directory that holds %s", typed, contract.FileName)}
	}
	return nil
}

// taskRow is one task of the repository for people and for JSON.
type taskRow struct {
	ID             string   `json:"id"`
	State          string   `json:"state"`
	Revision       int      `json:"authority_revision"`
	Workdir        string   `json:"workdir"`
	Branch         string   `json:"branch"`
	Worktree       string   `json:"worktree,omitempty"`
	Commit         gitx.OID `json:"commit,omitempty"`
	LastVerdict    string   `json:"last_verdict,omitempty"`
	WorkflowStatus string   `json:"workflow_status,omitempty"`
	Problem        string   `json:"problem,omitempty"`
}

func (r taskRow) place() string {
	if r.State != "open" {
		return r.State
	}
	return shortBranch(r.Branch)
}

func shortBranch(ref string) string {
	if ref == "" {
		return "detached"
	}
	return strings.TrimPrefix(ref, "refs/heads/")
}

// taskRows reads every task; one that cannot be read is a row with a problem.
func taskRows(ctx context.Context, repo *gitx.Repo) ([]taskRow, error) {
	trees, err := repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	at := map[string]string{}
	for _, w := range trees {
		at[w.Branch] = w.Path
	}
	var rows []taskRow
	for _, id := range authority.Tasks(repo) {
		row := taskRow{ID: id}
		chain, err := authority.Load(ctx, repo, id)
		if err != nil {
			row.State, row.Problem = "unreadable", err.Error()
			rows = append(rows, row)
			continue
		}
		rec := chain.Tip().Record
		row.State, row.Revision, row.Workdir, row.Branch = chain.State(), rec.Revision, rec.Workdir, rec.Branch
		row.Commit, row.WorkflowStatus = rec.Commit, rec.WorkflowStatus
		if row.State == "open" && row.Branch != "" {
			row.Worktree = at[row.Branch]
		}
		if row.LastVerdict, err = gate.LastVerdict(ctx, repo, id); err != nil {
			row.Problem = err.Error()
		}
		rows = append(rows, row)
	}
	return rows, nil
}
