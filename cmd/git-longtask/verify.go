package main

import (
	"context"
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
)

var jobsFlag = &cli.IntFlag{Name: "jobs", Usage: "read_only checks that may run at once (default: the number of cores)"}

func verifyCommand() *command {
	return &command{
		Name:        "verify",
		Group:       groupWork,
		Args:        "[<workdir>]",
		Usage:       "run checks on the work tree, without accepting",
		JSON:        gate.Targeted{},
		Description: "Runs the checks of the locked contract on the content of the work tree as it is now, committed or not, and records what it saw as progress. It never accepts: only final-gate decides, on a commit.",
		Examples:    []string{"git longtask verify", "git longtask verify --outcome login", "git longtask verify --check e2e --json"},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "outcome", Usage: "only the checks of the outcome `KEY` (GLOBAL for global ones)"},
			&cli.StringFlag{Name: "check", Usage: "only the check `KEY`"},
			jobsFlag,
		},
		Run: runVerify,
	}
}

func runVerify(ctx context.Context, inv *invocation) (*report, error) {
	t, err := inv.task(ctx, inv.arg(0))
	if err != nil {
		return nil, err
	}
	live := inv.progress("verify")
	r, err := t.Verify(ctx, gate.Selection{Outcome: inv.Flags.String("outcome"), Check: inv.Flags.String("check"),
		Jobs: inv.Flags.Int("jobs"), Progress: live.check}, time.Now())
	live.end()
	switch {
	case errors.Is(err, gate.ErrOutcomeUnknown):
		return nil, &decideError{Code: gate.ErrOutcomeUnknown.Error(), Message: plainly(err, gate.ErrOutcomeUnknown, "nothing to run"), Hint: "outcomes: " + list(outcomeKeys(t))}
	case errors.Is(err, gate.ErrCheckUnknown):
		return nil, &decideError{Code: gate.ErrCheckUnknown.Error(), Message: plainly(err, gate.ErrCheckUnknown, "nothing to run"), Hint: "checks: " + list(t.CheckKeys())}
	case err != nil:
		return nil, inv.taskError(ctx, inv.repo, err)
	}
	contract.SortFindings(r.Findings)
	rep := &report{Status: "passed", Findings: r.Findings, Fields: r}
	if contract.Refuses(r.Findings) {
		rep.Status, rep.Exit = "failing", exitRefused
	}
	rep.Text = func(p *printer) {
		p.line("verify of task %s, revision %d, on the work tree", r.TaskID, r.Revision)
		printResults(p, r.CheckResults, r.Counterfactuals, r.Baselines)
		if rep.Exit != 0 {
			p.line("%s: %s", p.red("not there yet"), count(problems(r.Findings), "problem"))
		} else {
			p.line("%s; nothing is accepted before the gate", p.bold("all selected checks pass"))
		}
		p.findings(r.Findings)
		if rep.Exit == 0 {
			p.next("commit, then git longtask final-gate")
		} else {
			p.next("git longtask verify")
		}
	}
	return rep, nil
}

func outcomeKeys(t *gate.Task) []string {
	var keys []string
	for _, o := range t.Compiled.Contract.Outcomes {
		keys = append(keys, o.Key)
	}
	return keys
}
