package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-longtask/git-longtask/contract/revision"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
)

type revisionFields struct {
	TaskID  string       `json:"task_id"`
	From    revisionSide `json:"from"`
	To      revisionSide `json:"to"`
	Changes []change     `json:"changes"`
}

type revisionSide struct {
	Revision int            `json:"authority_revision"`
	Kind     authority.Kind `json:"kind"`
	Identity string         `json:"compiled_identity"`
	Actor    string         `json:"actor"`
	Signed   bool           `json:"signed"`
}

// explainRevision is the difference between two revisions of a task.
func (inv *invocation) explainRevision(ctx context.Context, t *gate.Task, span string) (*report, error) {
	b, err := t.Between(ctx, span)
	if errors.Is(err, gate.ErrNoRevision) {
		return nil, &decideError{Code: gate.ErrNoRevision.Error(), Message: plainly(err, gate.ErrNoRevision, "there is nothing to compare"),
			Hint: "name two revisions of the task, as in 1..2; git longtask status shows the one in force"}
	}
	if err != nil {
		return nil, inv.taskError(ctx, inv.repo, err)
	}
	fields := revisionFields{TaskID: t.ID(), From: sideOf(b.From), To: sideOf(b.To), Changes: b.Changes}
	if fields.Changes == nil {
		fields.Changes = []change{}
	}
	return &report{Status: "reported", Fields: fields, Text: func(p *printer) {
		p.line("task %s, revision %d to %d: %s, %d of them protected", p.bold(fields.TaskID), fields.From.Revision, fields.To.Revision,
			count(len(b.Changes), "change"), len(revision.Protected(b.Changes)))
		p.line("%s", howMade(b))
		for _, c := range b.Changes {
			p.change(c)
		}
	}}, nil
}

// howMade tells in words how the newer revision came to be, or that it waits.
func howMade(b *gate.Between) string {
	verb := map[authority.Kind]string{authority.Lock: "locked", authority.Revise: "revised", authority.Approve: "approved"}[b.To.Record.Kind]
	if b.Pending != "" {
		verb = "waits for approval as " + b.Pending + ", proposed"
	}
	return fmt.Sprintf("%s by %s", verb, printable(b.To.Record.Actor))
}

func sideOf(l authority.Link) revisionSide {
	r := l.Record
	return revisionSide{Revision: r.Revision, Kind: r.Kind, Identity: r.Identity, Actor: r.Actor, Signed: r.Signed}
}
