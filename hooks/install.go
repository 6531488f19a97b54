package hooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

// Install puts the hooks where Git looks for them in this worktree and proves
// that Git would run them. A hook that was there is kept beside ours and called
// first. What stands in the way is a finding, and the other hooks are installed
// all the same; an error means that the repository could not be read.
func Install(ctx context.Context, repo *gitx.Repo, opt InstallOptions) (Report, error) {
	if repo.Bare {
		return Report{Status: StatusRefused, Hooks: []HookState{}, Findings: []contract.Finding{bareRepository(repo.GitDir)}}, nil
	}
	dir, err := repo.HooksDir(ctx)
	if err != nil {
		return Report{}, err
	}
	report := Report{Dir: dir.Path, Hooks: []HookState{}, Findings: []contract.Finding{}}
	f, err := look(ctx, repo, dir)
	if err != nil {
		return report, err
	}
	if refused := refusals(f, opt); len(refused) > 0 {
		report.Status, report.Hooks, report.Findings = StatusRefused, inspect(f), refused
		return report, nil
	}
	before, wrote := inspect(f), false
	for i, p := range planInstall(f, opt) {
		if p, err = carryOut(p, before[i]); err != nil {
			return report, err
		}
		wrote = wrote || len(p.steps) > 0
		report.Hooks = append(report.Hooks, p.state)
		report.Findings = append(report.Findings, p.findings...)
	}
	proved, err := prove(ctx, repo, &report)
	if err != nil {
		return report, err
	}
	if err := report.adviseOnPlace(ctx, repo, f); err != nil {
		return report, err
	}
	report.Status = installStatus(report, wrote, proved)
	return report, nil
}

// carryOut applies the plan of one hook. A directory that cannot be written and
// a file that appeared meanwhile are for the person to solve.
func carryOut(p hookPlan, before HookState) (hookPlan, error) {
	err := apply(before.Path, p.steps)
	var why contract.Finding
	switch {
	case err == nil:
		return p, nil
	case errors.Is(err, fs.ErrExist):
		why = hookBackupExists(before.Name, before.Path, before.Path+savedSuffix)
	case errors.Is(err, fs.ErrPermission) || readOnly(err):
		why = hooksDirNotWritable(before.Name, before.Path, err)
	default:
		return p, fmt.Errorf("hook %s: %w", before.Name, err)
	}
	return hookPlan{state: before, findings: append(p.findings, why)}, nil
}

func installStatus(r Report, wrote, proved bool) string {
	present := 0
	for _, h := range r.Hooks {
		if h.State == Installed || h.State == Managed {
			present++
		}
	}
	switch {
	case !proved:
		return StatusNotProved
	case present == 0:
		return StatusRefused
	case contract.Refuses(r.Findings):
		return StatusPartlyInstalled
	case !wrote:
		return StatusAlreadyInstalled
	}
	return StatusInstalled
}

// adviseOnPlace warns when the hooks are somewhere a person may not expect.
func (r *Report) adviseOnPlace(ctx context.Context, repo *gitx.Repo, f facts) error {
	if f.inTree != "" && f.dir.Value != "" && !filepath.IsAbs(f.dir.Value) && f.dir.Value[0] != '~' {
		r.Findings = append(r.Findings, hooksPathPerWorktree(f.dir))
	}
	if f.shared {
		r.Findings = append(r.Findings, hooksPathShared(f.dir))
	}
	if f.inTree == "" {
		return nil
	}
	entries, err := repo.Status(ctx)
	if err != nil {
		return fmt.Errorf("status after install: %w", err)
	}
	var untracked []string
	for _, e := range entries {
		for _, h := range r.Hooks {
			at := filepath.ToSlash(filepath.Join(f.inTree, h.Name))
			if e.Untracked && (e.Path == at || e.Path == at+savedSuffix) && h.State == Installed {
				untracked = append(untracked, e.Path)
			}
		}
	}
	if len(untracked) > 0 {
		r.Findings = append(r.Findings, hooksUntracked(untracked, filepath.Join(repo.CommonDir, "info", "exclude")))
	}
	return nil
}
