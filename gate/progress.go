package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// States of a check and of an outcome, from spec/evidence.md.
const (
	Unverified       = "unverified"
	ProgressPassing  = "progress_passing"
	ProgressFailing  = "progress_failing"
	ProgressStale    = "progress_stale"
	BlockedExternal  = "blocked_external"
	BlockedByDepends = "blocked_by_dependency"
)

// checkEnded is the data of a check.ended event: what verify saw, and the
// digests of everything the result depends on. It is never acceptance.
type checkEnded struct {
	Check    string             `json:"check"`
	Status   string             `json:"status"`
	Basis    string             `json:"basis"`  // the check as frozen
	Inputs   string             `json:"inputs"` // the content it could read
	Tree     gitx.OID           `json:"tree"`   // all of the content, while it is kept
	Findings []contract.Finding `json:"findings"`
}

// unit is one check with everything in the contract that decides its result.
type unit struct {
	ID         string
	Outcome    string // "" for GLOBAL
	Check      contract.Check
	Controls   []contract.Counterfactual
	Population *contract.Population
	Carriers   []string
}

// units lists all checks, global ones first, in contract order.
func (t *Task) units() []unit {
	g := t.Compiled.Contract.Global.Acceptance
	var all []unit
	for _, c := range g.Checks {
		all = append(all, unit{ID: checkID("", c.Key), Check: c, Controls: controlsOf(c.Key, g.CounterfactualControls)})
	}
	for _, o := range t.Compiled.Contract.Outcomes {
		for _, c := range o.Acceptance.Checks {
			u := unit{ID: checkID(o.Key, c.Key), Outcome: o.Key, Check: c, Controls: controlsOf(c.Key, o.Acceptance.CounterfactualControls)}
			if p := o.Acceptance.Population; p != nil && p.CheckKey == c.Key {
				u.Population = p
			}
			for _, b := range o.Technical.Bindings {
				u.Carriers = append(u.Carriers, b.CarrierPaths...)
			}
			all = append(all, u)
		}
	}
	return all
}

func checkID(outcome, key string) string {
	if outcome == "" {
		outcome = "GLOBAL"
	}
	return "CHECK." + outcome + "." + key
}

func controlsOf(check string, all []contract.Counterfactual) []contract.Counterfactual {
	var own []contract.Counterfactual
	for _, c := range all {
		if c.CheckKey == check {
			own = append(own, c)
		}
	}
	return own
}

// frozenOf maps the frozen verifier files of a check to their digests.
func (t *Task) frozenOf(id string) map[string]string {
	files := map[string]string{}
	for _, f := range t.Compiled.Files {
		for _, c := range f.Checks {
			if c == id {
				files[f.Path] = f.SHA256
			}
		}
	}
	return files
}

// basis is the digest of a check as frozen. A revision that does not touch the
// check leaves it as it is, and with it the progress.
func (t *Task) basis(u unit) (string, error) {
	data, err := json.Marshal(map[string]any{"unit": u, "files": t.frozenOf(u.ID), "config": t.Compiled.Config})
	if err != nil {
		return "", fmt.Errorf("basis of %s: %w", u.ID, err)
	}
	return digest(data), nil
}

// inputs is the digest of what a check could read: its input paths, the
// carriers of its outcome and its frozen files, or, when it declares no input
// paths, everything.
func inputs(u unit, entries []gitx.TreeEntry) string {
	var b strings.Builder
	for _, e := range entries {
		if u.reads(e.Path) {
			fmt.Fprintf(&b, "%o %s %s\x00", e.Mode, e.OID, e.Path)
		}
	}
	return digest([]byte(b.String()))
}

// reads tells whether the check may read a path, going by what it declares.
func (u unit) reads(path string) bool {
	return len(u.Check.InputPaths) == 0 || matchesAny(u.Check.InputPaths, path) || matchesAny(u.Carriers, path)
}

func matchesAny(patterns []string, path string) bool {
	for _, p := range patterns {
		if contract.MatchPattern(p, path) {
			return true
		}
	}
	return false
}

// lastProgress is the newest check.ended event of each check.
func lastProgress(events []authority.Event) map[string]checkEnded {
	last := map[string]checkEnded{}
	for _, e := range events {
		if e.Type != authority.CheckEnded {
			continue
		}
		var p checkEnded
		if json.Unmarshal(e.Data, &p) == nil {
			last[p.Check] = p
		}
	}
	return last
}

// checkState is where a check stands, given its newest event and the content.
func (t *Task) checkState(ctx context.Context, u unit, last map[string]checkEnded, now *content) (string, error) {
	p, ok := last[u.ID]
	if !ok {
		return Unverified, nil
	}
	basis, err := t.basis(u)
	if err != nil {
		return "", err
	}
	fresh := p.Basis == basis
	if fresh {
		if fresh, err = now.readsSame(ctx, u, p); err != nil {
			return "", err
		}
	}
	switch {
	case !fresh:
		return ProgressStale, nil
	case p.Status == "passed" && !contract.Refuses(p.Findings):
		return ProgressPassing, nil
	case p.Status == BlockedExternal:
		return BlockedExternal, nil
	}
	return ProgressFailing, nil
}

// outcomeState folds the states of an outcome's checks.
func outcomeState(checks []string) string {
	count := map[string]int{}
	for _, s := range checks {
		count[s]++
	}
	switch {
	case count[ProgressFailing] > 0:
		return ProgressFailing
	case count[BlockedExternal] > 0:
		return BlockedExternal
	case count[ProgressStale] > 0:
		return ProgressStale
	case count[Unverified] == 0:
		return ProgressPassing
	}
	return Unverified
}

// inScope tells whether an untracked file belongs to the work: inside declared
// paths, or part of the authority.
func (t *Task) inScope(path string) bool {
	s := t.Compiled.Scope()
	return s.Allows(path) || s.Exempt(path)
}

// CheckKeys are the keys of all checks, in contract order.
func (t *Task) CheckKeys() []string {
	var keys []string
	for _, u := range t.units() {
		keys = append(keys, u.Check.Key)
	}
	return keys
}
