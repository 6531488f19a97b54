package gate

import (
	"context"
	"fmt"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/check"
)

// judgeChecks is steps 5 to 9: run everything on the materialised commit.
func (t *Task) judgeChecks(ctx context.Context, v *Verdict, c *candidate, req Request) error {
	v.Findings = append(v.Findings, t.missingPaths(c)...)
	run, err := t.execute(ctx, execution{Tree: c.commit.Tree, Content: c.list, Units: t.units(), Places: c.places, Fresh: req.Fresh, Jobs: req.Jobs, Progress: req.Progress})
	if err != nil {
		return err
	}
	v.NotRun = false
	v.CheckResults, v.Counterfactuals, v.Baselines = run.Checks, run.Controls, run.Baselines
	v.Findings = append(v.Findings, run.Findings...)
	return nil
}

// missingPaths are files the contract promises: expected outputs and planned
// bindings.
func (t *Task) missingPaths(c *candidate) []contract.Finding {
	var findings []contract.Finding
	miss := func(code, pattern, what string, refs map[string]any) {
		if !c.list.matches(pattern) {
			findings = append(findings, contract.Finding{Code: code, Level: contract.LevelError, Path: pattern,
				Message: fmt.Sprintf("%s names %q, and commit %s holds no such file", what, pattern, c.commit.OID.Short()), RepairHint: "create it and commit it", Refs: refs})
		}
	}
	for _, u := range t.units() {
		for _, p := range u.Check.ExpectedOutputPaths {
			miss("expected_output_path_missing", p, "an expected output of check "+u.Check.Key, map[string]any{"outcome": u.Outcome, "check": u.Check.Key})
		}
	}
	for _, o := range t.Compiled.Contract.Outcomes {
		for _, b := range o.Technical.Bindings {
			if b.Existence == "planned" && b.Kind != "verified" {
				miss("binding_missing", b.Target, "the planned binding "+b.Key, map[string]any{"outcome": o.Key, "binding": b.Key})
			}
		}
	}
	return findings
}

// matches tells whether any entry matches a pattern.
func (l *listing) matches(pattern string) bool {
	if _, ok := l.byPath[pattern]; ok {
		return true
	}
	for _, e := range l.entries {
		if contract.MatchPattern(pattern, e.Path) {
			return true
		}
	}
	return false
}

// outcomes folds the results into one word per outcome and one per criterion.
func (v *Verdict) outcomes(t *Task) {
	results := map[string]check.Result{}
	for _, r := range v.CheckResults {
		results[r.InternalID] = r
	}
	controls := map[string]string{}
	for _, c := range v.Counterfactuals {
		if c.Status != string(check.Passed) {
			controls[c.CheckID] = c.Status
		}
	}
	for _, b := range v.Baselines {
		if b.Status != check.BaselineRed {
			controls[b.CheckID] = b.Status
		}
	}
	failed, blocked := map[string]bool{}, map[string]bool{}
	for _, u := range t.units() {
		r, ran := results[u.ID]
		status := string(r.Status)
		if status == string(check.Passed) && controls[u.ID] != "" {
			status = controls[u.ID]
		}
		switch {
		case !ran:
		case status == BlockedExternal:
			blocked[u.Outcome] = true
		case status != string(check.Passed):
			failed[u.Outcome] = true
		}
		v.criteria = append(v.criteria, criteriaOf(u, r)...)
	}
	for _, o := range t.Compiled.Contract.Outcomes {
		switch {
		case v.NotRun:
			v.OutcomeResults[o.Key] = "not_run"
		case failed[o.Key]:
			v.OutcomeResults[o.Key] = "failed"
		case blocked[o.Key]:
			v.OutcomeResults[o.Key] = BlockedExternal
		default:
			v.OutcomeResults[o.Key] = "passed"
		}
	}
}

func criteriaOf(u unit, r check.Result) []Criterion {
	scope := u.Outcome
	if scope == "" {
		scope = "GLOBAL"
	}
	var out []Criterion
	for _, a := range r.AssertionResults {
		out = append(out, Criterion{Ref: scope + "." + u.Check.Key + "." + a.Key, Text: a.Criterion, Result: a.Status})
	}
	return out
}

// Criteria are the acceptance criteria with their results, in contract order.
func (v *Verdict) Criteria() []Criterion { return v.criteria }
