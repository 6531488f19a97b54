package main

import (
	"context"
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

func stopCheckCommand() *command {
	return &command{
		Name:        "stop-check",
		Group:       groupFinish,
		Args:        "[<workdir>]",
		Usage:       "gate HEAD and close the task when it is accepted",
		Description: "Answers whether work may stop here. It runs the Final Gate on HEAD, which needs a clean work tree, and closes the task when it accepts. Whatever else happens, a refusing gate, a blocked or a failed one, an authority that is missing or damaged, the task on another branch, means no. Without a task there is nothing to hold anybody back.",
		Examples:    []string{"git longtask stop-check", `git longtask stop-check --message "parser done, tests next" --json`},
		Flags:       []cli.Flag{&cli.StringFlag{Name: "message", Usage: "a remark for the journal; it replaces no reason"}, jobsFlag},
		JSON:        stopFields{},
		Run:         runStopCheck,
	}
}

// stopFields is the answer of stop-check.
type stopFields struct {
	Continue              bool                            `json:"continue"` // work may stop
	Reason                string                          `json:"reason"`
	TaskID                string                          `json:"task_id,omitempty"`
	Revision              int                             `json:"authority_revision,omitempty"`
	Commit                gitx.OID                        `json:"git_head,omitempty"`
	WorkflowStatus        string                          `json:"workflow_status,omitempty"`
	ExternalConfirmations []contract.ExternalConfirmation `json:"external_confirmations"`
}

func runStopCheck(ctx context.Context, inv *invocation) (*report, error) {
	if _, err := inv.Repo(ctx); err != nil {
		return nil, err
	}
	t, err := inv.task(ctx, inv.arg(0))
	var known *decideError
	switch {
	case errors.As(err, &known) && known.Code == gate.ErrNoTask.Error():
		return stopReport(stopFields{Continue: true, Reason: gate.ReasonNoTask}, nil, nil), nil
	case errors.As(err, &known) && known.Code == codeOtherWorkdir:
		return nil, err
	case err != nil:
		return heldBack(ctx, explain(ctx, err))
	}
	return inv.stopCheck(ctx, t)
}

// stopCheck decides for an active task and records the decision.
func (inv *invocation) stopCheck(ctx context.Context, t *gate.Task) (*report, error) {
	f := stopFields{TaskID: t.ID(), Revision: t.Link.Record.Revision}
	elsewhere, err := t.Elsewhere(ctx)
	if err != nil {
		return heldBack(ctx, explain(ctx, err))
	}
	if elsewhere != nil {
		f.Reason = elsewhere.Code
		if err := t.RecordStop(ctx, nil, inv.stopEvent(f), time.Now(), thisTool()); err != nil {
			return heldBack(ctx, explain(ctx, err))
		}
		return stopReport(f, []contract.Finding{*elsewhere}, nil), nil
	}
	v, err := inv.judge(ctx, t, "")
	if err != nil {
		problem := explain(ctx, err)
		f.Reason = gate.ReasonGateError
		if ctx.Err() == nil {
			_ = t.RecordStop(ctx, nil, inv.stopEvent(f), time.Now(), thisTool()) // the answer is no either way
		}
		return heldBack(ctx, problem)
	}
	f.Commit, f.WorkflowStatus, f.ExternalConfirmations = v.Commit, v.WorkflowStatus, v.ExternalConfirmations
	f.Continue, f.Reason = v.Accepted(), gate.StopReason(v)
	switch err := t.RecordStop(ctx, v, inv.stopEvent(f), time.Now(), thisTool()); {
	case errors.Is(err, authority.ErrMoved):
		return heldBack(ctx, &decideError{Code: gate.ReasonMoved, Message: "the authority of the task got another record after the gate; nothing was written",
			Hint: "look at where it stands, then ask again", Next: "git longtask stop-check"})
	case err != nil:
		return heldBack(ctx, explain(ctx, err))
	}
	return stopReport(f, v.Findings, v), nil
}

func (inv *invocation) stopEvent(f stopFields) gate.StopEvent {
	return gate.StopEvent{Continue: f.Continue, Reason: f.Reason, WorkflowStatus: f.WorkflowStatus, Message: inv.Flags.String("message")}
}

// heldBack is the refusal for a problem that kept the gate from deciding. An
// interrupted run decided nothing, not even that.
func heldBack(ctx context.Context, problem *decideError) (*report, error) {
	if ctx.Err() != nil {
		return nil, problem
	}
	f := stopFields{Reason: problem.Code}
	switch problem.Code {
	case authority.ErrMissing.Error(), authority.ErrCorrupt.Error(), authority.ErrFormat.Error(), authority.ErrRewritten.Error(), gate.ReasonMoved:
	default:
		f.Reason = gate.ReasonGateError
	}
	return stopReport(f, []contract.Finding{problem.finding()}, nil), nil
}

// stopReport is the answer; v is the verdict behind it, where there was one.
func stopReport(f stopFields, found []contract.Finding, v *gate.Verdict) *report {
	if f.ExternalConfirmations == nil {
		f.ExternalConfirmations = []contract.ExternalConfirmation{}
	}
	rep := &report{Status: "continue", Findings: found, Fields: f}
	if !f.Continue {
		rep.Status, rep.Exit = "held_back", exitRefused
	}
	rep.Text = func(p *printer) {
		switch {
		case v != nil:
			printVerdict(p, v)
		case f.Continue:
			p.line("no task is active in this worktree: nothing holds you back")
			return
		default:
			p.findings(found)
		}
		if f.Continue {
			p.line("%s: task %s on %s; you may stop", p.bold("closed"), f.TaskID, f.Commit.Short())
			p.next("git longtask sync")
			return
		}
		p.line("%s: %s", p.red("do not stop yet"), f.Reason)
		p.next("git longtask resume")
	}
	return rep
}
