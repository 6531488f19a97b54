package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/contract/revision"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gate/signature"
)

const approveAlias = "approve-authority-revision"

func approveCommand() *command {
	return &command{
		Name:        "approve",
		Aliases:     []string{approveAlias},
		Group:       groupAuthor,
		Args:        "[<revision-sha>]",
		Usage:       "approve a revision that changes what was agreed",
		Description: "Shows every change of a waiting revision and asks for the id of the task. It is a person's act: it needs a terminal, and nothing in the repository or the environment can stand in for one, unless --sign gives the approval the signature of a key that the base of the task allows. An unsigned approval is shown by status, receipt and ci. Under the name " + approveAlias + " the argument is the workdir and --revision names the revision.",
		Examples:    []string{"git longtask approve 3f9c2ab41d07", "git longtask approve --sign 3f9c2ab41d07"},
		Flags:       []cli.Flag{&cli.StringFlag{Name: "revision", Usage: "the `ID` that compile --revise printed, or its beginning"}, signFlag},
		JSON:        approveFields{},
		Run:         runApprove,
	}
}

type approveFields struct {
	TaskID     string   `json:"task_id,omitempty"`
	RevisionID string   `json:"revision"`
	Revision   int      `json:"authority_revision,omitempty"`
	Signed     bool     `json:"signed"`
	Changes    []change `json:"changes"`
}

func runApprove(ctx context.Context, inv *invocation) (*report, error) {
	id := inv.Flags.String("revision")
	if id == "" && inv.Name != approveAlias {
		id = inv.arg(0)
	}
	if id == "" {
		return nil, usageError(inv.Command, "approve needs the id of the revision, which compile --revise prints")
	}
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil, err
	}
	w, err := gate.FindWaiting(ctx, repo, id)
	if f := whyNotApproved(err, id); f != nil {
		return refusedApproval(approveFields{RevisionID: id, Changes: []change{}}, *f), nil
	}
	if err != nil {
		return nil, inv.taskError(ctx, repo, err)
	}
	fields := approveFields{TaskID: w.Task, RevisionID: w.ID, Changes: w.Changes}
	fields.Signed = inv.Flags.Bool("sign")
	if !fields.Signed {
		f, err := inv.askPerson(ctx, w)
		if err != nil {
			return nil, err
		}
		if f != nil {
			return refusedApproval(fields, *f), nil
		}
	}
	chain, err := w.Approve(ctx, time.Now(), fields.Signed)
	if f := whyNotApproved(err, id); f != nil {
		return refusedApproval(fields, *f), nil
	}
	if err != nil {
		return nil, inv.taskError(ctx, repo, signError(moved(err)))
	}
	fields.Revision = chain.Tip().Record.Revision
	return &report{Status: "authority_revision_approved", Fields: fields, Text: func(p *printer) {
		p.line("%s: task %s is at revision %d (%s approval)", p.bold("approved"), fields.TaskID, fields.Revision, signedOrNot(fields.Signed))
		p.next("git longtask status")
	}}, nil
}

// whyNotApproved says why the revision is not approved; nil for other errors and
// for none.
func whyNotApproved(err error, id string) *contract.Finding {
	f := &contract.Finding{Level: contract.LevelError, Refs: map[string]any{"revision": id}, Next: "git longtask compile --revise"}
	switch {
	case errors.Is(err, authority.ErrNotPending):
		f.Code = authority.ErrNotPending.Error()
		f.Message = fmt.Sprintf("no revision %q waits for approval here; an edit of the contract makes another one", id)
		f.RepairHint = "compile the contract again and use the id it prints, or at least seven characters of it"
	case errors.Is(err, authority.ErrStaleWait):
		f.Code = authority.ErrStaleWait.Error()
		f.Message = fmt.Sprintf("revision %q was compared with an authority that has another record since", id)
		f.RepairHint = "compile the contract again; what it changes may have become less or more"
	case errors.Is(err, signature.ErrUnknown):
		f.Code, f.Next = signature.ErrUnknown.Error(), ""
		f.Message = fmt.Sprintf("the configured key is not one of those that may approve revision %q", id)
		f.RepairHint = "let one of the signers do it whom the base of the task names in " + gate.SignersPath
	default:
		return nil
	}
	return f
}

func refusedApproval(fields approveFields, f contract.Finding) *report {
	return &report{Status: "refused", Exit: exitRefused, Findings: []contract.Finding{f}, Fields: fields, Text: func(p *printer) {
		p.line("%s", p.red("not approved"))
		p.findings([]contract.Finding{f})
	}}
}

// askPerson shows the revision on the terminal and waits for the task's id.
// Both ends must be terminals: who pipes an answer in is not a person.
func (inv *invocation) askPerson(ctx context.Context, w *gate.Waiting) (*contract.Finding, error) {
	if !isTerminal(inv.Stdio.in) || !isTerminal(inv.Stdio.out) {
		return &contract.Finding{Code: "approval_requires_person", Level: contract.LevelError, Refs: map[string]any{"revision": w.ID},
			Message:    fmt.Sprintf("revision %d of task %s changes what was agreed, and standard input and output are no terminal where a person could say yes", w.Link.Record.Revision, w.Task),
			RepairHint: "a person runs this in a terminal and types the id of the task, or signs with --sign",
			Next:       "git longtask approve " + w.ID}, nil
	}
	p := &printer{w: inv.Stdio.out, color: inv.Color}
	if inv.JSON {
		p.w = inv.Stdio.err
	}
	p.line("revision %d of task %s, proposed by %s, changes revision %d:", w.Link.Record.Revision, w.Task, printable(w.Link.Record.Actor), w.Before.Record.Revision)
	p.changes(w.Changes)
	p.line("%s would be allowed by you.", count(len(revision.Protected(w.Changes)), "protected change"))
	fmt.Fprint(p.w, "type the id of the task to approve, anything else to leave it: ")
	answer, err := typed(ctx, inv.Stdio.in)
	if err != nil || answer == w.Task {
		return nil, err
	}
	return &contract.Finding{Code: "approval_declined", Level: contract.LevelError, Refs: map[string]any{"revision": w.ID},
		Message: "the id of the task was not typed; nothing was written", RepairHint: "the revision waits until the contract or its authority changes", Next: "git longtask approve " + w.ID}, nil
}

// typed is one line from a person, without what surrounds it; "" when the
// input ended. A signal ends the waiting.
func typed(ctx context.Context, in io.Reader) (string, error) {
	lines := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(in).ReadString('\n')
		if err != nil {
			line = ""
		}
		lines <- strings.TrimSpace(line)
	}()
	select {
	case line := <-lines:
		return line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
