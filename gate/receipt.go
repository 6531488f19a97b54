package gate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"github.com/gowebpki/jcs"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

// NotesRef holds the receipts.
const NotesRef = "refs/notes/longtask"

// PredicateType names the receipt in an in-toto statement.
const PredicateType = "https://github.com/git-longtask/git-longtask/receipt/v1"

const statementType = "https://in-toto.io/Statement/v1"

// Statement is one receipt: an in-toto Statement v1 on one line of a note.
type Statement struct {
	Type          string    `json:"_type"`
	Subject       []Subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     Predicate `json:"predicate"`

	Line []byte `json:"-"` // the bytes it was read from
}

// Subject is the commit a receipt is about.
type Subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// Predicate is what one gate run found.
type Predicate struct {
	Task                  string                          `json:"task"`
	Revision              int                             `json:"revision"`
	Identity              string                          `json:"identity"`
	WorkflowStatus        string                          `json:"workflow_status"`
	BaseCommit            gitx.OID                        `json:"base_commit"`
	ScopeBase             gitx.OID                        `json:"scope_base"`
	Criteria              []Criterion                     `json:"criteria"`
	Checks                []ReceiptCheck                  `json:"checks"`
	Counterfactuals       []ReceiptControl                `json:"counterfactuals"`
	Baselines             []ReceiptBaseline               `json:"baselines"`
	ExternalConfirmations []contract.ExternalConfirmation `json:"external_confirmations"`
	Approvals             []Approval                      `json:"approvals"`
	Files                 []contract.Frozen               `json:"files"`
	ContractSHA256        string                          `json:"contract_sha256"`
	NotDefault            map[string]string               `json:"configuration_not_default"`
	Tool                  Tool                            `json:"tool"`
	Git                   Tool                            `json:"git"`
	Platform              string                          `json:"platform"`
}

// Criterion is one acceptance criterion and its result.
type Criterion struct {
	Ref    string `json:"ref"` // <outcome>.<check>.<assertion>
	Text   string `json:"text"`
	Result string `json:"result"`
}

// ReceiptCheck is one check as it ran. Durations are milliseconds.
type ReceiptCheck struct {
	ID                string         `json:"id"`
	Status            string         `json:"status"`
	ExecutionIdentity string         `json:"execution_identity"`
	Exit              int            `json:"exit"`
	DurationMS        int64          `json:"duration_ms"`
	Attempts          int            `json:"attempts"`
	Adapter           string         `json:"evidence_adapter"`
	Proof             string         `json:"proof,omitempty"`
	Observations      map[string]any `json:"observations"`
	OutputSHA256      string         `json:"output_sha256"`
	Argv0             Tool           `json:"argv0"`
}

// ReceiptControl is one counterfactual as it ran.
type ReceiptControl struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// ReceiptBaseline is one check as it was on the base tree: per assertion
// failed, missing, build_failed, error, or passed for a regression guard.
type ReceiptBaseline struct {
	ID         string            `json:"id"`
	Assertions map[string]string `json:"assertions"`
}

// Approval is a revision somebody approved.
type Approval struct {
	Revision int    `json:"revision"`
	Actor    string `json:"actor"`
	Signed   bool   `json:"signed"`
}

// Tool is a program that took part: where it was and what it was.
type Tool struct {
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
}

// platform is the class of machine a receipt speaks for.
func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// maxReceipt is the largest line a note may hold.
const maxReceipt = 64 << 10

// encode gives the canonical line of a statement, cut to maxReceipt: first
// long values, then whole observations, are replaced by their digest.
func (s Statement) encode() ([]byte, error) {
	for _, limit := range []int{1 << 10, 128, 0} {
		line, err := s.cut(limit).canonical()
		if err != nil || len(line) <= maxReceipt {
			return line, err
		}
	}
	return nil, fmt.Errorf("receipt of task %s: more than %d bytes even without observations", s.Predicate.Task, maxReceipt)
}

func (s Statement) canonical() ([]byte, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return jcs.Transform(data)
}

func (s Statement) cut(limit int) Statement {
	checks := make([]ReceiptCheck, len(s.Predicate.Checks))
	for i, c := range s.Predicate.Checks {
		observations := make(map[string]any, len(c.Observations))
		for k, v := range c.Observations {
			observations[k] = cutValue(v, limit)
		}
		c.Observations = observations
		checks[i] = c
	}
	s.Predicate.Checks = checks
	return s
}

func cutValue(v any, limit int) any {
	data, err := json.Marshal(v)
	if err != nil || len(data) <= limit {
		return v
	}
	return map[string]any{"cut": true, "bytes": len(data), "sha256": digest(data)}
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Receipts reads the receipts on a commit. Lines that are no receipt, or are
// about another commit, are passed over: a note is a record, never authority.
func Receipts(ctx context.Context, repo *gitx.Repo, commit gitx.OID) ([]Statement, error) {
	data, err := repo.Notes(ctx, NotesRef, commit)
	if errors.Is(err, gitx.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("receipts of %s: %w", commit.Short(), err)
	}
	return parseReceipts(data, commit), nil
}

func parseReceipts(note []byte, commit gitx.OID) []Statement {
	var out []Statement
	for _, line := range bytes.Split(note, []byte("\n")) {
		var s Statement
		if json.Unmarshal(line, &s) != nil || s.Type != statementType || s.PredicateType != PredicateType {
			continue
		}
		if len(s.Subject) != 1 || s.Subject[0].Digest["gitCommit"] != string(commit) {
			continue
		}
		s.Line = line
		out = append(out, s)
	}
	return out
}
