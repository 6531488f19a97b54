package check

import (
	"context"
	"sync"

	"github.com/git-longtask/git-longtask/contract"
)

// Suite is how several checks are run in one place. Every function may be nil.
//
// Before is called right before a run starts, at the same time as others when
// Jobs allows; an error ends the suite. After is called alone, when none of
// the runs it names is alive and no other is; it verifies the tree, restores
// it, and returns what the runs did that they must not. Progress is never
// called twice at the same time.
type Suite struct {
	Jobs     int // read_only checks at the same time, 1 when not positive
	Before   func(ctx context.Context, spec Spec) error
	After    func(ctx context.Context, ran []Spec) ([]contract.Finding, error)
	Progress func(Event)
}

// Event is one check that starts, when Result is nil, or ended.
type Event struct {
	ID     string
	Result *Result
	Done   int // results there are
	Total  int
}

// RunAll runs the specs and returns their results in the same order. Specs
// with the same raw identity share one run. Runs with effect read_only come
// first, up to Jobs at a time; all others run alone. When runs that overlapped
// changed the tree, none of them counts and they are repeated one by one, so
// that the finding names the right one. An error means that there is no
// verdict: the context ended, or Before or After could not decide.
func (s Suite) RunAll(ctx context.Context, place Place, specs []Spec) ([]Result, error) {
	run := &suiteRun{Suite: s, place: place, specs: specs, results: make([]Result, len(specs))}
	readOnly, writing := groups(specs)
	if s.Jobs > 1 && len(readOnly) > 1 {
		clean, err := run.together(ctx, readOnly)
		if err != nil {
			return nil, err
		}
		if clean {
			readOnly = nil
		}
	}
	for _, group := range append(readOnly, writing...) {
		if err := run.alone(ctx, group); err != nil {
			return nil, err
		}
	}
	return run.results, nil
}

// groups collects the indexes of specs that share a run, in order.
func groups(specs []Spec) (readOnly, writing [][]int) {
	byIdentity := map[string][]int{}
	order := []string{}
	for i, s := range specs {
		id := s.RawIdentity()
		if byIdentity[id] == nil {
			order = append(order, id)
		}
		byIdentity[id] = append(byIdentity[id], i)
	}
	for _, id := range order {
		group := byIdentity[id]
		if specs[group[0]].Check.Runner.Effect == "read_only" {
			readOnly = append(readOnly, group)
		} else {
			writing = append(writing, group)
		}
	}
	return readOnly, writing
}

type suiteRun struct {
	Suite
	place   Place
	specs   []Spec
	results []Result

	mu   sync.Mutex
	done int
}

// together runs all groups, Jobs at a time, and tells whether their results
// count: the tree is as it was and nothing kept a run from starting.
func (r *suiteRun) together(ctx context.Context, groups [][]int) (clean bool, err error) {
	slots := make(chan struct{}, r.Jobs)
	started := make([]error, len(groups))
	var wg sync.WaitGroup
	for i, group := range groups {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			started[i] = r.run(ctx, group)
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return false, err
	}
	findings, err := r.after(ctx, groups...)
	clean = len(findings) == 0
	for _, e := range started {
		clean = clean && e == nil
	}
	if !clean {
		r.mu.Lock()
		r.done = 0
		r.mu.Unlock()
	}
	return clean, err
}

// alone runs one group and charges it with whatever happened to the tree.
func (r *suiteRun) alone(ctx context.Context, group []int) error {
	if err := r.run(ctx, group); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	findings, err := r.after(ctx, group)
	for _, i := range group {
		r.results[i].Add(findings...)
	}
	return err
}

func (r *suiteRun) run(ctx context.Context, group []int) error {
	first := r.specs[group[0]]
	if r.Before != nil {
		if err := r.Before(ctx, first); err != nil {
			return err
		}
	}
	for _, i := range group {
		r.progress(Event{ID: r.specs[i].ID()})
	}
	ex := execute(ctx, r.place, first)
	for _, i := range group {
		r.results[i] = judge(r.place, r.specs[i], ex)
		r.progress(Event{ID: r.specs[i].ID(), Result: &r.results[i]})
	}
	return nil
}

func (r *suiteRun) after(ctx context.Context, groups ...[]int) ([]contract.Finding, error) {
	if r.After == nil {
		return nil, nil
	}
	var ran []Spec
	for _, group := range groups {
		for _, i := range group {
			ran = append(ran, r.specs[i])
		}
	}
	return r.After(ctx, ran)
}

func (r *suiteRun) progress(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Result != nil {
		r.done++
	}
	if r.Progress != nil {
		e.Done, e.Total = r.done, len(r.specs)
		r.Progress(e)
	}
}

// Add puts findings from outside on a result: a check that passed but has an
// error now is invalid evidence and proves nothing.
func (r *Result) Add(findings ...contract.Finding) {
	r.Findings = append(r.Findings, findings...)
	if r.Status == Passed && contract.Refuses(findings) {
		r.Status = InvalidEvidence
		r.ClaimProofs = []string{}
	}
}
