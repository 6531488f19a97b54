package revision

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/git-longtask/git-longtask/contract"
)

// full is a contract with one of everything.
func full() *contract.Compiled {
	c := &contract.Compiled{Format: 1, Workdir: "work/task", ContractSHA256: "x", EffectiveRisk: "strict", RiskReasons: []string{"security_boundary_change:report"},
		Files: []contract.Frozen{
			{Path: "plan/source.md", Kind: contract.FileSource, SHA256: "s1"},
			{Path: "project_context/core.md", Kind: contract.FileContext, SHA256: "c1", Controlling: true},
			{Path: "project_context/index.md", Kind: contract.FileContext, SHA256: "i1"},
			{Path: "verify/run.sh", Kind: contract.FileVerifier, SHA256: "v1", Checks: []string{"CHECK.report.run"}},
			{Path: "verify/lib.sh", Kind: contract.FileVerifier, SHA256: "v2", Checks: []string{"CHECK.report.run"}},
			{Path: "work/task/delivery-contract.yaml", Kind: contract.FileContract},
		}}
	k := &c.Contract
	k.SchemaVersion = contract.SchemaV2
	k.Task = contract.Task{ID: "report", Title: "Report", Goal: "Orders are reported.", SourcePaths: []string{"plan/source.md"}, ContextRefs: []string{"project_context/core.md"}, ContextSnapshotMode: "referenced"}
	k.SourceClaims = []contract.SourceClaim{{Key: "rows", SourceRef: "plan/source.md", Statement: "A row for each order.", Disposition: contract.Disposition{Type: "claim", Refs: []string{"report.requirement.rows"}}}}
	k.Risk = contract.Risk{RequestedLevel: "auto", Facts: map[string][]string{"security_boundary_change": {"report"}}}
	k.Global.Product.NonGoals = []contract.Keyed{{Key: "pdf", Statement: "No PDF."}}
	k.Global.Technical.Constraints = []contract.Keyed{{Key: "go", Statement: "Go only."}}
	k.Global.Technical.ForbiddenShortcuts = []contract.Keyed{{Key: "fake", Statement: "No fixed rows."}}
	k.Global.Technical.ForbiddenPaths = []contract.KeyedPath{{Key: "deploy", Path: "deploy/**"}}
	k.Global.Acceptance.ExternalConfirmations = []contract.ExternalConfirmation{{Key: "legal", Description: "Reviewed.", Owner: "legal"}}
	o := contract.Outcome{Key: "report", Title: "Report of orders", DependsOn: []string{"base"}}
	o.Product = contract.Product{ObservableResult: "A report.", OwnerSurfaces: []string{"cli"},
		Requirements:          []contract.Requirement{{Key: "rows", Statement: "A row for each order.", RequiredProofSurfaces: []string{"runtime_behavior"}}},
		Controls:              []contract.Control{{Key: "button", Location: "top", Trigger: "click"}},
		NonCompletingOutcomes: []contract.Keyed{{Key: "empty", Statement: "An empty report."}}}
	o.Product.Owner.Label, o.Product.Owner.ContextRefs, o.Product.Owner.PathGlobs = "core", []string{"project_context/core.md"}, []string{"src/**"}
	o.Technical = contract.Technical{ExpectedChangePaths: []string{"src/report/**"}, AllowedSupportPaths: []string{"src/lib/**"}, ForbiddenPaths: []string{"src/report/gen/**"},
		Obligations:         []contract.Requirement{{Key: "stream", Statement: "Rows are streamed.", RequiredProofSurfaces: []string{"runtime_behavior", "api_contract"}}},
		ForbiddenShortcuts:  []contract.Keyed{{Key: "cache", Statement: "No cached rows."}},
		Bindings:            []contract.Binding{{Key: "main", Kind: "path_glob", Target: "src/report/main.go", CarrierPaths: []string{"src/report/**"}, Existence: "existing"}},
		RollbackAndRecovery: &contract.Rollback{Rollback: "Revert.", Recovery: "Run again.", VerificationCheckKeys: []string{"run"}}}
	run := contract.Check{Key: "run", ProofSurface: "runtime_behavior",
		Runner:                  contract.Runner{Type: contract.RunnerProjectBinary, Target: "verify/run.sh", Argv: []string{"--all"}, Cwd: ".", TimeoutMS: 1000, Effect: "read_only", RetryPolicy: "none"},
		FrozenAbsent:            []string{"conftest.py"},
		VerificationInputs:      []string{"verify/run.sh", "verify/lib.sh"},
		InputPaths:              []string{"src/**"},
		ExpectedOutputPaths:     []string{"out/rows.csv"},
		ArtifactGlobs:           []string{"out/*.log"},
		PositiveAssertions:      []contract.Assertion{{Key: "count", Criterion: "Three rows.", Claims: []string{"requirement.rows"}, Observation: "rows", Operator: "equals", Expected: 3.0, HasExpected: true}},
		NegativeAssertions:      []contract.Assertion{{Key: "leak", Criterion: "No leak.", Claims: []string{"forbidden_shortcut.cache"}, Observation: "leak", Operator: "equals", Expected: false, HasExpected: true}},
		EnvironmentRequirements: []contract.Environment{{Key: "sh", Kind: "executable", Target: "sh"}}}
	o.Acceptance = contract.OutcomeAcceptance{Checks: []contract.Check{run},
		Population:             &contract.Population{CheckKey: "run", Claims: []string{"result"}},
		CounterfactualControls: []contract.Counterfactual{{Key: "gone", BindingKey: "main", Claims: []string{"result"}, CheckKey: "run", Mutation: contract.Mutation{Type: "remove_paths", Paths: []string{"src/report/main.go"}}, ExpectedAssertionFailures: []string{"count"}}}}
	k.Outcomes = []contract.Outcome{o}
	return c
}

// base is the tree the work started from.
func base(path string) (string, bool) {
	sum, ok := map[string]string{"scripts/deploy.sh": "d0", "verify/run.sh": "v1"}[path]
	return sum, ok
}

func compare(t *testing.T, old, next *contract.Compiled) []Change {
	t.Helper()
	changes, err := Compare(Side{Compiled: old}, Side{Compiled: next}, base)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// told spells changes: "!" protected, "!!" rejected, a bare word automatic.
func told(changes []Change) string {
	var words []string
	for _, c := range changes {
		word := c.Reason
		switch {
		case c.Rejected:
			word = "!!" + word
		case c.Protected:
			word = "!" + word
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

func outcome(c *contract.Compiled) *contract.Outcome { return &c.Contract.Outcomes[0] }
func check(c *contract.Compiled) *contract.Check     { return &outcome(c).Acceptance.Checks[0] }
func verifier(c *contract.Compiled) *contract.Frozen { return &c.Files[3] }

func TestEachRule(t *testing.T) {
	type edit = func(c *contract.Compiled)
	frozen := func(path, sum string) edit {
		return func(c *contract.Compiled) {
			check(c).VerificationInputs = append(check(c).VerificationInputs, path)
			c.Files = append(c.Files, contract.Frozen{Path: path, Kind: contract.FileVerifier, SHA256: sum, Checks: []string{"CHECK.report.run"}})
		}
	}
	for name, c := range map[string]struct {
		edit edit
		want string
	}{
		"nothing":           {func(c *contract.Compiled) {}, ""},
		"title of the task": {func(c *contract.Compiled) { c.Contract.Task.Title = "x" }, "title_changed"},
		"goal":              {func(c *contract.Compiled) { c.Contract.Task.Goal = "x" }, "!product_semantics_changed"},
		"source claim added": {func(c *contract.Compiled) {
			c.Contract.SourceClaims = append(c.Contract.SourceClaims, contract.SourceClaim{Key: "x"})
		}, "!source_claim_added"},
		"source claim changed":       {func(c *contract.Compiled) { c.Contract.SourceClaims[0].Statement = "x" }, "!source_claim_removed_or_changed"},
		"source claim removed":       {func(c *contract.Compiled) { c.Contract.SourceClaims = nil }, "!source_claim_removed_or_changed"},
		"source path removed":        {func(c *contract.Compiled) { c.Contract.Task.SourcePaths = nil; c.Files = c.Files[1:] }, "!source_path_removed_or_replaced"},
		"source bytes":               {func(c *contract.Compiled) { c.Files[0].SHA256 = "x" }, "!source_file_content_changed"},
		"controlling context":        {func(c *contract.Compiled) { c.Files[1].SHA256 = "x" }, "!context_authority_changed"},
		"context controls no longer": {func(c *contract.Compiled) { c.Files[1].Controlling = false }, "!context_authority_changed"},
		"supporting context":         {func(c *contract.Compiled) { c.Files[2].SHA256 = "x" }, "supporting_context_changed"},
		"strict to standard":         {func(c *contract.Compiled) { c.EffectiveRisk = "standard" }, "!!authority_risk_downgrade_rejected"},
		"a risk reason is gone":      {func(c *contract.Compiled) { c.RiskReasons = []string{"data_migration:report"} }, "!!authority_risk_downgrade_rejected"},
		"risk fact added":            {func(c *contract.Compiled) { c.Contract.Risk.Facts["data_migration"] = []string{"report"} }, "!risk_changed_requires_review"},
		"risk level":                 {func(c *contract.Compiled) { c.Contract.Risk.RequestedLevel = "strict" }, "!risk_changed_requires_review"},
		"non-goal removed":           {func(c *contract.Compiled) { c.Contract.Global.Product.NonGoals = nil }, "!product_claim_removed"},
		"constraint added": {func(c *contract.Compiled) {
			c.Contract.Global.Technical.Constraints = append(c.Contract.Global.Technical.Constraints, contract.Keyed{Key: "x"})
		}, "!global_semantics_changed"},
		"global shortcut reworded": {func(c *contract.Compiled) { c.Contract.Global.Technical.ForbiddenShortcuts[0].Statement = "x" }, "!global_semantics_changed"},
		"forbidden path added": {func(c *contract.Compiled) {
			c.Contract.Global.Technical.ForbiddenPaths = append(c.Contract.Global.Technical.ForbiddenPaths, contract.KeyedPath{Key: "x", Path: "x/**"})
		}, "forbidden_path_added"},
		"forbidden path removed":         {func(c *contract.Compiled) { c.Contract.Global.Technical.ForbiddenPaths = nil }, "!forbidden_path_removed"},
		"forbidden path narrowed":        {func(c *contract.Compiled) { c.Contract.Global.Technical.ForbiddenPaths[0].Path = "deploy/a/**" }, "!forbidden_path_removed forbidden_path_added"},
		"forbidden path widened":         {func(c *contract.Compiled) { outcome(c).Technical.ForbiddenPaths[0] = "src/report/**" }, "forbidden_path_added"},
		"forbidden path under a new key": {func(c *contract.Compiled) { c.Contract.Global.Technical.ForbiddenPaths[0].Key = "x" }, "order_changed"},
		"confirmation added": {func(c *contract.Compiled) {
			c.Contract.Global.Acceptance.ExternalConfirmations = append(c.Contract.Global.Acceptance.ExternalConfirmations, contract.ExternalConfirmation{Key: "x"})
		}, "external_confirmation_added"},
		"confirmation removed": {func(c *contract.Compiled) { c.Contract.Global.Acceptance.ExternalConfirmations = nil }, "!acceptance_not_monotonic"},
		"outcome added": {func(c *contract.Compiled) {
			c.Contract.Outcomes = append(c.Contract.Outcomes, contract.Outcome{Key: "x"})
		}, "!product_claim_added"},
		"outcome removed":       {func(c *contract.Compiled) { c.Contract.Outcomes = nil }, "!product_claim_removed"},
		"outcome title":         {func(c *contract.Compiled) { outcome(c).Title = "x" }, "!product_semantics_changed"},
		"dependency dropped":    {func(c *contract.Compiled) { outcome(c).DependsOn = nil }, "dependency_changed"},
		"result":                {func(c *contract.Compiled) { outcome(c).Product.ObservableResult = "x" }, "!product_semantics_changed"},
		"owner context removed": {func(c *contract.Compiled) { outcome(c).Product.Owner.ContextRefs = nil }, "!owner_context_ref_removed"},
		"owner path widened":    {func(c *contract.Compiled) { outcome(c).Product.Owner.PathGlobs = []string{"**"} }, "!owner_path_expanded paths_narrowed"},
		"requirement added": {func(c *contract.Compiled) {
			outcome(c).Product.Requirements = append(outcome(c).Product.Requirements, contract.Requirement{Key: "x"})
		}, "!product_claim_added"},
		"requirement reworded":          {func(c *contract.Compiled) { outcome(c).Product.Requirements[0].Statement = "x" }, "!product_claim_changed"},
		"requirement loses a surface":   {func(c *contract.Compiled) { outcome(c).Product.Requirements[0].RequiredProofSurfaces = nil }, "!product_semantics_changed"},
		"control":                       {func(c *contract.Compiled) { outcome(c).Product.Controls[0].Trigger = "x" }, "!product_semantics_changed"},
		"change path widened":           {func(c *contract.Compiled) { outcome(c).Technical.ExpectedChangePaths[0] = "src/**" }, "!expected_change_path_expanded paths_narrowed"},
		"change path narrowed":          {func(c *contract.Compiled) { outcome(c).Technical.ExpectedChangePaths[0] = "src/report/a/**" }, "paths_narrowed"},
		"change path not proved inside": {func(c *contract.Compiled) { outcome(c).Technical.ExpectedChangePaths[0] = "src/*/a" }, "!expected_change_path_expanded paths_narrowed"},
		"support path added": {func(c *contract.Compiled) {
			outcome(c).Technical.AllowedSupportPaths = append(outcome(c).Technical.AllowedSupportPaths, "docs/**")
		}, "!allowed_path_expanded"},
		"obligation added": {func(c *contract.Compiled) {
			outcome(c).Technical.Obligations = append(outcome(c).Technical.Obligations, contract.Requirement{Key: "x"})
		}, "obligation_added"},
		"obligation reworded": {func(c *contract.Compiled) { outcome(c).Technical.Obligations[0].Statement = "x" }, "!obligation_removed_or_weakened"},
		"obligation loses a surface": {func(c *contract.Compiled) {
			outcome(c).Technical.Obligations[0].RequiredProofSurfaces = []string{"runtime_behavior"}
		}, "!obligation_removed_or_weakened"},
		"binding carrier widened":  {func(c *contract.Compiled) { outcome(c).Technical.Bindings[0].CarrierPaths[0] = "src/**" }, "!binding_removed_or_expanded paths_narrowed"},
		"binding carrier narrowed": {func(c *contract.Compiled) { outcome(c).Technical.Bindings[0].CarrierPaths[0] = "src/report/main.go" }, "paths_narrowed"},
		"binding removed":          {func(c *contract.Compiled) { outcome(c).Technical.Bindings = nil }, "!binding_removed_or_expanded"},
		"rollback removed":         {func(c *contract.Compiled) { outcome(c).Technical.RollbackAndRecovery = nil }, "!rollback_or_recovery_weakened"},
		"rollback check added": {func(c *contract.Compiled) {
			outcome(c).Technical.RollbackAndRecovery.VerificationCheckKeys = []string{"run", "x"}
		}, "rollback_added"},
		"check added": {func(c *contract.Compiled) {
			outcome(c).Acceptance.Checks = append(outcome(c).Acceptance.Checks, contract.Check{Key: "x"})
		}, "check_added"},
		"check removed":             {func(c *contract.Compiled) { outcome(c).Acceptance.Checks = nil }, "!check_removed"},
		"proof surface":             {func(c *contract.Compiled) { check(c).ProofSurface = "x" }, "!proof_surface_changed"},
		"longer timeout":            {func(c *contract.Compiled) { check(c).Runner.TimeoutMS = 2000 }, "!runner_definition_changed"},
		"arguments":                 {func(c *contract.Compiled) { check(c).Runner.Argv = nil }, "!runner_definition_changed"},
		"one more absent file":      {func(c *contract.Compiled) { check(c).FrozenAbsent = []string{"conftest.py", "x"} }, "frozen_absent_added"},
		"absent file may appear":    {func(c *contract.Compiled) { check(c).FrozenAbsent = nil }, "!runner_definition_changed"},
		"inputs narrowed":           {func(c *contract.Compiled) { check(c).InputPaths[0] = "src/report/**" }, "!input_path_coverage_reduced input_paths_widened"},
		"inputs widened":            {func(c *contract.Compiled) { check(c).InputPaths[0] = "**" }, "input_paths_widened"},
		"inputs are everything":     {func(c *contract.Compiled) { check(c).InputPaths = []string{} }, "input_paths_widened"},
		"output no longer expected": {func(c *contract.Compiled) { check(c).ExpectedOutputPaths = nil }, "!expected_output_requirement_weakened"},
		"artifact added":            {func(c *contract.Compiled) { check(c).ArtifactGlobs = append(check(c).ArtifactGlobs, "x") }, "artifact_added"},
		"artifact removed":          {func(c *contract.Compiled) { check(c).ArtifactGlobs = nil }, "!artifact_removed"},
		"assertion added": {func(c *contract.Compiled) {
			check(c).PositiveAssertions = append(check(c).PositiveAssertions, contract.Assertion{Key: "x"})
		}, "assertion_added"},
		"assertion removed":            {func(c *contract.Compiled) { check(c).PositiveAssertions = nil }, "!acceptance_not_monotonic"},
		"expectation":                  {func(c *contract.Compiled) { check(c).PositiveAssertions[0].Expected = 2.0 }, "!acceptance_not_monotonic"},
		"guard instead of red at base": {func(c *contract.Compiled) { check(c).PositiveAssertions[0].RegressionGuard = true }, "!acceptance_not_monotonic"},
		"negative assertion removed":   {func(c *contract.Compiled) { check(c).NegativeAssertions = nil }, "!negative_assertion_removed"},
		"environment added": {func(c *contract.Compiled) {
			check(c).EnvironmentRequirements = append(check(c).EnvironmentRequirements, contract.Environment{Key: "x"})
		}, "environment_requirement_added"},
		"environment changed":     {func(c *contract.Compiled) { check(c).EnvironmentRequirements[0].Target = "x" }, "!environment_requirement_removed"},
		"population removed":      {func(c *contract.Compiled) { outcome(c).Acceptance.Population = nil }, "!population_weakened"},
		"population may be empty": {func(c *contract.Compiled) { outcome(c).Acceptance.Population.AllowEmpty = true }, "!population_weakened"},
		"counterfactual edited":   {func(c *contract.Compiled) { outcome(c).Acceptance.CounterfactualControls[0].Mutation.Paths[0] = "x" }, "!counterfactual_removed"},
		"verifier bytes":          {func(c *contract.Compiled) { verifier(c).SHA256 = "x" }, "!verification_input_removed_or_replaced"},
		"verifier no longer frozen": {func(c *contract.Compiled) {
			check(c).VerificationInputs = []string{"verify/run.sh"}
			c.Files = slices.Delete(c.Files, 4, 5)
		}, "!verification_input_removed_or_replaced"},
		"verifier moved with its bytes": {func(c *contract.Compiled) {
			check(c).Runner.Target, verifier(c).Path = "tests/run.sh", "tests/run.sh"
			check(c).VerificationInputs[0] = "tests/run.sh"
		}, "verifier_relocated"},
		"verifier moved and edited": {func(c *contract.Compiled) {
			check(c).Runner.Target, verifier(c).Path, verifier(c).SHA256 = "tests/run.sh", "tests/run.sh", "x"
			check(c).VerificationInputs[0] = "tests/run.sh"
		}, "!runner_definition_changed !verification_input_removed_or_replaced verification_input_added"},
		"verifier added":                      {frozen("verify/more.sh", "m"), "verification_input_added"},
		"an edit hidden by freezing it":       {frozen("scripts/deploy.sh", "d1"), "verification_input_added !allowed_path_expanded"},
		"a file of the base frozen as it was": {frozen("scripts/deploy.sh", "d0"), "verification_input_added"},
		"a file in a forbidden place frozen":  {frozen("deploy/run.sh", "x"), "verification_input_added !forbidden_path_removed"},
		".longtask.yaml added": {func(c *contract.Compiled) {
			c.Files = append(c.Files, contract.Frozen{Path: ".longtask.yaml", Kind: contract.FileConfig, SHA256: "x"})
		}, "!runner_definition_changed"},
		"another workdir":                         {func(c *contract.Compiled) { c.Workdir = "work/two" }, "!workdir_changed"},
		"another digest with no known difference": {func(c *contract.Compiled) { c.ContractSHA256 = "y" }, "!acceptance_not_monotonic"},
	} {
		t.Run(name, func(t *testing.T) {
			next := full()
			c.edit(next)
			changes := compare(t, full(), next)
			if got := told(changes); got != c.want {
				t.Errorf("got %q, want %q\n%+v", got, c.want, changes)
			}
		})
	}
}

// TestNoLeafChangesUnseen edits each value of the compiled form in turn. What
// other values follow from may be seen through them, so it must at least not
// pass as no change.
func TestNoLeafChangesUnseen(t *testing.T) {
	raw, err := full().Canonical()
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	edited := 0
	eachLeaf(doc, func() {
		data, err := json.Marshal(doc)
		next := &contract.Compiled{}
		if err == nil {
			err = json.Unmarshal(data, next)
		}
		if err != nil {
			t.Fatal(err)
		}
		edited++
		if len(compare(t, full(), next)) == 0 {
			t.Errorf("an edit passed as no change: %s", data)
		}
	})
	if edited < 100 {
		t.Errorf("only %d values were edited", edited)
	}
}

func eachLeaf(v any, edited func()) {
	edit := func(old any, put func(any)) {
		switch x := old.(type) {
		case string:
			put(x + "x")
		case float64:
			put(x + 1)
		case bool:
			put(!x)
		default:
			eachLeaf(old, edited)
			return
		}
		edited()
		put(old)
	}
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			edit(v[name], func(x any) { v[name] = x })
		}
	case []any:
		for i := range v {
			edit(v[i], func(x any) { v[i] = x })
		}
	}
}

func TestPlacesAndTexts(t *testing.T) {
	next := full()
	check(next).Runner.TimeoutMS = 2000
	next.Files[0].SHA256 = "s2"
	changes, err := Compare(Side{full(), map[string][]byte{"plan/source.md": []byte("one\ntwo\nthree\n")}},
		Side{next, map[string][]byte{"plan/source.md": []byte("one\n2\nthree\n")}}, nil)
	if err != nil || len(changes) != 2 {
		t.Fatalf("%+v %v", changes, err)
	}
	if c := changes[0]; c.Place != "contract.outcomes.report.acceptance.checks.run.runner.timeout_ms" || c.Old != "1000" || c.New != "2000" {
		t.Errorf("%+v", c)
	}
	if c := changes[1]; c.Place != "files.plan/source.md" || c.Old != "sha256:s1" || strings.Join(c.Lines(), "|") != " one|-two|+2| three" {
		t.Errorf("%+v", c)
	}
}

func TestIDFollowsIdentitiesAndChanges(t *testing.T) {
	changes := []Change{{Reason: "check_removed", Place: "x", Protected: true}}
	id := func(previous, next string, c []Change) string {
		s, err := ID(previous, next, c)
		if err != nil || len(s) != 64 {
			t.Fatal(s, err)
		}
		return s
	}
	first := id("a", "b", changes)
	if first != id("a", "b", changes) || first == id("a", "c", changes) || first == id("c", "b", changes) || first == id("a", "b", nil) {
		t.Error("the id does not follow what it stands for")
	}
}

func TestLinesShortensEqualParts(t *testing.T) {
	old := strings.Repeat("same\n", 9) + "old\n" + strings.Repeat("same\n", 3)
	next := strings.Repeat("same\n", 9) + "new\n" + strings.Repeat("same\n", 3)
	if got := strings.Join(Lines(old, next), "|"); got != "  (7 equal lines)| same| same|-old|+new| same| same| same" {
		t.Error(got)
	}
	if got := strings.Join(Lines("", "a\nb"), "|"); got != "+a|+b" {
		t.Error(got)
	}
}
