package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gitx"
)

// scopeFields are what scope adds to the envelope.
type scopeFields struct {
	TaskID  string   `json:"task_id"`
	Judged  string   `json:"judged"`  // what was looked at, in words
	Allowed []string `json:"allowed"` // patterns of the paths that may change
}

func scopeCommand() *command {
	return &command{
		Name:        "scope",
		Group:       groupWork,
		Args:        "[<rev>]",
		Usage:       "check that changed paths are inside the scope",
		JSON:        scopeFields{},
		Description: "Asks only the scope question, as the commit hook does: of the index (--staged, the default) or of one commit, compared with the base of the task.",
		Examples:    []string{"git longtask scope", "git longtask scope HEAD~2"},
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "staged", Usage: "judge the index; the default without a revision"}},
		Run:         runScope,
	}
}

func runScope(ctx context.Context, inv *invocation) (*report, error) {
	rev := inv.arg(0)
	if rev != "" && inv.Flags.Bool("staged") {
		return nil, usageError(inv.Command, "--staged judges the index, %q a commit; give one of them", rev)
	}
	t, err := inv.task(ctx, "")
	if err != nil {
		return nil, err
	}
	found, what, err := scopeOf(ctx, t, rev)
	if err != nil {
		return nil, err
	}
	contract.SortFindings(found)
	fields := scopeFields{t.ID(), what, t.Compiled.Scope().Patterns()}
	if contract.Refuses(found) {
		return &report{Status: "refused", Exit: exitRefused, Findings: found, Fields: fields, Text: func(p *printer) {
			p.line("%s: %s of %s for task %s", p.red("outside the scope"), count(problems(found), "problem"), what, t.ID())
			p.findings(found)
			p.next("git longtask scope")
		}}, nil
	}
	return &report{Status: "in_scope", Findings: found, Fields: fields, Text: func(p *printer) {
		p.line("in scope: %s, task %s", what, t.ID())
		p.findings(found)
	}}, nil
}

func scopeOf(ctx context.Context, t *gate.Task, rev string) ([]contract.Finding, string, error) {
	if rev == "" {
		heads, err := t.Repo.MergeHeads(ctx)
		if err != nil {
			return nil, "", err
		}
		found, err := t.Staged(ctx, heads)
		return found, "the index", err
	}
	commit, err := t.Repo.Resolve(ctx, rev)
	if errors.Is(err, gitx.ErrNotFound) {
		return nil, "", &decideError{Code: "commit_not_found", Message: err.Error(), Hint: "name a commit, a branch or a tag"}
	}
	if err != nil {
		return nil, "", err
	}
	found, err := t.ScopeOf(ctx, commit)
	return found, commit.Short(), err
}
