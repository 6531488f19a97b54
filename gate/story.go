package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// Entry is one event of a journal with a line for people.
type Entry struct {
	authority.Event
	Summary string `json:"summary"`
}

// Story is the journal of a task, oldest first, after the event with the
// number seq.
func Story(ctx context.Context, repo *gitx.Repo, task string, seq int) ([]Entry, error) {
	events, err := authority.Events(ctx, repo, task)
	if err != nil {
		return nil, err
	}
	story := []Entry{}
	for _, e := range events {
		if e.Seq > seq {
			story = append(story, Entry{e, summary(e)})
		}
	}
	return story, nil
}

// summary says an event in words. Data of a type this version does not know is
// passed over.
func summary(e authority.Event) string {
	var d struct {
		Check          string            `json:"check"`
		Status         string            `json:"status"`
		WorkflowStatus string            `json:"workflow_status"`
		Reason         string            `json:"reason"`
		Message        string            `json:"message"`
		Continue       bool              `json:"continue"`
		Findings       []json.RawMessage `json:"findings"`
	}
	if json.Unmarshal(e.Data, &d) != nil {
		return string(e.Type)
	}
	switch e.Type {
	case authority.ContractLocked:
		return fmt.Sprintf("locked revision %d on base %s", e.Revision, e.Commit.Short())
	case authority.ContractRevised:
		return fmt.Sprintf("revised to revision %d", e.Revision)
	case authority.ContractClosed:
		return fmt.Sprintf("closed on %s: %s", e.Commit.Short(), d.WorkflowStatus)
	case authority.ContractAbandoned:
		return "abandoned: " + d.Reason
	case authority.CheckEnded:
		return fmt.Sprintf("verify of %s on %s: %s%s", d.Check, e.Commit.Short(), d.Status, withFindings(len(d.Findings)))
	case authority.GateEnded:
		return fmt.Sprintf("gate of %s: %s%s", e.Commit.Short(), d.WorkflowStatus, withFindings(len(d.Findings)))
	case authority.StopChecked:
		answer := "may not stop: " + d.Reason
		if d.Continue {
			answer = "may stop: " + d.Reason
		}
		if d.Message != "" {
			answer += fmt.Sprintf(" (%q)", d.Message)
		}
		return answer
	}
	return string(e.Type)
}

func withFindings(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return ", 1 finding"
	}
	return fmt.Sprintf(", %d findings", n)
}

// Recorded is what is known about one commit.
type Recorded struct {
	Commit   gitx.OID          `json:"commit"`
	Tree     gitx.OID          `json:"tree"`
	Subject  string            `json:"subject"`
	Receipts []RecordedReceipt `json:"receipts"`
	Gates    []RecordedGate    `json:"gates"` // runs of this clone, oldest first
}

// RecordedReceipt is one receipt on the commit. A stale one carries neither
// workflow status nor confirmations: it says nothing about now.
type RecordedReceipt struct {
	Task                  string      `json:"task_id"`
	Revision              int         `json:"authority_revision"`
	Identity              string      `json:"compiled_identity"`
	Trust                 string      `json:"receipt_trust"` // signed or unsigned
	Fresh                 bool        `json:"fresh"`
	Stale                 string      `json:"stale_because,omitempty"`
	WorkflowStatus        string      `json:"workflow_status,omitempty"`
	ExternalConfirmations any         `json:"external_confirmations,omitempty"`
	Criteria              []Criterion `json:"criteria"`
	SHA256                string      `json:"sha256"` // of the note's line
	Tool                  Tool        `json:"tool"`
	Platform              string      `json:"platform"`
}

// RecordedGate is one gate run in a journal of this clone.
type RecordedGate struct {
	Task string `json:"task_id"`
	Time string `json:"time"`
	GateEvent
}

// Show reads what is recorded about a commit, whatever task it belongs to.
func Show(ctx context.Context, repo *gitx.Repo, rev string) (*Recorded, error) {
	commit, err := repo.Commit(ctx, rev)
	if err != nil {
		return nil, err
	}
	r := &Recorded{Commit: commit.OID, Tree: commit.Tree, Subject: commit.Subject, Receipts: []RecordedReceipt{}, Gates: []RecordedGate{}}
	statements, err := Receipts(ctx, repo, commit.OID)
	if err != nil {
		return nil, err
	}
	for _, s := range statements {
		receipt, err := recordedReceipt(ctx, repo, s, commit)
		if err != nil {
			return nil, err
		}
		r.Receipts = append(r.Receipts, receipt)
	}
	for _, task := range authority.Tasks(repo) {
		events, err := authority.Events(ctx, repo, task)
		if err != nil {
			return nil, err
		}
		for _, g := range gateEvents(events) {
			if g.Commit == commit.OID {
				r.Gates = append(r.Gates, RecordedGate{task, g.Time, g})
			}
		}
	}
	return r, nil
}

func recordedReceipt(ctx context.Context, repo *gitx.Repo, s Statement, commit gitx.Commit) (RecordedReceipt, error) {
	p := s.Predicate
	r := RecordedReceipt{Task: p.Task, Revision: p.Revision, Identity: p.Identity, Trust: "unsigned", SHA256: digest(s.Line), Criteria: p.Criteria, Tool: p.Tool, Platform: p.Platform}
	if r.Criteria == nil {
		r.Criteria = []Criterion{}
	}
	var err error
	if r.Stale, err = staleBecause(ctx, repo, s, commit); err != nil {
		return r, err
	}
	if r.Fresh = r.Stale == ""; r.Fresh {
		r.WorkflowStatus = p.WorkflowStatus
		r.ExternalConfirmations = p.ExternalConfirmations
	}
	return r, nil
}

// staleBecause says why a receipt no longer speaks for its commit, "" when it
// does.
func staleBecause(ctx context.Context, repo *gitx.Repo, s Statement, commit gitx.Commit) (string, error) {
	p := s.Predicate
	chain, err := authority.Load(ctx, repo, p.Task)
	switch {
	case errors.Is(err, authority.ErrMissing):
		return "the authority of task " + p.Task + " is not in this repository", nil
	case errors.Is(err, authority.ErrCorrupt), errors.Is(err, authority.ErrFormat):
		return "the authority of task " + p.Task + " cannot be read", nil
	case err != nil:
		return "", err
	}
	rec := chain.Current().Record
	switch {
	case s.Subject[0].Digest["gitTree"] != string(commit.Tree):
		return "it names another tree than this commit has", nil
	case !accepted(p.WorkflowStatus):
		return "it accepts nothing", nil
	case chain.State() == "abandoned":
		return "the task was abandoned", nil
	case p.Revision != rec.Revision:
		return fmt.Sprintf("it is about revision %d, and revision %d is in force", p.Revision, rec.Revision), nil
	case p.Identity != rec.Identity:
		return "it is about another contract than the one in force", nil
	}
	return "", nil
}
