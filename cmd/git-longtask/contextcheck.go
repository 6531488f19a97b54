package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract/projectcontext"
	"github.com/git-longtask/git-longtask/gitx"
)

func contextCheckCommand() *command {
	return &command{
		Name:  "context check",
		Group: groupAuthor,
		Usage: "name the context that a change may have made stale",
		Description: "Compares the work tree with where it left the base and warns about the text of each area that owns changed paths and was not changed itself. " +
			"It is a reminder: no exit code depends on it.",
		Examples: []string{"git longtask context check --base origin/main"},
		Flags:    []cli.Flag{&cli.StringFlag{Name: "base", Usage: "the `REV` that the change is compared with"}},
		JSON:     checkFields{},
		Run:      runContextCheck,
	}
}

type checkFields struct {
	Base    gitx.OID `json:"base"` // the commit that the change left
	Changed []string `json:"changed"`
	Unowned []string `json:"unowned"` // changed paths that no area owns
}

func runContextCheck(ctx context.Context, inv *invocation) (*report, error) {
	rev := inv.Flags.String("base")
	if rev == "" {
		return nil, usageError(inv.Command, "say with --base what the change is compared with")
	}
	return inv.withContext(ctx, func(repo *gitx.Repo, c *projectcontext.Context) (*report, error) {
		base, changed, err := changedSince(ctx, repo, rev)
		if err != nil {
			return nil, err
		}
		stale, unowned := c.Stale(changed)
		findings := slices.Concat(c.Findings, stale)
		fields := checkFields{base, append([]string{}, changed...), append([]string{}, unowned...)}
		return &report{Status: "reported", Findings: findings, Fields: fields, Text: func(p *printer) {
			p.line("%s since %s, %s of an area may be stale", count(len(changed), "changed path"), base.Short(), count(len(stale), "text"))
			p.findings(findings)
			if len(unowned) > 0 {
				p.line("%s in no area", count(len(unowned), "changed path"))
			}
		}}, nil
	})
}

// changedSince are the paths in which the work tree differs from where HEAD
// left a revision, and that commit.
func changedSince(ctx context.Context, repo *gitx.Repo, rev string) (gitx.OID, []string, error) {
	base, err := repo.Resolve(ctx, rev)
	if errors.Is(err, gitx.ErrNotFound) {
		return "", nil, &decideError{Code: "commit_not_found", Message: err.Error(), Hint: "name a commit, a branch or a tag"}
	}
	if err != nil {
		return "", nil, err
	}
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return "", nil, fmt.Errorf("HEAD: %w", err)
	}
	if meet, err := repo.MergeBase(ctx, base, head); err == nil {
		base = meet
	} else if !errors.Is(err, gitx.ErrNotFound) {
		return "", nil, err
	}
	changes, err := repo.DiffTrees(ctx, base, head)
	if err != nil {
		return "", nil, err
	}
	status, err := repo.Status(ctx)
	if err != nil {
		return "", nil, err
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	for _, s := range status {
		paths = append(paths, s.Path)
	}
	slices.Sort(paths)
	return base, slices.Compact(paths), nil
}
