package check

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/git-longtask/git-longtask/contract"
)

// command is a check that runs run.sh, bound to the case k or the exit code.
func command(adapter, report string) Spec {
	s := script()
	s.Check.Runner = contract.Runner{Type: contract.RunnerCommand, Argv: []string{"./run.sh"}, Cwd: ".", TimeoutMS: 10000, Effect: "test_sandbox", Adapter: adapter, Report: report}
	a := contract.Assertion{Key: "k", Criterion: "It holds.", Claims: []string{"result"}, Observation: "case.k.passed", Operator: "equals", Expected: true, HasExpected: true}
	if adapter == contract.AdapterExitStatus {
		a.Observation, a.Expected = "exit_code", 0.0
	}
	s.Check.PositiveAssertions = []contract.Assertion{a}
	return s
}

func TestCommandVerdicts(t *testing.T) {
	t.Parallel()
	const write = "#!/bin/sh\necho '<testsuite><testcase name=\"[ac:k]\"/></testsuite>' >r.xml\n"
	for _, c := range []struct {
		name, adapter, script string
		status                Status
		codes                 []string
		base                  string // what the assertion would be as a baseline
	}{
		{"tap passes", "tap_v1", "#!/bin/sh\nprintf 'ok 1 - [ac:k]\\n1..1\\n'\n", Passed, nil, BasePassed},
		{"tap fails", "tap_v1", "#!/bin/sh\nprintf 'not ok 1 - [ac:k]\\n1..1\\n'\nexit 1\n", TestFailed, []string{"test_failed", "assertion_value_mismatch"}, BaseFailed},
		{"a failed test and exit code 0", "tap_v1", "#!/bin/sh\nprintf 'ok 1 - [ac:k]\\nnot ok 2 - x\\n1..2\\n'\n", TestFailed, []string{"test_failed"}, BasePassed},
		{"no test", "tap_v1", "#!/bin/sh\necho 1..0\n", TestFailed, []string{"test_failed", "observation_missing"}, BaseMissing},
		{"no report", "tap_v1", "#!/bin/sh\nexit 1\n", InvalidEvidence, []string{"invalid_evidence"}, BaseError},
		{"junit passes", "junit_xml_v1", write, Passed, nil, BasePassed},
		{"junit leaves nothing", "junit_xml_v1", "#!/bin/sh\n", InvalidEvidence, []string{"invalid_evidence"}, BaseError},
		{"a report made to look old", "junit_xml_v1", write + "touch -d '2001-01-01' r.xml\n", InvalidEvidence, []string{"report_not_fresh"}, BaseError},
		{"a link for a report", "junit_xml_v1", write + "mv r.xml q; ln -s q r.xml\n", InvalidEvidence, []string{"invalid_evidence"}, BaseError},
		{"exit status", "exit_status_v1", "#!/bin/sh\n", Passed, nil, BasePassed},
		{"exit status fails", "exit_status_v1", "#!/bin/sh\nexit 2\n", TestFailed, []string{"test_failed", "assertion_value_mismatch"}, BaseFailed},
		{"too slow", "exit_status_v1", "#!/bin/sh\nsleep 30\n", InfrastructureError, []string{"infrastructure_error"}, BaseError},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			report := ""
			if c.adapter == contract.AdapterJUnit {
				report = "r.xml"
			}
			spec := command(c.adapter, report)
			if c.name == "too slow" {
				spec.Check.Runner.TimeoutMS = 200
			}
			r := Run(t.Context(), newPlace(t, map[string]string{"run.sh": c.script}), spec)
			if r.Status != c.status || !slices.Equal(codes(r.Findings), c.codes) {
				t.Errorf("status %s, findings %+v; want %s, %v", r.Status, r.Findings, c.status, c.codes)
			}
			b := Baseline(spec, r)
			if want := map[bool]string{true: BaselineGreen, false: BaselineRed}[c.base == BasePassed]; len(b.Assertions) != 1 || b.Assertions[0].Result != c.base || b.Status != want {
				t.Errorf("at the base: %+v, want %s", b, c.base)
			}
		})
	}
}

func TestReportThatWasThereBefore(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\ntouch r.xml\n", "r.xml": `<testsuite><testcase name="[ac:k]"/></testsuite>`})
	now := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(p.Dir, "r.xml"), now, now); err != nil {
		t.Fatal(err)
	}
	r := Run(t.Context(), p, command(contract.AdapterJUnit, "*.xml"))
	if !slices.Equal(codes(r.Findings), []string{"report_not_fresh"}) || len(r.ClaimProofs) > 0 {
		t.Errorf("%+v", r)
	}
}

// TestBaselineThatDidNotStart is no proof that the check can fail.
func TestBaselineThatDidNotStart(t *testing.T) {
	t.Parallel()
	spec := command(contract.AdapterExitStatus, "")
	b := Baseline(spec, Run(t.Context(), newPlace(t, nil), spec))
	if b.Status != BaselineNotStarted || !slices.Equal(codes(b.Findings), []string{"baseline_not_started"}) {
		t.Errorf("%+v", b)
	}
}

func TestCounterfactualOfATestReport(t *testing.T) {
	t.Parallel()
	cf := contract.Counterfactual{Key: "broken", BindingKey: "code", ExpectedAssertionFailures: []string{"k"}}
	for output, want := range map[string]string{
		"not ok 1 - [ac:k]\\nok 2 - x\\n1..2\\n":                    "passed",
		"not ok 1 - [ac:k]\\nnot ok 2 - x\\n1..2\\n":                "failed", // something else broke too
		"ok 1 - x\\n1..1\\n":                                        "failed", // the test is gone
		"not ok 1 - group [ac:k]\\n1..2\\n":                         "failed", // no valid report
		"    not ok 1 - a\\n    1..1\\nnot ok 1 - [ac:k]\\n1..1\\n": "passed",
	} {
		p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\nprintf '" + output + "'\nexit 1\n"})
		if got := Counterfactual(t.Context(), p, command(contract.AdapterTAP, ""), cf); got.Status != want {
			t.Errorf("%q: %s %+v, want %s", output, got.Status, got.Findings, want)
		}
	}
}
