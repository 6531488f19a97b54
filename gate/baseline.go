package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/check"
	"github.com/git-longtask/git-longtask/gitx"
)

// baselines runs the checks that have to be red at the base on the frozen base
// tree with the frozen files laid over it. It is the last thing that happens in
// the private tree. heads are the results on the content that is judged: where
// a check could not run there, the base would say nothing either.
func (r *running) baselines(ctx context.Context, specs []check.Spec, heads []check.Result, out *executed) error {
	var base *listing
	var todo []int
	found := make([]*check.BaselineResult, len(specs))
	for i, spec := range specs {
		if !spec.NeedsBaseline() || !decided(heads[i]) {
			continue
		}
		if base == nil {
			var err error
			if base, err = r.task.baseWithFrozen(ctx, r.Content); err != nil {
				return err
			}
		}
		if found[i] = r.remembered(base, r.Units[i], spec); found[i] == nil {
			todo = append(todo, i)
		}
	}
	if err := r.runAtBase(ctx, base, specs, todo, found); err != nil {
		return err
	}
	for i, b := range found {
		if b != nil {
			r.located(r.Units[i], b.Findings)
			out.Baselines = append(out.Baselines, *b)
			out.Findings = append(out.Findings, b.Findings...)
		}
	}
	return nil
}

// decided tells whether the check itself had its say.
func decided(r check.Result) bool {
	return r.Status != check.BlockedExternal && r.Status != check.Interrupted && r.Status != check.InfrastructureError
}

// runAtBase fills the private tree with the base and runs what is not
// remembered. What a check does to that tree is undone and is no finding: the
// run on the judged content has said it already.
func (r *running) runAtBase(ctx context.Context, base *listing, specs []check.Spec, todo []int, found []*check.BaselineResult) error {
	if len(todo) == 0 {
		return nil
	}
	rec := r.task.Link.Record
	err := r.checkout.FillList(ctx, rec.BaseCommit, base.entries)
	if errors.Is(err, gitx.ErrMissing) {
		if err := r.task.Repo.FetchMissing(ctx, rec.BaseCommit); err != nil {
			return fmt.Errorf("content of the base %s: %w", rec.BaseCommit.Short(), err)
		}
		err = r.checkout.FillList(ctx, rec.BaseCommit, base.entries)
	}
	if err != nil {
		return fmt.Errorf("private tree of the base: %w", err)
	}
	chosen := make([]check.Spec, len(todo))
	for n, i := range todo {
		chosen[n] = specs[i]
	}
	suite := check.Suite{Jobs: r.jobs(), Before: r.frozenIntact, After: func(ctx context.Context, ran []check.Spec) ([]contract.Finding, error) {
		_, err := r.treeIntact(ctx, ran)
		return nil, err
	}}
	results, err := suite.RunAll(ctx, r.place, chosen)
	if err != nil {
		return err
	}
	for n, i := range todo {
		b := check.Baseline(specs[i], results[n])
		found[i] = &b
		r.remember(base, r.Units[i], b)
	}
	return nil
}

func (r *running) jobs() int {
	if r.Jobs == 0 {
		return runtime.NumCPU()
	}
	return r.Jobs
}

// baseWithFrozen is the base tree, as the chain holds it, with every file that
// the revision in force froze in its place. now gives the modes of the files
// that the base does not have. What must not appear is not there either.
func (t *Task) baseWithFrozen(ctx context.Context, now *listing) (*listing, error) {
	e, err := t.Repo.Entry(ctx, t.Link.Tree, "base")
	if err != nil {
		return nil, fmt.Errorf("base of task %s: %w", t.ID(), err)
	}
	entries, err := t.Repo.ListTree(ctx, e.OID)
	if err != nil {
		return nil, fmt.Errorf("base of task %s: %w", t.ID(), err)
	}
	frozen := map[string]gitx.TreeEntry{}
	for _, f := range t.Compiled.Files {
		blob, err := t.Link.File(ctx, t.Repo, f.Path)
		if err != nil {
			return nil, fmt.Errorf("frozen file %s of task %s: %w", f.Path, t.ID(), err)
		}
		mode := gitx.ModeFile
		if have, ok, _ := now.lookup(ctx, f.Path); ok && have.Mode == gitx.ModeExec {
			mode = have.Mode
		}
		frozen[f.Path] = gitx.TreeEntry{Path: f.Path, Mode: mode, OID: blob.OID}
	}
	absent := t.mustBeAbsent()
	entries = slices.DeleteFunc(entries, func(e gitx.TreeEntry) bool { return slices.Contains(absent, e.Path) || covered(e.Path, frozen) })
	for _, f := range frozen {
		entries = append(entries, f)
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Path < entries[j].Path })
	return index(entries), nil
}

// covered tells whether frozen files take the place of a path: one stands
// there, below it or above it.
func covered(path string, frozen map[string]gitx.TreeEntry) bool {
	for p := range frozen {
		if p == path || strings.HasPrefix(p, path+"/") || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}

// memory is the file that keeps a baseline for the next verify: named after
// everything the result depends on. "" where nothing may be remembered.
func (r *running) memory(base *listing, u unit) string {
	if r.baseCache == "" {
		return ""
	}
	basis, err := r.task.basis(u)
	if err != nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "1\x00%s\x00%s\x00", basis, platform())
	for _, e := range base.entries {
		fmt.Fprintf(&b, "%o %s %s\x00", e.Mode, e.OID, e.Path)
	}
	return filepath.Join(r.baseCache, digest([]byte(b.String()))+".json")
}

// remembered is an earlier result, judged again, or nil.
func (r *running) remembered(base *listing, u unit, spec check.Spec) *check.BaselineResult {
	file := r.memory(base, u)
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var b check.BaselineResult
	if json.Unmarshal(data, &b) != nil || b.CheckID != spec.ID() || len(b.Assertions) == 0 {
		return nil
	}
	b.Cached = true
	b.Judge(spec)
	return &b
}

// remember keeps a baseline that was decided. Losing one costs a run.
func (r *running) remember(base *listing, u unit, b check.BaselineResult) {
	file := r.memory(base, u)
	if file == "" || b.Status != check.BaselineRed && b.Status != check.BaselineGreen {
		return
	}
	b.Findings = nil
	data, err := json.Marshal(b)
	if err != nil || os.MkdirAll(r.baseCache, 0o700) != nil {
		return
	}
	temp := fmt.Sprintf("%s.%d", file, os.Getpid())
	if os.WriteFile(temp, data, 0o600) == nil {
		_ = os.Rename(temp, file)
	}
}
