package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
)

func statusCommand() *command {
	return &command{
		Name:        "status",
		Group:       groupWork,
		Args:        "[<workdir>]",
		Usage:       "show where the task stands",
		JSON:        gate.Status{},
		Description: "Shows the state of every outcome, what the last gate said and what would be refused now. It runs nothing of the contract. A result counts as final only while a fresh receipt for HEAD exists and the work tree is clean.",
		Examples:    []string{"git longtask status", "git longtask status --exit-code", "git longtask status --json"},
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "exit-code", Usage: "exit 1 when the task is not accepted"}},
		Run:         runStatus,
	}
}

func runStatus(ctx context.Context, inv *invocation) (*report, error) {
	t, err := inv.task(ctx, inv.arg(0))
	if err != nil {
		return inv.damagedStatus(err)
	}
	s, err := t.Status(ctx)
	if err != nil {
		return inv.damagedStatus(inv.taskError(ctx, inv.repo, err))
	}
	contract.SortFindings(s.Findings)
	rep := &report{Status: "reported", Findings: s.Findings, Fields: s, Text: func(p *printer) { printStatus(p, s) }}
	if inv.Flags.Bool("exit-code") && s.FinalWorkflowStatus == nil {
		rep.Exit = exitRefused
	}
	return rep, nil
}

// stateWords are how people read a state.
var stateWords = []struct{ state, word string }{
	{gate.ProgressPassing, "passing"},
	{gate.ProgressFailing, "failing"},
	{gate.BlockedExternal, "blocked"},
	{gate.ProgressStale, "stale"},
	{gate.BlockedByDepends, "waiting"},
	{gate.Unverified, "unverified"},
}

// damaged is the report of a task whose authority is missing, does not hold
// together or was rewritten: that is something to report. Any other problem
// stays one.
func damaged(err error) (*report, error) {
	var known *decideError
	if !errors.As(err, &known) {
		return nil, err
	}
	switch known.Code {
	case authority.ErrMissing.Error(), authority.ErrCorrupt.Error(), authority.ErrRewritten.Error():
		return &report{Status: known.Code, Findings: []contract.Finding{known.finding()}}, nil
	}
	return nil, err
}

// damagedStatus is damaged for status, whose --exit-code asks for acceptance.
func (inv *invocation) damagedStatus(err error) (*report, error) {
	rep, err := damaged(err)
	if rep != nil && inv.Flags.Bool("exit-code") {
		rep.Exit = exitRefused
	}
	return rep, err
}

func stateWord(state string) string {
	for _, w := range stateWords {
		if w.state == state {
			return w.word
		}
	}
	return state
}

func printStatus(p *printer, s *gate.Status) {
	printStanding(p, s)
	p.findings(s.Findings)
	p.next(s.Next())
}

// printStanding is what status and resume say in the same words.
func printStanding(p *printer, s *gate.Status) {
	p.line("task %s  revision %d  %s  base %s", p.bold(s.TaskID), s.Revision, shortBranch(s.Branch), s.BaseCommit.Short())
	if !s.OnBranch {
		p.line("  this worktree stands on another branch; the commit hooks are silent here")
	}
	for _, w := range stateWords {
		var keys []string
		for _, k := range sortedKeys(s.Outcomes) {
			if s.Outcomes[k] == w.state {
				keys = append(keys, k)
			}
		}
		if len(keys) > 0 {
			p.line("  %-12s %s", w.word, strings.Join(keys, ", "))
		}
	}
	switch g := s.LastGate; {
	case s.FinalWorkflowStatus != nil:
		p.line("%s: %s on %s (%s receipt)", p.bold("accepted"), *s.FinalWorkflowStatus, s.Head.Short(), s.ReceiptTrust)
	case g != nil:
		p.line("last gate: %s on %s%s", g.WorkflowStatus, g.Commit.Short(), ago(g.Time))
	default:
		p.line("no gate was run yet")
	}
	printPending(p, s.ExternalConfirmations)
	for _, a := range s.Approvals {
		p.line("revision %d was approved by %s (%s)", a.Revision, printable(a.Actor), signedOrNot(a.Signed))
	}
	if r := s.PendingRevision; r != nil {
		p.line("revision %d waits for a person: git longtask approve %s", r.Revision, r.ID[:12])
	}
	if s.SameTreeAs != "" {
		p.line("same tree as %s, accepted there; a new commit needs its own gate", s.SameTreeAs.Short())
	}
}

func signedOrNot(signed bool) string {
	if signed {
		return "signed"
	}
	return "unsigned"
}

func ago(at string) string {
	t, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return ""
	}
	switch d := time.Since(t); {
	case d < time.Minute:
		return ", just now"
	case d < time.Hour:
		return fmt.Sprintf(", %d minutes ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf(", %d hours ago", int(d.Hours()))
	}
	return ", on " + t.Format(time.DateOnly)
}
