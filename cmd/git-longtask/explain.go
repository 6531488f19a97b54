package main

import (
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/gate"
)

func explainCommand() *command {
	return &command{
		Name:        "explain",
		Group:       groupAuthor,
		Args:        "[<workdir>]",
		Usage:       "show who proves what, what is missing, and what changed",
		Description: "Shows for every claim which assertion of which check proves it, and for every source item where it went, with what is missing. Before the lock it reads the contract in the work tree, after it the revision in force. With --revision A..B it tells every difference between two revisions of the locked contract, with its place, its reason and both texts; protected ones, which a person has to approve, are marked. B may be the word pending for the revision that waits for approval; a missing A is 1, a missing B the revision in force.",
		Examples:    []string{"git longtask explain plans/login", "git longtask explain --revision 1..2", "git longtask explain --revision ..pending"},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "revision", Usage: "the range A..B to compare"},
			&cli.BoolFlag{Name: "expanded", Usage: "write a compact contract in full (planned)"},
			&cli.BoolFlag{Name: "halt", Usage: "say why a loop halted (planned)"},
		},
		JSON: explainFields{},
		Run:  runExplain,
	}
}

// explainFields are the members of every answer: From, To and Changes come with
// --revision, the matrix without.
type explainFields struct {
	gate.Matrix
	From    *revisionSide `json:"from,omitempty"`    // with --revision
	To      *revisionSide `json:"to,omitempty"`      // with --revision
	Changes []change      `json:"changes,omitempty"` // with --revision, and then instead of the matrix
}

func runExplain(ctx context.Context, inv *invocation) (*report, error) {
	for _, name := range []string{"expanded", "halt"} {
		if inv.Flags.Bool(name) {
			return nil, notBuilt(&command{Name: "explain --" + name})
		}
	}
	if span := inv.Flags.String("revision"); span != "" {
		t, err := inv.task(ctx, inv.arg(0))
		if err != nil {
			return nil, err
		}
		return inv.explainRevision(ctx, t, span)
	}
	m, err := inv.matrix(ctx)
	if err != nil {
		return nil, err
	}
	return &report{Status: "reported", Fields: m, Paged: true, Text: func(p *printer) { printMatrix(p, m) }}, nil
}

// matrix is the active task's, when that is meant, else that of the draft.
func (inv *invocation) matrix(ctx context.Context) (*gate.Matrix, error) {
	t, err := inv.task(ctx, inv.arg(0))
	if err == nil {
		m, err := t.Explain(ctx)
		if err != nil {
			return nil, inv.taskError(ctx, t.Repo, err)
		}
		return m, nil
	}
	var known *decideError
	if !errors.As(err, &known) || known.Code != gate.ErrNoTask.Error() && known.Code != codeOtherWorkdir {
		return nil, err
	}
	d, files, dir, err := inv.draft(ctx, inv.arg(0))
	if err != nil {
		return nil, err
	}
	files.Close()
	return d.Explain(dir), nil
}

func printMatrix(p *printer, m *gate.Matrix) {
	of := "the contract in " + quotePath(m.Workdir) + ", not locked"
	if m.Revision > 0 {
		of = "task " + m.TaskID + " as locked"
	}
	p.line("%s: %d of %s proved, %d of %s mapped", p.bold(of), m.Coverage.ClaimsCovered, count(m.Coverage.ClaimsTotal, "claim"),
		m.SourceCoverage.Resolved, count(m.SourceCoverage.Total, "source item"))
	p.line("")
	for _, c := range m.Claims {
		mark, by := "ok     ", list(c.Assertions)
		if by == "" {
			by = list(c.Checks)
		}
		if !c.Covered {
			mark = p.red("MISSING")
			if len(c.Missing) > 0 {
				by = strings.TrimPrefix(by+"; nothing on "+list(c.Missing), "; ")
			} else {
				by = "nothing proves it"
			}
		}
		p.line("  %s %-44s %s", mark, c.Claim, by)
	}
	if len(m.SourceItems) > 0 {
		p.line("")
	}
	for _, s := range m.SourceItems {
		to := list(s.Links)
		if s.Disposition == nil {
			to = p.red("mapped to nothing")
		} else if to == "" {
			to = s.Disposition.Type
		}
		p.line("  %s %s (%s): %s", quotePath(s.Path), s.Key, s.Kind, to)
	}
	if m.Revision > 0 {
		p.next("git longtask status")
	} else {
		p.next("git longtask preflight " + m.Workdir)
	}
}
