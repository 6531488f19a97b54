package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gate/check"
	"github.com/git-longtask/git-longtask/gitx"
)

// Selection is which checks a verify runs; empty fields select all.
type Selection struct {
	Outcome  string
	Check    string
	Jobs     int
	Progress func(check.Event)
}

// Errors of a selection that matches nothing.
var (
	ErrOutcomeUnknown = errors.New("outcome_not_found")
	ErrCheckUnknown   = errors.New("check_not_found")
)

// Targeted is what a verify found. It never accepts.
type Targeted struct {
	TaskID               string                       `json:"task_id"`
	Revision             int                          `json:"authority_revision"`
	Identity             string                       `json:"compiled_identity"`
	SnapshotTree         gitx.OID                     `json:"snapshot_tree"`
	AcceptanceAuthorized bool                         `json:"acceptance_authorized"`
	SelectedOutcome      *string                      `json:"selected_outcome"`
	SelectedCheck        *string                      `json:"selected_check"`
	Updated              []string                     `json:"updated_progress_records"`
	CheckResults         []check.Result               `json:"check_results"`
	Counterfactuals      []check.CounterfactualResult `json:"counterfactuals"`
	Baselines            []check.BaselineResult       `json:"baselines"`
	NotRun               bool                         `json:"not_run"`
	Findings             []contract.Finding           `json:"-"`
}

// Verify runs the selected checks on the content of the work tree and records
// what it saw as progress. It works on a dirty tree; a changed frozen file
// ends it before anything runs.
func (t *Task) Verify(ctx context.Context, sel Selection, now time.Time) (*Targeted, error) {
	chosen, err := t.choose(sel)
	if err != nil {
		return nil, err
	}
	r := &Targeted{TaskID: t.ID(), Revision: t.Link.Record.Revision, Identity: t.Link.Record.Identity, NotRun: true,
		SelectedOutcome: optional(sel.Outcome), SelectedCheck: optional(sel.Check), Updated: []string{},
		CheckResults: []check.Result{}, Counterfactuals: []check.CounterfactualResult{}, Baselines: []check.BaselineResult{}}
	head, err := t.Repo.Commit(ctx, "HEAD")
	if err != nil {
		return nil, fmt.Errorf("HEAD: %w", err)
	}
	tree, skipped, err := t.Repo.Snapshot(ctx, t.inScope)
	var conflict *gitx.UnmergedError
	if errors.As(err, &conflict) {
		r.Findings = []contract.Finding{unmergedFinding(conflict)}
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	r.SnapshotTree = tree
	l, err := list(ctx, t.Repo, tree)
	if err != nil {
		return nil, err
	}
	if err := t.verifyContent(ctx, r, l, head, chosen, sel); err != nil {
		return nil, err
	}
	for _, path := range skipped {
		r.Findings = append(r.Findings, contract.Finding{Code: "untracked_outside_scope", Level: contract.LevelWarning, Path: path,
			Message: "this untracked file lies outside the declared scope and was not part of what the checks saw", RepairHint: "ignore it, remove it, or widen the scope"})
	}
	if r.NotRun {
		return r, nil
	}
	return r, t.recordProgress(ctx, r, chosen, l, head, now)
}

// verifyContent judges frozen files and scope of the snapshot and runs the
// chosen checks on it.
func (t *Task) verifyContent(ctx context.Context, r *Targeted, l *listing, head gitx.Commit, chosen []unit, sel Selection) error {
	frozen, err := t.frozenFindings(ctx, l.lookup, t.stored)
	if err != nil {
		return err
	}
	places := contract.Compile(ctx, l.contractTree(t.Repo), contract.Options{Workdir: t.Compiled.Workdir})
	if len(frozen) == 0 && places.Compiled != nil {
		frozen = t.addedFrozen(places.Compiled)
	}
	if r.Findings = frozen; len(frozen) > 0 {
		return nil
	}
	base, problem, err := movingBase(ctx, t.Repo, t.Link.Record, line{Commit: head.OID, Growing: true, Integration: t.Link.Record.IntegrationRef})
	if err != nil {
		return err
	}
	if problem != nil {
		r.Findings = append(r.Findings, *problem)
	} else {
		changes, err := t.Repo.DiffTrees(ctx, base, r.SnapshotTree)
		if err != nil {
			return err
		}
		r.Findings = append(r.Findings, t.scopeFindings(changes, nil)...)
	}
	run, err := t.execute(ctx, execution{Tree: r.SnapshotTree, Content: l, Units: chosen, Places: places, Jobs: sel.Jobs, Recall: true, Progress: sel.Progress})
	if err != nil {
		return err
	}
	r.NotRun = false
	r.CheckResults, r.Counterfactuals, r.Baselines = run.Checks, run.Controls, run.Baselines
	r.Findings = append(r.Findings, run.Findings...)
	return nil
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func unmergedFinding(e *gitx.UnmergedError) contract.Finding {
	return contract.Finding{Code: "index_unmerged", Level: contract.LevelError, Path: e.Paths[0],
		Message:    fmt.Sprintf("a merge conflict is not resolved (paths: %d); there is no one content to verify", len(e.Paths)),
		RepairHint: "resolve the conflict, then git add the paths", Next: "git status", Refs: map[string]any{"paths": e.Paths}}
}

// choose lists the units a selection means.
func (t *Task) choose(sel Selection) ([]unit, error) {
	var chosen []unit
	knownOutcome := sel.Outcome == "" || sel.Outcome == "GLOBAL"
	for _, o := range t.Compiled.Contract.Outcomes {
		knownOutcome = knownOutcome || o.Key == sel.Outcome
	}
	if !knownOutcome {
		return nil, fmt.Errorf("%w: task %s has no outcome %q", ErrOutcomeUnknown, t.ID(), sel.Outcome)
	}
	for _, u := range t.units() {
		inOutcome := sel.Outcome == "" || u.Outcome == sel.Outcome || sel.Outcome == "GLOBAL" && u.Outcome == ""
		if inOutcome && (sel.Check == "" || u.Check.Key == sel.Check) {
			chosen = append(chosen, u)
		}
	}
	if len(chosen) == 0 && sel.Check != "" {
		return nil, fmt.Errorf("%w: no check %q there", ErrCheckUnknown, sel.Check)
	}
	return chosen, nil
}

// recordProgress appends one check.ended event per check that ran, and keeps
// the snapshot when it is no commit of the branch.
func (t *Task) recordProgress(ctx context.Context, r *Targeted, chosen []unit, l *listing, head gitx.Commit, now time.Time) error {
	e := authority.Entry{Task: t.ID()}
	for i, u := range chosen {
		basis, err := t.basis(u)
		if err != nil {
			return err
		}
		p := checkEnded{Check: u.ID, Status: string(r.CheckResults[i].Status), Basis: basis, Inputs: inputs(u, l.entries), Tree: r.SnapshotTree, Findings: []contract.Finding{}}
		for _, f := range r.Findings {
			if about(f, u) {
				p.Findings = append(p.Findings, f)
			}
		}
		data, err := json.Marshal(p)
		if err != nil {
			return err
		}
		r.Updated = append(r.Updated, u.ID)
		e.Events = append(e.Events, authority.Event{Type: authority.CheckEnded, Revision: r.Revision, Item: u.Outcome, Commit: head.OID, Data: data})
	}
	if r.SnapshotTree != head.Tree {
		e.Tried = &authority.Snapshot{Tree: r.SnapshotTree, Parent: head.OID}
	}
	if len(e.Events) == 0 {
		return nil
	}
	_, err := authority.Append(ctx, t.Repo, now, e)
	return err
}

// about tells whether a finding of a run names the unit.
func about(f contract.Finding, u unit) bool {
	outcome, _ := f.Refs["outcome"].(string)
	return f.Refs["check"] == u.Check.Key && outcome == u.Outcome
}
