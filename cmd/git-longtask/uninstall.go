package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/hooks"
)

func uninstallCommand() *command {
	return &command{
		Name:  "uninstall",
		Group: groupSetUp,
		Usage: "remove the Git hooks",
		JSON:  hooks.Report{},
		Description: "Removes the hooks that install wrote and puts back those that were there before. Tasks, receipts and contracts stay. " +
			"A hook that was edited stays and is named.",
		Examples: []string{"git longtask uninstall"},
		Flags:    []cli.Flag{&cli.BoolFlag{Name: "purge", Usage: "also remove refs, notes, configuration and caches (not in this version yet)"}},
		Run: func(ctx context.Context, inv *invocation) (*report, error) {
			if err := flagNotBuilt(inv, "purge"); err != nil {
				return nil, err
			}
			repo, err := inv.Repo(ctx)
			if err != nil {
				return nil, err
			}
			done, err := hooks.Uninstall(ctx, repo)
			if err != nil {
				return nil, err
			}
			return hooksReport(done), nil
		},
	}
}
