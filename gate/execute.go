package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/check"
	"github.com/git-longtask/git-longtask/gitx"
)

// execution is which checks run on which content.
type execution struct {
	Tree     gitx.OID
	Content  *listing
	Units    []unit
	Places   contract.Result // where criteria stand in the contract
	Fresh    bool            // a HOME of its own, thrown away afterwards
	Jobs     int
	Recall   bool // baselines that an earlier verify saw are not run again
	Progress func(check.Event)
}

// executed is what ran: one result a unit, in order, and their controls.
type executed struct {
	Checks    []check.Result
	Controls  []check.CounterfactualResult
	Baselines []check.BaselineResult
	Findings  []contract.Finding
}

// execute materialises the tree outside the work tree and runs the checks and
// their counterfactuals, and the base. Whatever a check did to the tree is found
// and undone before the next one.
func (t *Task) execute(ctx context.Context, e execution) (*executed, error) {
	cache, err := gitx.CacheDir()
	if err != nil {
		return nil, err
	}
	checkout, err := gitx.OpenCheckout(ctx, t.Repo, cache)
	if err != nil {
		return nil, fmt.Errorf("private tree: %w", err)
	}
	defer checkout.Close()
	if e.Fresh {
		checkout.Distrust()
	}
	if err := t.materialise(ctx, checkout, e); err != nil {
		return nil, err
	}
	place, done, err := t.place(cache, e.Fresh)
	if err != nil {
		return nil, err
	}
	defer done()
	place.Dir = checkout.Dir()
	run := &running{task: t, checkout: checkout, place: place, execution: e}
	if e.Recall {
		run.baseCache = filepath.Join(cache, "base")
	}
	defer run.closeTwin()
	return run.all(ctx)
}

// materialise fills the private tree, fetching what a partial clone left out.
func (t *Task) materialise(ctx context.Context, checkout *gitx.Checkout, e execution) error {
	err := checkout.FillList(ctx, e.Tree, e.Content.entries)
	if errors.Is(err, gitx.ErrMissing) {
		if err := t.Repo.FetchMissing(ctx, e.Tree); err != nil {
			return fmt.Errorf("content of %s: %w", e.Tree.Short(), err)
		}
		err = checkout.FillList(ctx, e.Tree, e.Content.entries)
	}
	if err != nil {
		return fmt.Errorf("private tree of %s: %w", e.Tree.Short(), err)
	}
	return nil
}

// place gives the checks a HOME and room for their temporary files.
func (t *Task) place(cache string, fresh bool) (check.Place, func(), error) {
	temp, err := os.MkdirTemp("", "w-")
	if err != nil {
		return check.Place{}, nil, fmt.Errorf("temporary directory: %w", err)
	}
	done := func() { _ = gitx.RemoveTree(temp) }
	place := check.Place{Temp: filepath.Join(temp, "tmp"), Home: filepath.Join(temp, "home")}
	if !fresh {
		sum := sha256.Sum256([]byte(t.Repo.CommonDir))
		place.Home = filepath.Join(cache, "home", hex.EncodeToString(sum[:8]))
	}
	if c := t.Compiled.Config; c != nil {
		place.PassEnv = c.Env
	}
	for _, dir := range []string{place.Temp, place.Home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			done()
			return check.Place{}, nil, fmt.Errorf("directory for the checks: %w", err)
		}
	}
	return place, done, nil
}

// running is one execution under way.
type running struct {
	task      *Task
	checkout  *gitx.Checkout
	twin      *gitx.Checkout // where counterfactuals run, once there was one
	place     check.Place
	baseCache string // directory of remembered baselines, "" for none
	execution
}

func (r *running) all(ctx context.Context) (*executed, error) {
	specs := make([]check.Spec, len(r.Units))
	for i, u := range r.Units {
		specs[i] = check.Spec{Outcome: u.Outcome, Check: u.Check, Population: u.Population, Frozen: r.task.frozenOf(u.ID)}
	}
	suite := check.Suite{Jobs: r.jobs(), Before: r.frozenIntact, After: r.treeIntact, Progress: r.Progress}
	results, err := suite.RunAll(ctx, r.place, specs)
	if err != nil {
		return nil, err
	}
	out := &executed{Checks: results, Controls: []check.CounterfactualResult{}, Baselines: []check.BaselineResult{}}
	for i, u := range r.Units {
		r.located(u, results[i].Findings)
		out.Findings = append(out.Findings, results[i].Findings...)
		if results[i].Status == check.BlockedExternal {
			continue // the same would be said once more
		}
		for _, c := range u.Controls {
			control, err := r.control(ctx, specs[i], c)
			if err != nil {
				return nil, err
			}
			follows(control.Findings, results[i])
			r.located(u, control.Findings)
			out.Controls = append(out.Controls, control)
			out.Findings = append(out.Findings, control.Findings...)
		}
	}
	if err := r.baselines(ctx, specs, results, out); err != nil {
		return nil, err
	}
	return out, ctx.Err()
}

// follows says of findings about a counterfactual that a check which did not
// come to a verdict itself is the first thing to repair.
func follows(findings []contract.Finding, r check.Result) {
	if r.Status == check.Passed || r.Status == check.AssertionFailed || len(r.Findings) == 0 {
		return
	}
	for i := range findings {
		findings[i].BlockedBy = []string{r.Findings[0].Code}
		findings[i].RepairHint = fmt.Sprintf("this follows from %s; repair that first", r.Findings[0].Code)
	}
}

// frozenIntact hashes the frozen files of a check in the private tree once
// more, right before it runs.
func (r *running) frozenIntact(_ context.Context, spec check.Spec) error {
	for path, want := range spec.Frozen {
		data, err := os.ReadFile(filepath.Join(r.place.Dir, filepath.FromSlash(path)))
		if err != nil {
			return fmt.Errorf("frozen file %s of %s: %w", path, spec.ID(), err)
		}
		if digest(data) != want {
			return fmt.Errorf("frozen file %s of %s changed in the private tree while the gate ran", path, spec.ID())
		}
	}
	return nil
}

// treeIntact compares the private tree with the commit after a check and
// restores it. Only test_sandbox checks may have changed anything.
func (r *running) treeIntact(ctx context.Context, ran []check.Spec) ([]contract.Finding, error) {
	changed, err := r.checkout.Verify(ctx)
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	if err := r.checkout.Restore(ctx); err != nil {
		return nil, err
	}
	var findings []contract.Finding
	for _, spec := range ran {
		if spec.Check.Runner.Effect != "read_only" {
			continue
		}
		findings = append(findings, contract.Finding{Code: "read_only_check_wrote", Level: contract.LevelError,
			Message:    fmt.Sprintf("check %s says effect read_only but changed the tree at %q (paths changed: %d)", spec.Check.Key, changed[0], len(changed)),
			RepairHint: "let it write below $TMPDIR, or declare effect test_sandbox",
			Refs:       map[string]any{"outcome": spec.Outcome, "check": spec.Check.Key, "paths": changed}})
		break
	}
	return findings, nil
}

// control runs one counterfactual in a second private tree, which holds the
// same commit with the mutation applied. The first one is never mutated.
func (r *running) control(ctx context.Context, spec check.Spec, c contract.Counterfactual) (check.CounterfactualResult, error) {
	var err error
	if r.twin == nil {
		r.twin, err = r.checkout.Twin(ctx)
	} else {
		err = r.twin.Restore(ctx)
	}
	if err != nil {
		return check.CounterfactualResult{}, fmt.Errorf("counterfactual %s: %w", c.Key, err)
	}
	place := r.place
	place.Dir = r.twin.Dir()
	if err := check.Mutate(place.Dir, c.Mutation); err != nil {
		return check.NotMutated(spec, c, err), nil
	}
	return check.Counterfactual(ctx, place, spec, c), nil
}

func (r *running) closeTwin() {
	if r.twin != nil {
		_ = r.twin.Close()
	}
}

// located puts the place in the contract on findings about a criterion.
func (r *running) located(u unit, findings []contract.Finding) {
	for i := range findings {
		f := &findings[i]
		if f.Path != "" {
			continue
		}
		scope := u.Outcome
		if scope == "" {
			scope = "GLOBAL"
		}
		refs := []string{"check:" + scope + "." + u.Check.Key}
		if key, ok := f.Refs["assertion"].(string); ok {
			refs = append([]string{"assertion:" + scope + "." + u.Check.Key + "." + key}, refs...)
		}
		for _, ref := range refs {
			if path, line, column := r.Places.Position(ref); path != "" {
				f.Path, f.Line, f.Column = path, line, column
				break
			}
		}
	}
}
