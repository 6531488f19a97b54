package main

import (
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/share"
)

func syncCommand() *command {
	return &command{
		Name:        "sync",
		Group:       groupShare,
		Args:        "[<remote>]",
		Usage:       "publish and fetch authority and receipts",
		JSON:        share.Synced{},
		Description: "Brings refs/longtask/*/authority and the receipt notes of this clone and a remote into line: fetched without force, merged here, pushed with leases. The journal stays local. A chain that went different ways on both sides is refused with both heads.",
		Examples:    []string{"git longtask sync", "git longtask sync origin", "git longtask sync --check"},
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "check", Usage: "only report what would be done; exit 1 when there is something"}},
		Run:         runSync,
	}
}

func runSync(ctx context.Context, inv *invocation) (*report, error) {
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil, err
	}
	remote, err := share.ChooseRemote(ctx, repo, inv.arg(0))
	for _, known := range []error{share.ErrNoRemote, share.ErrRemoteUnknown} {
		if errors.Is(err, known) {
			return nil, &decideError{Code: known.Error(), Message: strings.TrimPrefix(err.Error(), known.Error()+": ")}
		}
	}
	if err != nil {
		return nil, err
	}
	check := inv.Flags.Bool("check")
	s, err := share.Sync(ctx, repo, remote, check)
	if err != nil {
		return nil, inv.taskError(ctx, repo, err)
	}
	rep := &report{Status: "in_line", Findings: s.Findings, Fields: s, Text: func(p *printer) { printSync(p, s, check) }}
	switch {
	case contract.Refuses(s.Findings):
		rep.Status, rep.Exit = "refused", exitRefused
	case check && !s.InLine:
		rep.Status, rep.Exit = "differs", exitRefused
	}
	return rep, nil
}

func printSync(p *printer, s *share.Synced, check bool) {
	verb, fetched := "pushed", "took over from"
	if check {
		verb, fetched = "would push", "would take over from"
	}
	for _, task := range s.Fetched {
		p.line("%s %s: authority of task %s", fetched, s.Remote, task)
	}
	if s.NotesMerged {
		p.line("merged receipts of %s", s.Remote)
	}
	for _, ref := range s.Pushed {
		p.line("%s to %s: %s", verb, s.Remote, ref)
	}
	p.findings(s.Findings)
	if s.InLine {
		p.line("in line with %s", s.Remote)
	} else if check {
		p.next("git longtask sync " + s.Remote)
	}
}
