package check

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-longtask/git-longtask/contract"
)

// TestCounterfactual: what the mutated run prints decides; label is a second
// assertion that the control does not list.
func TestCounterfactual(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script, status, code, message string
	}{
		{"fails as declared", echo(`{"total":0,"label":"ok"}`), "passed", "", ""},
		{"still holds", echo(`{"total":42,"label":"ok"}`), "failed", "counterfactual_integrity_failed", "these assertions still hold: total-right"},
		{"another one fails too", echo(`{"total":0,"label":"none"}`), "failed", "counterfactual_integrity_failed", "failed though they are not listed: label-ok"},
		{"by type", echo(`{"total":"0","label":"ok"}`), "failed", "counterfactual_integrity_failed", "total-right as observation_type_mismatch"},
		{"by absence", echo(`{"label":"ok"}`), "failed", "counterfactual_integrity_failed", "total-right as observation_missing"},
		{"exit code", echo(`{"total":0,"label":"ok"}`) + "exit 1\n", "failed", "counterfactual_integrity_failed", "ended as test_failed"},
		{"crash", "#!/bin/sh\nexit 1\n", "failed", "counterfactual_integrity_failed", "ended as invalid_evidence"},
		{"timeout", "#!/bin/sh\nsleep 60\n", "failed", "counterfactual_integrity_failed", "ended as infrastructure_error"},
		{"blocked", "#!/bin/sh\necho '{\"schema_version\":\"long-task-check-result-v2\",\"execution_status\":\"blocked_external\",\"reason\":\"no device\"}'\n", "blocked_external", "blocked_external", "no device"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"run.sh": c.script})
			s := script()
			s.Check.Runner.TimeoutMS = 1500
			s.Check.NegativeAssertions = []contract.Assertion{{Key: "label-ok", Observation: "label", Operator: "not_equals", Expected: "none", HasExpected: true}}
			got := Counterfactual(t.Context(), p, s, contract.Counterfactual{Key: "cf", BindingKey: "carrier", ExpectedAssertionFailures: []string{"total-right"}})
			if got.Status != c.status || strings.Join(codes(got.Findings), " ") != c.code {
				t.Fatalf("%+v", got)
			}
			if c.code != "" && !strings.Contains(got.Findings[0].Message, c.message) {
				t.Errorf("%s, want %q in it", got.Findings[0].Message, c.message)
			}
			if c.status == "failed" && (got.Findings[0].Refs["binding"] != "report.carrier" || got.Findings[0].Refs["assertion"] != "total-right") {
				t.Errorf("%v", got.Findings[0].Refs)
			}
		})
	}
}

// TestBlockedEnvironmentIsNotAnIntegrityFailure: the reference says needs_work.
func TestBlockedEnvironmentIsNotAnIntegrityFailure(t *testing.T) {
	p := newPlace(t, map[string]string{"run.sh": echo(`{"total":0}`)})
	s := script()
	s.Check.EnvironmentRequirements = []contract.Environment{{Key: "tool", Kind: "executable", Target: "no-such-program"}}
	got := Counterfactual(t.Context(), p, s, contract.Counterfactual{Key: "cf", ExpectedAssertionFailures: []string{"total-right"}})
	if got.Status != "blocked_external" || !slices.Equal(codes(got.Findings), []string{"blocked_external"}) {
		t.Errorf("%+v", got)
	}
}

func TestMutate(t *testing.T) {
	p := newPlace(t, map[string]string{"a": "1", "b.sh": "2", "dir/c": "3", "fixture": "F", "keep": "4"})
	outside := filepath.Join(p.Home, "precious")
	if err := os.WriteFile(outside, []byte("P"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": outside, "out": p.Home, "inner": "dir", "dangling": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(p.Dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	replace := func(path, fixture string) contract.Mutation {
		return contract.Mutation{Type: "replace_file", Path: path, FixturePath: fixture}
	}
	remove := func(paths ...string) contract.Mutation {
		return contract.Mutation{Type: "remove_paths", Paths: paths}
	}
	for _, c := range []struct {
		name    string
		m       contract.Mutation
		ok      bool
		missing bool
	}{
		{"missing", remove("a", "none"), false, true},
		{"missing below a file", remove("a/x"), false, true},
		{"no path", remove(), false, false},
		{"replace missing", replace("none", "fixture"), false, true},
		{"fixture missing", replace("a", "none"), false, false},
		{"fixture outside", replace("a", "link"), false, false},
		{"through a link out of the tree", remove("out/precious"), false, false},
		{"replace through a link out of the tree", replace("out/precious", "fixture"), false, false},
		{"dots", remove("../home/precious"), false, false},
		{"absolute", remove(outside), false, false},
		{"unknown", contract.Mutation{Type: "append"}, false, false},
		{"replace keeps the mode", replace("b.sh", "fixture"), true, false},
		{"a link itself", replace("link", "fixture"), true, false},
		{"a dangling link", remove("dangling"), true, false},
		{"through a link inside", remove("inner/c"), true, false},
		{"remove", remove("a"), true, false},
	} {
		err := Mutate(p.Dir, c.m)
		if (err == nil) != c.ok || errors.Is(err, ErrTargetMissing) != c.missing {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if data, _ := os.ReadFile(outside); string(data) != "P" {
		t.Errorf("a file outside the tree is now %q", data)
	}
	if info, err := os.Lstat(filepath.Join(p.Dir, "link")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the link should be a file now: %v %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(p.Dir, "b.sh")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("b.sh: %v %v", info, err)
	}
	for name, want := range map[string]bool{"a": false, "dir/c": false, "keep": true, "fixture": true} {
		if _, err := os.Stat(filepath.Join(p.Dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNotMutated(t *testing.T) {
	p := newPlace(t, nil)
	cf := contract.Counterfactual{Key: "cf", BindingRef: "report.carrier", Mutation: contract.Mutation{Type: "remove_paths", Paths: []string{"src/impl.json"}}, ExpectedAssertionFailures: []string{"x", "y"}}
	err := Mutate(p.Dir, cf.Mutation)
	got := NotMutated(Spec{Check: contract.Check{Key: "run"}}, cf, err)
	want := "Counterfactual cf of CHECK.GLOBAL.run proves nothing: the check was not run, because the mutation could not be applied: src/impl.json: the file to mutate does not exist."
	if got.Status != "failed" || got.Findings[0].Message != want {
		t.Errorf("%+v", got)
	}
	actual := got.Findings[0].Refs["actual"].(map[string]any)
	if !slices.Equal(actual["finding_codes"].([]string), []string{"counterfactual_mutation_target_missing"}) {
		t.Errorf("%v", actual)
	}
}
