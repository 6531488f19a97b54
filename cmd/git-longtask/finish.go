package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
)

func closeCommand() *command {
	return &command{
		Name:        "close",
		Group:       groupFinish,
		Args:        "[<workdir>]",
		Usage:       "gate HEAD and end the task when it is accepted",
		JSON:        gate.Verdict{},
		Description: "Runs the Final Gate on HEAD. When it accepts, the close is recorded in the authority chain and this worktree is free for another task. External confirmations stay pending: close says that the machine's part is over, nothing about delivery.",
		Examples:    []string{"git longtask close"},
		Flags:       []cli.Flag{jobsFlag},
		Run:         runClose,
	}
}

func runClose(ctx context.Context, inv *invocation) (*report, error) {
	t, err := inv.task(ctx, inv.arg(0))
	if err != nil {
		return nil, err
	}
	v, err := inv.judge(ctx, t, "")
	if err != nil {
		return nil, err
	}
	if !v.Accepted() {
		if err := t.Record(ctx, v, time.Now(), thisTool()); err != nil {
			return nil, err
		}
		return gateReport(v), nil
	}
	if err := t.Close(ctx, v, time.Now(), thisTool()); err != nil {
		return nil, moved(err)
	}
	rep := gateReport(v)
	rep.Status = "closed"
	rep.Text = func(p *printer) {
		printVerdict(p, v)
		p.line("%s: task %s on %s", p.bold("closed"), v.TaskID, v.Commit.Short())
		p.next("git longtask sync")
	}
	return rep, nil
}

// moved is the answer when somebody else wrote to the authority first.
func moved(err error) error {
	if errors.Is(err, authority.ErrMoved) {
		return &decideError{Code: "authority_moved", Message: "the authority of the task got another record meanwhile; nothing was written", Hint: "look at where it stands, then decide again", Next: "git longtask tasks"}
	}
	return err
}

// abandonFields are what abandon adds to the envelope.
type abandonFields struct {
	TaskID   string `json:"task_id"`
	Revision int    `json:"authority_revision"`
	Reason   string `json:"reason"`
}

func abandonCommand() *command {
	return &command{
		Name:        "abandon",
		Group:       groupFinish,
		Args:        "[<workdir>]",
		Usage:       "give a task up, with the reason",
		JSON:        abandonFields{},
		Description: "Records in the authority chain that the task will not be finished, and why. Nothing is deleted. A later lock of the task or its workdir goes on from there and keeps the base, so giving up and locking again hides nothing.",
		Examples:    []string{`git longtask abandon --why "superseded by the new login"`},
		Flags:       []cli.Flag{&cli.StringFlag{Name: "why", Usage: "the reason, `TEXT` for whoever reads the record (required)"}, signFlag},
		Run:         runAbandon,
	}
}

func runAbandon(ctx context.Context, inv *invocation) (*report, error) {
	why := strings.TrimSpace(inv.Flags.String("why"))
	if why == "" {
		return nil, usageError(inv.Command, "abandon needs a reason: --why TEXT")
	}
	t, err := inv.task(ctx, inv.arg(0))
	if err != nil {
		return nil, err
	}
	if err := t.Abandon(ctx, why, time.Now(), inv.Flags.Bool("sign")); err != nil {
		return nil, signError(moved(err))
	}
	fields := abandonFields{t.ID(), t.Link.Record.Revision, why}
	return &report{Status: "abandoned", Fields: fields, Text: func(p *printer) {
		p.line("abandoned: task %s, revision %d: %s", t.ID(), t.Link.Record.Revision, printable(why))
		p.line("the record stays; the contract and your commits were not touched")
	}}, nil
}
