package hooks

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

// Uninstall takes away the files that are exactly ours and puts back the hooks
// that were there before, byte for byte and with their modes, by renaming. It
// looks where Git takes hooks from now and where it takes them from by default,
// since core.hooksPath may have changed after the installation.
func Uninstall(ctx context.Context, repo *gitx.Repo) (Report, error) {
	report := Report{Status: StatusNotInstalled, Hooks: []HookState{}, Findings: []contract.Finding{}}
	dirs, err := uninstallDirs(ctx, repo)
	if err != nil {
		return report, err
	}
	changed := false
	for i, dir := range dirs {
		f, err := look(ctx, repo, dir)
		if err != nil {
			return report, err
		}
		for _, h := range f.hooks {
			state, found, err := takeAway(f, h)
			if err != nil {
				return report, err
			}
			done := state.State == Removed || state.State == Restored
			changed = changed || done
			report.Findings = append(report.Findings, found...)
			if i == 0 || done {
				report.Hooks = append(report.Hooks, state)
			}
		}
	}
	report.Dir = dirs[0].Path
	switch {
	case contract.Refuses(report.Findings):
		report.Status = StatusPartlyUninstalled
	case changed:
		report.Status = StatusUninstalled
	}
	return report, nil
}

func uninstallDirs(ctx context.Context, repo *gitx.Repo) ([]gitx.HooksDir, error) {
	dir, err := repo.HooksDir(ctx)
	if err != nil {
		return nil, err
	}
	usual := gitx.HooksDir{Path: filepath.Join(repo.CommonDir, "hooks")}
	switch {
	case dir.Scope != "" && dir.Scope != "local" && dir.Scope != "worktree":
		return []gitx.HooksDir{usual}, nil
	case filepath.Clean(dir.Path) == usual.Path:
		return []gitx.HooksDir{dir}, nil
	}
	return []gitx.HooksDir{dir, usual}, nil
}

// takeAway undoes one hook.
func takeAway(f facts, h hookFacts) (HookState, []contract.Finding, error) {
	s := inspectHook(f, h)
	who, said := recognise(h.current.data)
	var err error
	switch {
	case who == edited:
		return s, []contract.Finding{editedStays(h.name, s.Path)}, nil
	case who == ours && said.previous && h.saved.kind != absent:
		s.State, err = Restored, os.Rename(s.Path+savedSuffix, s.Path)
	case who == ours:
		s.State, err = Removed, os.Remove(s.Path)
	case h.current.kind == absent && h.saved.kind != absent:
		s.State, err = Restored, moveNew(s.Path+savedSuffix, s.Path)
	case h.saved.kind != absent:
		return s, []contract.Finding{savedStays(h.name, s.Path)}, nil
	case s.State == Managed && s.Manager == "pre-commit" && isOurs(h.legacy):
		s.State, err = Removed, os.Remove(s.Path+legacySuffix)
	case s.State == Managed:
		return s, []contract.Finding{callStays(h.name, s)}, nil
	}
	if errors.Is(err, fs.ErrPermission) || readOnly(err) {
		return inspectHook(f, h), []contract.Finding{hooksDirNotWritable(h.name, s.Path, err)}, nil
	}
	s.Binary, s.Previous = "", ""
	return s, nil, err
}
