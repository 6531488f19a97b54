package check

import (
	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/check/evidence"
)

// Status is the verdict over one check.
type Status string

// Statuses. Interrupted is the caller's doing and says nothing about the check.
const (
	Passed              Status = "passed"
	AssertionFailed     Status = "assertion_failed"
	TestFailed          Status = "test_failed"
	InvalidEvidence     Status = "invalid_evidence"
	InfrastructureError Status = "infrastructure_error"
	BlockedExternal     Status = "blocked_external"
	Interrupted         Status = "interrupted"
)

// Codes of findings that are not also a status or an assertion's code.
const (
	codeOutputLimit   = "output_limit"
	codeSecret        = "secret_in_output"
	codeArtifact      = "artifact_missing"
	codePopulation    = "population_coverage_failed"
	codeIntegrity     = "counterfactual_integrity_failed"
	codeNotSupported  = "not_supported_yet"
	codeTargetMissing = "counterfactual_mutation_target_missing"
)

// Result is one check's outcome. Hashes are lower-case hex SHA-256; ExitCode
// is -1 when there was none. ClaimProofs holds full claim ids and is empty
// unless the check passed.
type Result struct {
	InternalID           string             `json:"internal_id"`
	OutcomeKey           *string            `json:"outcome_key"`
	CheckKey             string             `json:"check_key"`
	Status               Status             `json:"status"`
	EvidenceAdapter      string             `json:"evidence_adapter"`
	Proof                string             `json:"proof,omitempty"` // exit_status: nothing finer was observed
	ExecutionIdentity    string             `json:"execution_identity"`
	RawExecutionIdentity string             `json:"raw_execution_identity"`
	Argv0                *Program           `json:"argv0,omitempty"`
	ExitCode             int                `json:"exit_code"`
	DurationMS           int64              `json:"duration_ms"`
	Attempts             int                `json:"attempts"`
	AssertionResults     []AssertionResult  `json:"assertion_results"`
	Observations         map[string]any     `json:"observations"`
	OutputSHA256         string             `json:"output_sha256,omitempty"`
	ArtifactHashes       map[string]string  `json:"artifact_hashes"`
	ClaimProofs          []string           `json:"claim_proofs"`
	Findings             []contract.Finding `json:"findings"`

	started bool // the command came to run
	report  evidence.Report
}

// Program is the resolved argv[0] of a run: relative to the tree when it lies
// in it, absolute otherwise.
type Program struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// AssertionResult is one assertion's outcome; Code says why it failed.
type AssertionResult struct {
	Key         string   `json:"key"`
	Criterion   string   `json:"criterion"`
	Claims      []string `json:"claims"`
	Polarity    string   `json:"polarity"`
	Status      string   `json:"status"` // passed, failed
	Observation string   `json:"observation"`
	Operator    string   `json:"operator"`
	Expected    any      `json:"expected,omitempty"`
	Actual      any      `json:"actual,omitempty"`
	Code        string   `json:"code,omitempty"`
}

// finding is one reason against the check, with the references all share.
func (s Spec) finding(code, message, hint string, refs map[string]any) contract.Finding {
	all := map[string]any{"check": s.Check.Key}
	if s.Outcome != "" {
		all["outcome"] = s.Outcome
	}
	for k, v := range refs {
		all[k] = v
	}
	return contract.Finding{Code: code, Level: contract.LevelError, Message: message, RepairHint: hint, Refs: all}
}
