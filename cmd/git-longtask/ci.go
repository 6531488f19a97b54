package main

import (
	"context"
	"errors"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/check"
	"github.com/git-longtask/git-longtask/gate/share"
)

func ciCommand() *command {
	return &command{
		Name:        "ci",
		Group:       groupShare,
		Usage:       "judge a range of commits from scratch",
		JSON:        ciFields{},
		Description: "Finds the tasks that a range is about and runs the Final Gate of each on the head commit, from the commits and the published authority alone. It needs no hooks and no work tree, reads no longtask.* configuration and believes no stored result. What is missing in a shallow or partial clone is named with the command that fetches it.",
		Examples:    []string{"git longtask sync && git longtask ci --base origin/main --head HEAD", "git longtask ci --base origin/main --head HEAD --task login --require"},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "base", Usage: "`COMMIT` the change is to be merged into (required)"},
			&cli.StringFlag{Name: "head", Usage: "`COMMIT` to judge (required)"},
			&cli.StringSliceFlag{Name: "task", Usage: "judge the task `ID` too; may be given several times"},
			&cli.StringFlag{Name: "branch", Usage: "`NAME` of the branch the head comes from"},
			&cli.StringFlag{Name: "mode", Value: "rerun", Usage: "rerun: run everything here"},
			&cli.BoolFlag{Name: "require", Usage: "exit 1 when the range is about no task"},
			&cli.BoolFlag{Name: "allow-unsigned", Usage: "let unsigned approvals pass with a warning, where the base names no signers"},
			jobsFlag,
		},
		Run: runCI,
	}
}

func runCI(ctx context.Context, inv *invocation) (*report, error) {
	req, err := inv.ciRequest()
	if err != nil {
		return nil, err
	}
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil, err
	}
	live := inv.progress("ci")
	req.Progress = func(_ string, e check.Event) { live.check(e) }
	j, err := share.CI(ctx, repo, req)
	live.end()
	var missing *share.Fetch
	switch {
	case errors.As(err, &missing):
		return nil, &decideError{Code: missing.Code, Message: missing.What, Next: missing.Command}
	case err != nil:
		return nil, inv.taskError(ctx, repo, signError(err))
	}
	return ciReport(j, inv.Flags.Bool("require")), nil
}

func (inv *invocation) ciRequest() (share.Request, error) {
	f := inv.Flags
	req := share.Request{Base: f.String("base"), Head: f.String("head"), Tasks: f.StringSlice("task"), Branch: f.String("branch"),
		AllowUnsigned: f.Bool("allow-unsigned"), Jobs: f.Int("jobs")}
	if req.Base == "" || req.Head == "" {
		return req, usageError(inv.Command, "ci needs both --base and --head; it never guesses them from HEAD")
	}
	switch mode := f.String("mode"); mode {
	case "", "rerun":
	case "verify", "verify,rerun":
		return req, &decideError{Code: "not_supported_yet", Message: "ci --mode " + mode + " is planned, but this version can only rerun", Hint: "leave --mode out; everything is run again then"}
	default:
		return req, usageError(inv.Command, "--mode takes rerun, verify or verify,rerun, not %q", mode)
	}
	for _, name := range []string{"GITHUB_HEAD_REF", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"} {
		if req.Branch == "" {
			req.Branch = os.Getenv(name)
		}
	}
	return req, nil
}

func ciReport(j *share.Judged, require bool) *report {
	contract.SortFindings(j.Findings)
	rep := &report{Status: "accepted", Findings: j.Findings, Fields: fieldsOfCI(j)}
	switch {
	case contract.Refuses(j.Findings):
		rep.Status, rep.Exit = "not_accepted", exitRefused
	case len(j.Tasks) == 0:
		rep.Status = "nothing_to_judge"
		if require {
			rep.Exit = exitRefused
			rep.Findings = append(rep.Findings, contract.Finding{Code: "no_task_in_range", Level: contract.LevelError,
				Message: "the range is about no task, and --require asks for one", RepairHint: "name the task with --task, or the branch it was locked on with --branch"})
		}
	}
	rep.Text = func(p *printer) { printCI(p, j, rep) }
	return rep
}

// ciFields are, beside the tasks, the words every place that reports a result
// carries.
type ciFields struct {
	*share.Judged
	WorkflowStatus string                          `json:"workflow_status,omitempty"`
	External       []contract.ExternalConfirmation `json:"external_confirmations"`
}

func fieldsOfCI(j *share.Judged) ciFields {
	fields := ciFields{j, "", []contract.ExternalConfirmation{}}
	for _, t := range j.Tasks {
		if t.Verdict == nil {
			continue
		}
		if fields.WorkflowStatus == "" || !t.Accepted || t.Verdict.WorkflowStatus == gate.MachineAcceptedPending && fields.WorkflowStatus == gate.MachineAccepted {
			fields.WorkflowStatus = t.Verdict.WorkflowStatus
		}
		fields.External = append(fields.External, t.Verdict.ExternalConfirmations...)
	}
	return fields
}

func printCI(p *printer, j *share.Judged, rep *report) {
	p.line("ci of %s against %s", j.Head.Short(), j.Base.Short())
	for _, t := range j.Tasks {
		switch v := t.Verdict; {
		case v == nil:
			p.line("%s: %s", p.bold(t.ID), t.State)
		case t.Accepted:
			p.line("%s: %s on %s (revision %d, base %s)  %s, re-run here", p.bold(t.ID), v.WorkflowStatus, v.Commit.Short(), v.Revision, v.BaseCommit.Short(), count(len(v.Criteria()), "criterion"))
			printPending(p, v.ExternalConfirmations)
		default:
			p.line("%s: %s on %s (revision %d)", p.bold(t.ID), p.red(v.WorkflowStatus), v.Commit.Short(), v.Revision)
		}
	}
	if len(j.Tasks) == 0 {
		p.line("this range is about no task of this repository; nothing to judge")
	}
	p.findings(rep.Findings)
}
