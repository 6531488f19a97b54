package main

import (
	"fmt"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/contract/revision"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
)

// change is one difference between two revisions.
type change = revision.Change

// revisionPreview says what a changed contract would mean for its authority.
type revisionPreview struct {
	Active   bool     `json:"active"`
	Revision int      `json:"authority_revision"`
	Contract bool     `json:"contract_changed"`
	Sources  bool     `json:"source_or_context_changed"`
	Decision string   `json:"decision"` // automatic, needs_approval, rejected
	Changes  []change `json:"changes"`
}

func previewOf(d *gate.Draft) *revisionPreview {
	if d.Against == nil {
		return nil
	}
	r := &revisionPreview{Active: d.Against.Open(), Revision: d.Against.Current().Record.Revision, Decision: "automatic", Changes: d.Changes}
	for _, c := range d.Changes {
		switch c.Reason {
		case "source_file_content_changed", "context_authority_changed", "supporting_context_changed":
			r.Sources = true
		default:
			r.Contract = true
		}
	}
	switch {
	case len(revision.Rejected(d.Changes)) > 0:
		r.Decision = "rejected"
	case len(revision.Protected(d.Changes)) > 0:
		r.Decision = "needs_approval"
	}
	return r
}

// awaitsApproval is the answer to a change that only a person may make.
func awaitsApproval(d *gate.Draft, l authority.Locked, fields lockFields) *report {
	fields.Revision, fields.RevisionID, fields.Changes = l.Chain.Current().Record.Revision, l.Pending, l.Changes
	need := revision.Protected(l.Changes)
	return &report{Status: "approval_required", Exit: exitRefused, Findings: d.Findings, Fields: fields, Text: func(p *printer) {
		p.line("%s: %s of task %s that only a person may make", p.red("not revised"), count(len(need), "change"), fields.TaskID)
		p.line("")
		p.changes(l.Changes)
		p.line("")
		for _, f := range d.Findings {
			if f.Level == contract.LevelDecision {
				f.Next, f.Message = "", fmt.Sprintf("revision %s waits for approval", l.Pending)
			}
			p.finding(f)
		}
		p.next("git longtask approve " + l.Pending)
	}}
}

// changes writes each protected change as a readable difference, then the
// others, one line each.
func (p *printer) changes(changes []change) {
	for _, c := range changes {
		if c.Protected {
			p.change(c)
		}
	}
	for _, c := range changes {
		if !c.Protected {
			p.line("  %s  %s", printable(c.Place), c.Reason)
		}
	}
}

func (p *printer) change(c change) {
	code := p.yellow(c.Reason) + " (protected)"
	if c.Rejected {
		code = p.red(c.Reason)
	}
	if !c.Protected {
		code = c.Reason
	}
	p.line("  %s  %s", printable(c.Place), code)
	for _, l := range c.Lines() {
		p.line("      %s", printable(l))
	}
}
