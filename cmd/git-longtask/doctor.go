package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gitx"
	"github.com/git-longtask/git-longtask/hooks"
)

// doctorFields are what doctor adds to the envelope.
type doctorFields struct {
	Healthy  bool      `json:"healthy"`
	Repaired []string  `json:"repaired"` // codes of what --repair mended
	Git      gate.Tool `json:"git"`      // the git in use
}

func doctorCommand() *command {
	return &command{
		Name:        "doctor",
		Group:       groupSetUp,
		Usage:       "check hooks, refs and configuration",
		JSON:        doctorFields{},
		Description: "Looks at what the tool stands on: the git in use, hooks, the marker of this worktree, authority chains and journals, lock files left behind, and what CI will need. Ends with 1 when something is broken; warnings do not count. --repair does only what the finding says it does, and never removes a contract, a source, a commit or a chain.",
		Examples:    []string{"git longtask doctor", "git longtask doctor --repair"},
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "repair", Usage: "repair what can be repaired safely"},
			&cli.BoolFlag{Name: "upgrade-check", Usage: "say what a newer version would change (planned)"},
			&cli.IntFlag{Name: "probe", Usage: "run one check this many times and compare (planned)"},
			&cli.StringFlag{Name: "canary", Usage: "prove that one check notices a planted fault (planned)"},
			&cli.StringFlag{Name: "check", Usage: "the check of --probe and --canary (planned)"},
		},
		Run: runDoctor,
	}
}

func runDoctor(ctx context.Context, inv *invocation) (*report, error) {
	for _, name := range []string{"upgrade-check", "probe", "canary", "check"} {
		if inv.Flags.IsSet(name) {
			return nil, notBuilt(&command{Name: "doctor --" + name})
		}
	}
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
	beside, err := besideTasks(ctx, repo)
	if err != nil {
		return nil, err
	}
	found = append(found, beside...)
	tool, err := gitInUse(ctx)
	if err != nil {
		return nil, err
	}
	contract.SortFindings(found)
	rep := &report{Status: "healthy", Findings: found, Fields: doctorFields{!contract.Refuses(found), repaired, tool}}
	if contract.Refuses(found) {
		rep.Status, rep.Exit = "unhealthy", exitRefused
	}
	rep.Text = func(p *printer) {
		for _, code := range repaired {
			p.line("repaired: %s", code)
		}
		p.line("%s  git %s", p.bold(rep.Status), tool.Version)
		p.findings(found)
	}
	return rep, nil
}

// besideTasks is what is wrong with the hooks and their configuration.
func besideTasks(ctx context.Context, repo *gitx.Repo) ([]contract.Finding, error) {
	found, err := hooks.Misconfigured(ctx, repo)
	if err != nil {
		return nil, err
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
	return found, nil
}

func gitInUse(ctx context.Context) (gate.Tool, error) {
	path, err := gitx.Program()
	if err != nil {
		return gate.Tool{}, err
	}
	version, err := gitx.Version(ctx)
	return gate.Tool{Path: path, Version: version}, err
}
