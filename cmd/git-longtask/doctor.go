package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/hooks"
)

// doctorFields are what doctor adds to the envelope.
type doctorFields struct {
	Healthy  bool     `json:"healthy"`
	Repaired []string `json:"repaired"` // codes of what --repair mended
}

func doctorCommand() *command {
	return &command{
		Name:        "doctor",
		Group:       groupSetUp,
		Usage:       "check hooks, refs and configuration",
		JSON:        doctorFields{},
		Description: "Looks at what the tool stands on: the git in use, hooks, the marker of this worktree, authority chains and journals, lock files left behind, and what CI will need. Ends with 1 when something is broken; warnings do not count. --repair does only what the finding says it does, and never removes a contract, a source, a commit or a chain.",
		Examples:    []string{"git longtask doctor", "git longtask doctor --repair"},
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "repair", Usage: "repair what can be repaired safely"}},
		Run:         runDoctor,
	}
}

func runDoctor(ctx context.Context, inv *invocation) (*report, error) {
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil, err
	}
	ailments, err := gate.Diagnose(ctx, repo)
	if err != nil {
		return nil, err
	}
	var found []contract.Finding
	repaired := []string{}
	for _, a := range ailments {
		if inv.Flags.Bool("repair") && a.Repair != nil {
			if err := a.Repair(ctx); err != nil {
				return nil, err
			}
			repaired = append(repaired, a.Finding.Code)
			continue
		}
		found = append(found, a.Finding)
	}
	states, err := hooks.Inspect(ctx, repo)
	if err != nil {
		return nil, err
	}
	for _, s := range states {
		if f, wrong := s.Finding(); wrong {
			found = append(found, f)
		}
	}
	contract.SortFindings(found)
	rep := &report{Status: "healthy", Findings: found, Fields: doctorFields{!contract.Refuses(found), repaired}}
	if contract.Refuses(found) {
		rep.Status, rep.Exit = "unhealthy", exitRefused
	}
	rep.Text = func(p *printer) {
		for _, code := range repaired {
			p.line("repaired: %s", code)
		}
		p.line("%s", p.bold(rep.Status))
		p.findings(found)
	}
	return rep, nil
}
