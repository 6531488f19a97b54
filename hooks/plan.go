package hooks

import (
	"path/filepath"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
)

// InstallOptions say what to install. Binary is the absolute path of the
// program the hooks start. Force goes on at the two places where Install stops
// for the sake of somebody's work: it takes over a hook of ours that was edited
// (the edited file is kept beside it) and writes where Git tracks the hooks.
// Nothing is ever overwritten.
type InstallOptions struct {
	Binary string
	Force  bool
}

// verb is one change to the hooks directory.
type verb int

const (
	save     verb = iota // keep the present hook, which holds data, under its saved name too
	setAside             // move the present hook to its edited name
	write                // put data in place of the hook, in one rename
)

type step struct {
	verb verb
	data []byte
}

// hookPlan is what Install will do to one hook, or why it does nothing.
type hookPlan struct {
	state    HookState
	steps    []step
	findings []contract.Finding
}

// refusals are the reasons that concern the whole directory.
func refusals(f facts, opt InstallOptions) []contract.Finding {
	switch {
	case f.dir.Scope != "" && f.dir.Scope != "local" && f.dir.Scope != "worktree":
		return []contract.Finding{hooksPathNotLocal(f.dir)}
	case !f.usable:
		return []contract.Finding{hooksPathUnusable(f.dir)}
	case !filepath.IsAbs(opt.Binary) || strings.ContainsAny(opt.Binary, "\n\r\x00"):
		return []contract.Finding{binaryPathUnusable(opt.Binary)}
	}
	return nil
}

// planInstall decides hook by hook, so that one which cannot be installed does
// not keep the others from being there.
func planInstall(f facts, opt InstallOptions) []hookPlan {
	var plans []hookPlan
	for _, h := range f.hooks {
		plans = append(plans, planHook(f, h, opt))
	}
	return plans
}

func planHook(f facts, h hookFacts, opt InstallOptions) hookPlan {
	at := filepath.Join(f.dir.Path, h.name)
	p := hookPlan{state: HookState{Name: h.name, Path: at, State: Installed, Binary: opt.Binary}}
	who, said := recognise(h.current.data)
	switch {
	case h.current.kind == other:
		return p.refuse(Foreign, hookNotAFile(h.name, at))
	case h.current.kind == absent:
		return p.writes(script(h.name, opt.Binary, h.saved.kind == regular), h)
	case who == ours:
		if said.previous && h.saved.kind == absent {
			p.findings = append(p.findings, hookSavedMissing(h.name, at, contract.LevelWarning))
		}
		return p.writes(script(h.name, opt.Binary, said.previous && h.saved.kind == regular), h)
	case who == edited && !opt.Force:
		return p.refuse(Edited, hookEdited(h.name, at))
	case who == edited && h.edited.kind != absent:
		return p.refuse(Edited, hookBackupExists(h.name, at, at+editedSuffix))
	case who == edited:
		p.steps = append(p.steps, step{verb: setAside})
		return p.writes(script(h.name, opt.Binary, h.saved.kind == regular), h)
	}
	return p.overForeign(f, h, opt)
}

// overForeign plans for a hook somebody else wrote.
func (p hookPlan) overForeign(f facts, h hookFacts, opt InstallOptions) hookPlan {
	p.state.Binary = ""
	m, managed := managerOf(h.current.data)
	p.state.Manager = m.name
	switch {
	case managedCall(f, h):
		p.state.State = Managed
		return p
	case managed:
		return p.refuse(Foreign, foreignHookManager(m, h.name, p.state.Path))
	case h.tracked && !opt.Force:
		return p.refuse(Foreign, hooksPathTracked(h.name, filepath.ToSlash(filepath.Join(f.inTree, h.name))))
	case h.saved.kind != absent && !h.saved.same(h.current):
		return p.refuse(Foreign, hookBackupExists(h.name, p.state.Path, p.state.Path+savedSuffix))
	case h.saved.kind == absent:
		p.steps = append(p.steps, step{save, h.current.data})
	}
	p.state.Binary = opt.Binary
	return p.writes(script(h.name, opt.Binary, true), h)
}

// managedCall tells whether a foreign hook leads to us: by itself, through its
// manager's configuration, or because pre-commit calls the hook it moved aside.
func managedCall(f facts, h hookFacts) bool {
	if h.current.exec && calls(h.current.data, h.name) {
		return true
	}
	m, ok := managerOf(h.current.data)
	if !ok {
		return false
	}
	if m.name == "pre-commit" && isOurs(h.legacy) {
		return true
	}
	for _, rel := range m.config(h.name) {
		if calls(f.configs[rel], h.name) {
			return true
		}
	}
	return false
}

func (p hookPlan) refuse(s State, why contract.Finding) hookPlan {
	p.state.State, p.state.Binary, p.steps = s, "", nil
	p.findings = append(p.findings, why)
	return p
}

// writes adds the writing of our hook unless exactly that is there already.
func (p hookPlan) writes(data []byte, h hookFacts) hookPlan {
	if _, said := recognise(data); said.previous {
		p.state.Previous = p.state.Path + savedSuffix
	}
	want := file{kind: regular, data: data, exec: true}
	if len(p.steps) > 0 || !h.current.same(want) {
		p.steps = append(p.steps, step{write, data})
	}
	return p
}
