package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
)

func resumeCommand() *command {
	return &command{
		Name:        "resume",
		Group:       groupWork,
		Args:        "[<workdir>]",
		Usage:       "brief somebody who takes the task up",
		Description: "Says what the task is, where it stands, what the newest gate or verify found, and the next safe action as a command. It writes nothing and runs nothing of the contract. --handoff gives the same as a Markdown document for the next worker.",
		Examples:    []string{"git longtask resume", "git longtask resume --handoff >handoff.md", "git longtask resume --json"},
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "handoff", Usage: "write a Markdown document to hand over"}},
		JSON:        gate.Brief{},
		Run:         runResume,
	}
}

func runResume(ctx context.Context, inv *invocation) (*report, error) {
	t, err := inv.task(ctx, inv.arg(0))
	if err != nil {
		return damaged(err)
	}
	b, err := t.Resume(ctx)
	if err != nil {
		return damaged(inv.taskError(ctx, inv.repo, err))
	}
	contract.SortFindings(b.Findings)
	rep := &report{Status: "reported", Findings: b.Findings, Fields: b, Text: func(p *printer) { printBrief(p, b) }}
	if inv.Flags.Bool("handoff") {
		rep.Text = func(p *printer) { printHandoff(p, b) }
	}
	return rep, nil
}

func printBrief(p *printer, b *gate.Brief) {
	printStanding(p, &b.Status)
	p.line("")
	p.line("%s: %s", p.bold(printable(b.Task.Title)), printable(b.Task.Goal))
	p.line("  contract   %s  identity %.12s", quotePath(b.Workdir), b.Identity)
	for _, row := range []struct {
		name  string
		paths []string
	}{{"sources", b.Sources}, {"context", b.ContextRefs}, {"scope", b.Scope}, {"dirty", b.Git.Dirty}} {
		if len(row.paths) > 0 {
			p.line("  %-10s %s", row.name, fewPaths(row.paths))
		}
	}
	p.line("  head       %s  tree %s", b.Git.Head.Short(), b.Git.Tree.Short())
	if len(b.RecentFindings) > 0 {
		p.line("")
		p.line("last found:")
		p.findings(b.RecentFindings)
	}
	if len(b.Findings) > 0 {
		p.line("")
		p.line("refused as it is now:")
		p.findings(b.Findings)
	}
	p.next(b.NextSafeAction)
}

// fewPaths lists at most ten paths, then how many more there are.
func fewPaths(paths []string) string {
	var quoted []string
	for i, path := range paths {
		if i == shown {
			quoted = append(quoted, fmt.Sprintf("and %d more", len(paths)-shown))
			break
		}
		quoted = append(quoted, quotePath(path))
	}
	return strings.Join(quoted, ", ")
}

// printHandoff writes the brief as Markdown. Texts of the repository stand in
// one line each, so that none can pretend to be a heading.
func printHandoff(p *printer, b *gate.Brief) {
	p.line("# Handoff: %s\n", markdown(b.Task.Title))
	p.line("%s\n", markdown(b.Task.Goal))
	p.line("Task `%s`, revision %d, on `%s`, base `%s`, head `%s`. The contract is `%s`; what it froze has the identity `%.12s`.\n",
		b.Task.ID, b.Revision, shortBranch(b.Branch), b.BaseCommit.Short(), b.Git.Head.Short(), b.Workdir, b.Identity)
	if b.FinalWorkflowStatus != nil {
		p.line("Accepted by the machine on this commit: `%s`.\n", *b.FinalWorkflowStatus)
	} else {
		p.line("Nothing is accepted yet. Only `git longtask final-gate` accepts, on a commit.\n")
	}
	p.line("## Outcomes\n\n| outcome | state | |\n|---|---|---|")
	for _, k := range sortedKeys(b.Outcomes) {
		p.line("| `%s` | %s | %s |", k, stateWord(b.Outcomes[k]), markdown(b.Titles[k]))
	}
	handoffList(p, "Read first", append(append([]string{}, b.Sources...), b.ContextRefs...))
	handoffList(p, "You may change", b.Scope)
	handoffList(p, "Not committed", b.Git.Dirty)
	if len(b.RecentFindings)+len(b.Findings) > 0 {
		p.line("\n## Findings\n")
		for _, f := range append(append([]contract.Finding{}, b.Findings...), b.RecentFindings...) {
			p.line("- `%s` %s%s", f.Code, markdown(place(f)), markdown(f.Message))
		}
	}
	if len(b.ExternalConfirmations) > 0 {
		p.line("\n## Pending outside\n")
		for _, c := range b.ExternalConfirmations {
			p.line("- %s (owner: %s)", markdown(c.Description), markdown(c.Owner))
		}
	}
	p.line("\n## Next\n\n    %s", b.NextSafeAction)
}

func handoffList(p *printer, title string, paths []string) {
	if len(paths) == 0 {
		return
	}
	p.line("\n## %s\n", title)
	for _, path := range paths {
		p.line("- `%s`", strings.ReplaceAll(quotePath(path), "`", "'"))
	}
}

// markdown makes a text of the repository fit into one line of a document.
func markdown(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "'").Replace(printable(strings.Join(strings.Fields(s), " ")))
}
