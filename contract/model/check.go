package model

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Population demands that every eligible item was observed or excluded by rule.
type Population struct {
	CheckKey     string   `json:"check_key"`
	Claims       []string `json:"claims"`
	Observations struct {
		EligibleIDs   string `json:"eligible_ids"`
		ObservedIDs   string `json:"observed_ids"`
		ExcludedItems string `json:"excluded_items"`
	} `json:"observations"`
	ExclusionRules []Keyed `json:"exclusion_rules"`
	AllowEmpty     bool    `json:"allow_empty,omitempty"`
}

// Check is one bounded command and how its output is read.
type Check struct {
	Key                     string        `json:"key"`
	ProofSurface            string        `json:"proof_surface"`
	Runner                  Runner        `json:"runner"`
	VerificationInputs      []string      `json:"verification_inputs"`
	FrozenAbsent            []string      `json:"frozen_absent,omitempty"` // command only: files that must not appear
	InputPaths              []string      `json:"input_paths"`
	ExpectedOutputPaths     []string      `json:"expected_output_paths"`
	ArtifactGlobs           []string      `json:"artifact_globs"`
	PositiveAssertions      []Assertion   `json:"positive_assertions"`
	NegativeAssertions      []Assertion   `json:"negative_assertions"`
	EnvironmentRequirements []Environment `json:"environment_requirements"`
}

// Runner types of the contract.
const (
	RunnerPackageScript = "package_script"
	RunnerProjectBinary = "project_binary"
	RunnerNodeOracle    = "node_oracle"
	RunnerPlaywright    = "playwright_test"
	RunnerCommand       = "command"
)

// Adapters of the runner command. A runner without one is read as the V2
// runners are.
const (
	AdapterStructured = "structured_json_v2"
	AdapterJUnit      = "junit_xml_v1"
	AdapterGoTest     = "go_test_json_v1"
	AdapterTAP        = "tap_v1"
	AdapterExitStatus = "exit_status_v1"
)

// Reports tells whether the evidence is a test report with cases.
func (r Runner) Reports() bool {
	return r.Adapter == AdapterJUnit || r.Adapter == AdapterGoTest || r.Adapter == AdapterTAP
}

// RedAtBase tells whether the assertion has to be red at the base: it is bound
// to a test case or an exit status of a command, and guards nothing that holds
// already.
func (r Runner) RedAtBase(a Assertion) bool { return r.Binds(a) && !a.RegressionGuard }

// Binds tells whether the assertion is about a test case or the exit status of
// a command.
func (r Runner) Binds(a Assertion) bool {
	return r.Reports() && CaseOf(a.Observation) != "" || r.Adapter == AdapterExitStatus && a.Observation == "exit_code"
}

// CaseOf is the key of the test case an observation is about, "" for others.
func CaseOf(observation string) string {
	rest, ok := strings.CutPrefix(observation, "case.")
	if !ok {
		return ""
	}
	key, _, ok := strings.Cut(rest, ".")
	if !ok {
		return ""
	}
	return key
}

// Runner is what is started. Timeout is in milliseconds, 100 to 3,600,000.
type Runner struct {
	Type        string   `json:"type"`
	Target      string   `json:"target,omitempty"` // absent for command
	Argv        []string `json:"argv"`
	Cwd         string   `json:"cwd"`
	TimeoutMS   int      `json:"timeout_ms"`
	Effect      string   `json:"effect"` // read_only, test_sandbox
	RetryPolicy string   `json:"retry_policy"`
	Idempotent  bool     `json:"idempotent"`

	// command only
	Adapter string `json:"adapter,omitempty"`
	Report  string `json:"report,omitempty"` // files of junit_xml_v1
}

// Assertion is one acceptance criterion over one observation. Expected is a
// JSON value (nil, bool, float64, string, []any, map[string]any) and means
// something only where HasExpected is true: null can be expected.
type Assertion struct {
	Key             string
	Criterion       string
	Claims          []string
	Observation     string
	Operator        string
	Expected        any
	HasExpected     bool
	RegressionGuard bool
}

// assertionJSON is Assertion's JSON; Expected is absent, not null, where the
// operator takes none.
type assertionJSON struct {
	Key             string          `json:"key"`
	Criterion       string          `json:"criterion"`
	Claims          []string        `json:"claims"`
	Observation     string          `json:"observation"`
	Operator        string          `json:"operator"`
	Expected        json.RawMessage `json:"expected,omitempty"`
	RegressionGuard bool            `json:"regression_guard,omitempty"`
}

// MarshalJSON keeps an expected null apart from no expectation.
func (a Assertion) MarshalJSON() ([]byte, error) {
	j := assertionJSON{Key: a.Key, Criterion: a.Criterion, Claims: a.Claims, Observation: a.Observation,
		Operator: a.Operator, RegressionGuard: a.RegressionGuard}
	if a.HasExpected {
		raw, err := json.Marshal(a.Expected)
		if err != nil {
			return nil, err
		}
		j.Expected = raw
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote and refuses anything else.
func (a *Assertion) UnmarshalJSON(data []byte) error {
	var j assertionJSON
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return err
	}
	*a = Assertion{Key: j.Key, Criterion: j.Criterion, Claims: j.Claims, Observation: j.Observation,
		Operator: j.Operator, RegressionGuard: j.RegressionGuard}
	if j.Expected != nil {
		a.HasExpected = true
		return json.Unmarshal(j.Expected, &a.Expected)
	}
	return nil
}

// Environment is something the machine must offer before a check may run.
type Environment struct {
	Key       string `json:"key"`
	Kind      string `json:"kind"` // executable, env_var, file, directory, loopback_tcp
	Target    string `json:"target,omitempty"`
	Host      string `json:"host,omitempty"`
	Port      int    `json:"port,omitempty"`
	TimeoutMS int    `json:"timeout_ms,omitempty"`
}
