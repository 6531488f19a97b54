package hooks

import (
	"context"
	"path/filepath"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

// Inspect reads what stands where Git looks for each hook, without running
// anything. A bare repository has no hooks of ours: the result is empty.
func Inspect(ctx context.Context, repo *gitx.Repo) ([]HookState, error) {
	if repo.Bare {
		return nil, nil
	}
	dir, err := repo.HooksDir(ctx)
	if err != nil {
		return nil, err
	}
	f, err := look(ctx, repo, dir)
	if err != nil {
		return nil, err
	}
	return inspect(f), nil
}

func inspect(f facts) []HookState {
	var states []HookState
	for _, h := range f.hooks {
		states = append(states, inspectHook(f, h))
	}
	return states
}

func inspectHook(f facts, h hookFacts) HookState {
	s := HookState{Name: h.name, Path: filepath.Join(f.dir.Path, h.name)}
	who, said := recognise(h.current.data)
	if who == ours {
		s.Binary = said.binary
		if said.previous {
			s.Previous = s.Path + savedSuffix
		}
	}
	if m, ok := managerOf(h.current.data); ok {
		s.Manager = m.name
	}
	switch {
	case h.current.kind == absent:
		s.State = Missing
	case who == edited:
		s.State = Edited
	case who == ours && !h.current.exec:
		s.State = NotExecutable
	case who == ours && !f.programs[said.binary] && !f.onPath:
		s.State = BinaryMissing
	case who == ours && said.previous && h.saved.kind == absent:
		s.State = SavedMissing
	case who == ours:
		s.State = Installed
	case managedCall(f, h):
		s.State = Managed
	default:
		s.State = Foreign
	}
	return s
}

// Finding is what doctor says about a hook, false when there is nothing to say.
// Missing hooks are a warning: only a repository with a task needs them.
func (h HookState) Finding() (contract.Finding, bool) {
	switch h.State {
	case Missing:
		f := finding("hook_missing", h.Path, installCommand, "no %s hook is installed, so nothing is checked at that moment", h.Name)
		f.Level = contract.LevelWarning
		return f, true
	case Foreign:
		return finding("hook_foreign", h.Path, installCommand, "the %s hook does not call git-longtask, so nothing is checked at that moment", h.Name), true
	case Edited:
		return hookEdited(h.Name, h.Path), true
	case BinaryMissing:
		return finding("hook_binary_missing", h.Path, installCommand,
			"the %s hook refuses everything, because git-longtask is neither at %s nor on PATH; install it again", h.Name, h.Binary), true
	case NotExecutable:
		return finding("hook_not_executable", h.Path, installCommand, "the %s hook is not executable, so Git ignores it", h.Name), true
	case SavedMissing:
		return hookSavedMissing(h.Name, h.Path, contract.LevelError), true
	}
	return contract.Finding{}, false
}
