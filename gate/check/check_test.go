package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-longtask/git-longtask/contract"
)

// newPlace makes a tree of files; a name that ends in .sh is executable.
func newPlace(t *testing.T, files map[string]string) Place {
	t.Helper()
	base := t.TempDir()
	p := Place{Dir: filepath.Join(base, "tree"), Home: filepath.Join(base, "home"), Temp: filepath.Join(base, "tmp")}
	for _, d := range []string{p.Dir, p.Home, p.Temp} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		file := filepath.Join(p.Dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// script is a check that runs run.sh, with one assertion total equals 42.
func script() Spec {
	return Spec{Outcome: "report", Check: contract.Check{
		Key: "run", ProofSurface: "runtime_behavior",
		Runner: contract.Runner{Type: contract.RunnerProjectBinary, Target: "run.sh", Cwd: ".", TimeoutMS: 10000, Effect: "read_only"},
		PositiveAssertions: []contract.Assertion{{
			Key: "total-right", Criterion: "The total is the sum.", Claims: []string{"result", "requirement.sum"},
			Observation: "total", Operator: "equals", Expected: 42, HasExpected: true,
		}},
	}}
}

func structured(observations string) string {
	return fmt.Sprintf(`{"schema_version":"long-task-check-result-v2","execution_status":"completed","observations":%s}`, observations)
}

func echo(observations string) string {
	return "#!/bin/sh\necho '" + structured(observations) + "'\n"
}

func codes(findings []contract.Finding) []string {
	list := []string{}
	for _, f := range findings {
		list = append(list, f.Code)
	}
	return list
}

// wantLeftNothing fails when a run left anything in the place's Temp.
func wantLeftNothing(t *testing.T, p Place) {
	t.Helper()
	if left, _ := os.ReadDir(p.Temp); len(left) > 0 {
		t.Errorf("the run left %v in its temporary directory", left)
	}
}

func TestRunVerdicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		status       Status
		codes        []string
	}{
		{"passes", echo(`{"total":42}`), Passed, nil},
		{"number spelt otherwise", echo(`{"total":4.20e1}`), Passed, nil},
		{"log lines before", "#!/bin/sh\necho hello; echo noise >&2\necho '" + structured(`{"total":42}`) + "'\necho; echo\n", Passed, nil},
		{"wrong value", echo(`{"total":41}`), AssertionFailed, []string{"assertion_value_mismatch"}},
		{"wrong type", echo(`{"total":"42"}`), AssertionFailed, []string{"observation_type_mismatch"}},
		{"no observation", echo(`{}`), AssertionFailed, []string{"observation_missing"}},
		{"exit code", echo(`{"total":42}`) + "exit 3\n", TestFailed, []string{"test_failed"}},
		{"exit code and value", echo(`{"total":1}`) + "exit 3\n", TestFailed, []string{"test_failed", "assertion_value_mismatch"}},
		{"killed by a signal", echo(`{"total":42}`) + "kill -9 $$\n", TestFailed, []string{"test_failed"}},
		{"prints nothing", "#!/bin/sh\n", InvalidEvidence, []string{"invalid_evidence"}},
		{"prints garbage", "#!/bin/sh\necho ok\n", InvalidEvidence, []string{"invalid_evidence"}},
		{"half a document", "#!/bin/sh\nprintf '{\"schema_version\":'\n", InvalidEvidence, []string{"invalid_evidence"}},
		{"crashes", "#!/bin/sh\nexit 1\n", InvalidEvidence, []string{"invalid_evidence"}},
		{"closes stdout early", "#!/bin/sh\nexec >&-\nexec 2>&-\nsleep 0.2\n", InvalidEvidence, []string{"invalid_evidence"}},
		{"a line after the evidence", echo(`{"total":42}`) + "echo done\n", InvalidEvidence, []string{"invalid_evidence"}},
		{"duplicate key", echo(`{"total":41,"total":42}`), InvalidEvidence, []string{"invalid_evidence"}},
		{"says blocked", "#!/bin/sh\necho '{\"schema_version\":\"long-task-check-result-v2\",\"execution_status\":\"blocked_external\",\"reason\":\"no device\"}'\n", BlockedExternal, []string{"blocked_external"}},
		{"no such interpreter", "#!/no/such/program\n", InfrastructureError, []string{"infrastructure_error"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"run.sh": c.script})
			r := Run(t.Context(), p, script())
			if r.Status != c.status || !slices.Equal(codes(r.Findings), c.codes) {
				t.Errorf("status %s, findings %+v; want %s, %v", r.Status, r.Findings, c.status, c.codes)
			}
			if passed := len(r.ClaimProofs) > 0; passed != (c.status == Passed) {
				t.Errorf("claim proofs %v with status %s", r.ClaimProofs, r.Status)
			}
			wantLeftNothing(t, p)
		})
	}
}

func TestNodeOracle(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"verify/report.mjs": `import { readFileSync } from "node:fs";
let c = {}; try { c = JSON.parse(readFileSync("src/impl.json", "utf8")); } catch {}
console.log(JSON.stringify({schema_version: "long-task-check-result-v2", execution_status: "completed", observations: {total: c.total ?? 0, args: process.argv.slice(2)}}));`,
		"src/impl.json": `{"total": 42}`,
	})
	s := script()
	s.Check.Runner.Type, s.Check.Runner.Target, s.Check.Runner.Argv = contract.RunnerNodeOracle, "verify/report.mjs", []string{"a b", ""}
	s.Check.NegativeAssertions = []contract.Assertion{{Key: "args", Criterion: "c", Observation: "args", Operator: "equals", Expected: []any{"a b", ""}, HasExpected: true}}
	r := Run(t.Context(), p, s)
	if r.Status != Passed || !slices.Equal(r.ClaimProofs, []string{"report.requirement.sum", "report.result"}) {
		t.Fatalf("%+v", r)
	}
	if r.Argv0 == nil || !filepath.IsAbs(r.Argv0.Path) || len(r.Argv0.SHA256) != 64 {
		t.Errorf("argv0 %+v", r.Argv0)
	}

	cf := contract.Counterfactual{Key: "no-carrier", BindingKey: "carrier", Mutation: contract.Mutation{Type: "remove_paths", Paths: []string{"src/impl.json"}}, ExpectedAssertionFailures: []string{"total-right"}}
	if got := Counterfactual(t.Context(), p, s, cf); got.Status != "failed" || !strings.Contains(got.Findings[0].Message, "still hold: total-right") {
		t.Errorf("an unmutated tree must not satisfy a counterfactual: %+v", got)
	}
	if err := Mutate(p.Dir, cf.Mutation); err != nil {
		t.Fatal(err)
	}
	if got := Counterfactual(context.Background(), p, s, cf); got.Status != "passed" {
		t.Errorf("%+v", got)
	}
}
