package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gitx"
)

func showCommand() *command {
	return &command{
		Name:        "show",
		Group:       groupWork,
		Args:        "[<commit>]",
		Usage:       "show what is recorded about a commit",
		Description: "Shows the receipts on a commit, each with whether it is signed, whether it still speaks for the commit and why not, and its criteria; and the gate runs of this clone on that commit. Without a commit it is about HEAD. A receipt is a record to audit: no gate believes it.",
		Examples:    []string{"git longtask show", "git longtask show HEAD~2 --json"},
		JSON:        gate.Recorded{},
		Run:         runShow,
	}
}

func runShow(ctx context.Context, inv *invocation) (*report, error) {
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil, err
	}
	rev := inv.arg(0)
	if rev == "" {
		rev = "HEAD"
	}
	oid, err := repo.Resolve(ctx, rev)
	if errors.Is(err, gitx.ErrNotFound) {
		return nil, &decideError{Code: "commit_not_found", Message: fmt.Sprintf("%q names no commit of this repository", rev), Hint: "name a commit, a branch or a tag"}
	}
	if err != nil {
		return nil, err
	}
	r, err := gate.Show(ctx, repo, string(oid))
	if err != nil {
		return nil, inv.taskError(ctx, repo, err)
	}
	return &report{Status: "reported", Fields: r, Paged: true, Text: func(p *printer) { printRecorded(p, r) }}, nil
}

func printRecorded(p *printer, r *gate.Recorded) {
	p.line("commit %s %q", r.Commit.Short(), r.Subject)
	if len(r.Receipts)+len(r.Gates) == 0 {
		p.line("nothing is recorded about it in this clone")
		p.next("git longtask final-gate " + r.Commit.Short())
		return
	}
	for _, receipt := range r.Receipts {
		word := "fresh: " + receipt.WorkflowStatus
		if !receipt.Fresh {
			word = p.yellow("stale") + ": " + printable(receipt.Stale)
		}
		p.line("")
		p.line("receipt of task %s, revision %d, %s", p.bold(receipt.Task), receipt.Revision, receipt.Trust)
		p.line("  %s", word)
		for _, c := range receipt.Criteria {
			p.line("  %-8s %s: %s", c.Result, c.Ref, printable(c.Text))
		}
		if pending, ok := receipt.ExternalConfirmations.([]contract.ExternalConfirmation); ok {
			printPending(p, pending)
		}
	}
	for _, g := range r.Gates {
		p.line("")
		p.line("gate for task %s: %s%s", p.bold(g.Task), g.WorkflowStatus, ago(g.Time))
		p.findings(g.Findings)
	}
}
