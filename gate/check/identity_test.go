package check

import (
	"encoding/json"
	"testing"

	"github.com/git-longtask/git-longtask/contract"
)

func TestIdentities(t *testing.T) {
	base := func() Spec {
		s := script()
		s.Frozen = map[string]string{"run.sh": "aa"}
		s.Check.EnvironmentRequirements = []contract.Environment{{Key: "b", Kind: "executable", Target: "sh"}, {Key: "a", Kind: "executable", Target: "ls"}}
		return s
	}
	for _, c := range []struct {
		name          string
		change        func(*Spec)
		raw, judgment bool // whether the identity changes
	}{
		{"nothing", func(*Spec) {}, false, false},
		{"order of requirements", func(s *Spec) {
			e := s.Check.EnvironmentRequirements
			s.Check.EnvironmentRequirements = []contract.Environment{e[1], e[0]}
		}, false, false},
		{"check key", func(s *Spec) { s.Check.Key = "other" }, false, true},
		{"outcome", func(s *Spec) { s.Outcome = "other" }, false, true},
		{"expected value", func(s *Spec) { s.Check.PositiveAssertions[0].Expected = 43 }, false, true},
		{"population", func(s *Spec) { s.Population = &contract.Population{} }, false, true},
		{"argv", func(s *Spec) { s.Check.Runner.Argv = []string{"x"} }, true, true},
		{"timeout", func(s *Spec) { s.Check.Runner.TimeoutMS++ }, true, true},
		{"frozen bytes", func(s *Spec) { s.Frozen["run.sh"] = "bb" }, true, true},
		{"requirement", func(s *Spec) { s.Check.EnvironmentRequirements = nil }, true, true},
	} {
		a, b := base(), base()
		c.change(&b)
		if (a.RawIdentity() != b.RawIdentity()) != c.raw || (a.Identity() != b.Identity()) != c.judgment {
			t.Errorf("%s: raw changed %v, identity changed %v", c.name, a.RawIdentity() != b.RawIdentity(), a.Identity() != b.Identity())
		}
	}
}

// TestIdentitySurvivesCompiledJSON: the gate reads the contract back from JSON.
func TestIdentitySurvivesCompiledJSON(t *testing.T) {
	a := script()
	a.Check.PositiveAssertions[0].HasExpected = true
	a.Check.PositiveAssertions[0].Expected = map[string]any{"n": 42, "list": []any{1.5, "x", nil, int64(9007199254740993)}}
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	b := Spec{}
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	if a.Check.PositiveAssertions[0].Expected.(map[string]any)["list"].([]any)[3] == b.Check.PositiveAssertions[0].Expected.(map[string]any)["list"].([]any)[3] {
		t.Fatal("the test wants a type that changes")
	}
	b.Check.PositiveAssertions[0].Expected.(map[string]any)["list"].([]any)[3] = json.Number("9007199254740993")
	if a.Identity() != b.Identity() {
		t.Error("the identity depends on Go types")
	}
}
