package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/git-longtask/git-longtask/contract"
)

// counting is a check that appends its argument to the file runs.
func counting(key, effect string, argv ...string) Spec {
	s := script()
	s.Check.Key, s.Check.Runner.Effect, s.Check.Runner.Argv = key, effect, argv
	return s
}

func TestRunAllSharesRunsAndKeepsOrder(t *testing.T) {
	p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\necho x >>../runs\n" + strings.TrimPrefix(echo(`{"total":42}`), "#!/bin/sh\n")})
	other := counting("second", "read_only")
	other.Check.PositiveAssertions = []contract.Assertion{{Key: "low", Observation: "total", Operator: "less_than", Expected: 1, HasExpected: true}}
	specs := []Spec{counting("writes", "test_sandbox"), counting("first", "read_only"), other}
	var events []string
	suite := Suite{Jobs: 4, Progress: func(e Event) {
		if e.Result != nil {
			events = append(events, fmt.Sprintf("%s %s %d/%d", e.ID, e.Result.Status, e.Done, e.Total))
		}
	}}
	results, err := suite.RunAll(t.Context(), p, specs)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, r := range results {
		got = append(got, r.CheckKey+" "+string(r.Status))
	}
	if want := []string{"writes passed", "first passed", "second assertion_failed"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if results[1].RawExecutionIdentity != results[2].RawExecutionIdentity || results[1].ExecutionIdentity == results[2].ExecutionIdentity {
		t.Error("the two share what is run, not how it is judged")
	}
	if runs, _ := os.ReadFile(filepath.Join(p.Dir, "../runs")); len(runs) != len("x\nx\n") {
		t.Errorf("%q: three checks are two runs", runs)
	}
	if want := []string{"CHECK.report.first passed 1/3", "CHECK.report.second assertion_failed 2/3", "CHECK.report.writes passed 3/3"}; !slices.Equal(events, want) {
		t.Errorf("%v", events)
	}
}

// TestReadOnlyCheckWroteIsChargedToTheRightOne: three run together, one writes.
func TestReadOnlyCheckWroteIsChargedToTheRightOne(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\n[ \"$1\" = b ] && touch dirt\n" + strings.TrimPrefix(echo(`{"total":42}`), "#!/bin/sh\n")})
	suite := Suite{Jobs: 3, After: func(_ context.Context, ran []Spec) ([]contract.Finding, error) {
		if os.Remove(filepath.Join(p.Dir, "dirt")) != nil {
			return nil, nil
		}
		return []contract.Finding{{Code: "read_only_check_wrote", Level: contract.LevelError}}, nil
	}}
	results, err := suite.RunAll(t.Context(), p, []Spec{counting("a", "read_only", "a"), counting("b", "read_only", "b"), counting("c", "read_only", "c")})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		want := map[bool]Status{true: InvalidEvidence, false: Passed}[r.CheckKey == "b"]
		if r.Status != want || (len(r.ClaimProofs) > 0) != (want == Passed) {
			t.Errorf("%s: %s %v", r.CheckKey, r.Status, r.Findings)
		}
	}
}

func TestRunAllParallelism(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\nsleep 0.2\n" + strings.TrimPrefix(echo(`{"total":42}`), "#!/bin/sh\n")})
	var specs []Spec
	for i := range 16 {
		specs = append(specs, counting(fmt.Sprintf("c%d", i), "read_only", fmt.Sprint(i)))
	}
	var calls atomic.Int32
	suite := Suite{Jobs: 16, Before: func(context.Context, Spec) error { calls.Add(1); return nil }}
	results, err := suite.RunAll(t.Context(), p, specs)
	if err != nil || calls.Load() != 16 {
		t.Fatal(err, calls.Load())
	}
	for i, r := range results {
		if r.Status != Passed || r.CheckKey != fmt.Sprintf("c%d", i) {
			t.Errorf("%d: %s %v", i, r.CheckKey, r.Findings)
		}
	}
	wantLeftNothing(t, p)
}

func TestRunAllErrors(t *testing.T) {
	p := newPlace(t, map[string]string{"run.sh": echo(`{"total":42}`)})
	specs := []Spec{counting("a", "read_only", "a"), counting("b", "read_only", "b")}
	broken := errors.New("no verdict")
	for name, s := range map[string]Suite{
		"before": {Before: func(context.Context, Spec) error { return broken }},
		"after":  {After: func(context.Context, []Spec) ([]contract.Finding, error) { return nil, broken }},
	} {
		for _, jobs := range []int{0, 2} {
			s.Jobs = jobs
			if _, err := s.RunAll(t.Context(), p, specs); !errors.Is(err, broken) {
				t.Errorf("%s, %d jobs: %v", name, jobs, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Suite{Jobs: 2}).RunAll(ctx, p, specs); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
