package hooks

import (
	"slices"
	"testing"

	"github.com/git-longtask/git-longtask/gitx"
)

func TestPlanKeepsBeforeItWrites(t *testing.T) {
	const binary = "/bin/git-longtask"
	theirs := file{regular, []byte("#!/bin/sh\n"), true}
	fresh := file{regular, script("pre-push", binary, false), true}
	changed := file{regular, append(slices.Clone(fresh.data), '#'), true}
	for name, c := range map[string]struct {
		hook  hookFacts
		force bool
		want  []verb
		state State
	}{
		"nothing there":         {hook: hookFacts{}, want: []verb{write}, state: Installed},
		"a previous hook":       {hook: hookFacts{current: theirs}, want: []verb{save, write}, state: Installed},
		"kept before a crash":   {hook: hookFacts{current: theirs, saved: theirs}, want: []verb{write}, state: Installed},
		"installed":             {hook: hookFacts{current: fresh}, state: Installed},
		"installed, mode lost":  {hook: hookFacts{current: file{regular, fresh.data, false}}, want: []verb{write}, state: Installed},
		"edited":                {hook: hookFacts{current: changed}, state: Edited},
		"edited, forced":        {hook: hookFacts{current: changed}, force: true, want: []verb{setAside, write}, state: Installed},
		"edited twice, forced":  {hook: hookFacts{current: changed, edited: changed}, force: true, state: Edited},
		"tracked":               {hook: hookFacts{current: theirs, tracked: true}, state: Foreign},
		"tracked, forced":       {hook: hookFacts{current: theirs, tracked: true}, force: true, want: []verb{save, write}, state: Installed},
		"another saved, forced": {hook: hookFacts{current: theirs, saved: fresh}, force: true, state: Foreign},
		"a directory":           {hook: hookFacts{current: file{kind: other}}, force: true, state: Foreign},
	} {
		c.hook.name = "pre-push"
		f := facts{dir: gitx.HooksDir{Path: "/repo/.git/hooks"}, hooks: []hookFacts{c.hook}}
		p := planInstall(f, InstallOptions{Binary: binary, Force: c.force})[0]
		var verbs []verb
		for _, s := range p.steps {
			verbs = append(verbs, s.verb)
		}
		if !slices.Equal(verbs, c.want) || p.state.State != c.state || (len(p.findings) == 0) != (c.state == Installed) {
			t.Errorf("%s: steps %v, want %v; %+v", name, verbs, c.want, p)
		}
	}
}
