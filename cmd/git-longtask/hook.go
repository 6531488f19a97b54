package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/hooks"
)

// hookCommand is what hook scripts call: stable, but nobody types it.
func hookCommand() *command {
	return &command{
		Name:     "hook",
		Args:     "<name> [<args>]...",
		Usage:    "answer a hook of git or of an agent",
		Hidden:   true,
		Verbatim: true,
		Run: func(ctx context.Context, inv *invocation) (*report, error) {
			switch inv.arg(0) {
			case "pre-commit", "pre-merge-commit":
				return inv.hookCommit(ctx)
			case "pre-push":
				return inv.hookPush(ctx)
			}
			return nil, &decideError{Code: "not_supported_yet", Message: fmt.Sprintf("the hook %q is not one this version answers", inv.arg(0)), Hint: "remove the call from the hook, or use the version that wrote it"}
		},
	}
}

func (inv *invocation) hookCommit(ctx context.Context) (*report, error) {
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil, err
	}
	t, found, err := hooks.Commit(ctx, repo)
	if err != nil {
		return nil, inv.taskError(ctx, repo, err)
	}
	if t == nil || len(found) == 0 {
		return nil, nil
	}
	contract.SortFindings(found)
	rep := &report{Status: "refused", Exit: exitRefused, Findings: found, Stderr: true}
	rep.Text = func(p *printer) {
		p.line("git-longtask: %s: %s for task %s", p.red("commit refused"), count(problems(found), "problem"), t.ID())
		p.hookFindings(found)
		p.next(afterCommit(t, found))
	}
	return rep, nil
}

// afterCommit is the command that undoes the first refusal.
func afterCommit(t *gate.Task, found []contract.Finding) string {
	if f := found[0]; f.Code == "scope_escape" || f.Code == "forbidden_path_changed" {
		return fmt.Sprintf("git restore --staged -- %s", shellQuote(f.Path))
	}
	return "git longtask scope"
}

// hookFindings is one line a finding: a hook has little room.
func (p *printer) hookFindings(found []contract.Finding) {
	short := make([]contract.Finding, len(found))
	for i, f := range found {
		f.Next = ""
		if i > 0 && found[i-1].Code == f.Code {
			f.RepairHint = ""
		}
		short[i] = f
	}
	p.findings(short)
}

func shellQuote(path string) string {
	if path != "" && strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

func (inv *invocation) hookPush(ctx context.Context) (*report, error) {
	input, err := io.ReadAll(inv.Stdio.in)
	if err != nil {
		return nil, fmt.Errorf("pre-push input: %w", err)
	}
	lines, err := hooks.ParsePushLines(input)
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil, err
	}
	push := hooks.Push{Remote: inv.arg(1), Lines: lines, Now: time.Now(), Tool: thisTool}
	found, err := push.Judge(ctx, repo)
	if err != nil {
		return nil, inv.taskError(ctx, repo, err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	contract.SortFindings(found)
	rep := &report{Status: "allowed", Findings: found, Stderr: true}
	if contract.Refuses(found) {
		rep.Status, rep.Exit = "refused", exitRefused
	}
	rep.Text = func(p *printer) {
		if rep.Exit != 0 {
			p.line("git-longtask: %s: %s", p.red("push refused"), count(problems(found), "problem"))
		}
		p.hookFindings(found)
		if rep.Exit != 0 {
			p.next("git longtask status")
		}
	}
	return rep, nil
}
