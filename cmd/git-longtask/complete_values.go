package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/gate"
)

// flagValues are what could follow a flag: tasks, outcomes and checks are
// those of the repository at hand.
func flagValues(ctx context.Context, inv *invocation, f cli.Flag) []candidate {
	switch f.Names()[0] {
	case "color":
		return []candidate{{"auto", "on a terminal"}, {"always", ""}, {"never", ""}}
	case "task":
		return knownTasks(ctx, inv, func(r taskRow) candidate { return candidate{r.ID, r.State} })
	case "outcome":
		return ofTask(ctx, inv, func(t *gate.Task) []candidate {
			all := []candidate{{"GLOBAL", "the global checks"}}
			for _, o := range t.Compiled.Contract.Outcomes {
				all = append(all, candidate{o.Key, o.Title})
			}
			return all
		})
	case "check":
		return ofTask(ctx, inv, func(t *gate.Task) []candidate {
			var all []candidate
			for _, key := range t.CheckKeys() {
				all = append(all, candidate{key, ""})
			}
			return all
		})
	}
	return nil
}

// argumentValues are what could stand as an argument, by what the command
// calls its first one.
func argumentValues(ctx context.Context, inv *invocation, c *command) []candidate {
	switch c.Args {
	case "[<command>]...":
		return commandWords("")
	case "<shell>":
		return []candidate{{"bash", ""}, {"fish", ""}, {"zsh", ""}}
	case "[<workdir>]", "[<workdir> | <commit>]":
		return knownTasks(ctx, inv, func(r taskRow) candidate { return candidate{r.Workdir, r.ID} })
	case "[<remote>]":
		return remotes(ctx, inv)
	}
	return nil
}

// knownTasks are the repository's tasks; what cannot be read has no words.
func knownTasks(ctx context.Context, inv *invocation, word func(taskRow) candidate) []candidate {
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil
	}
	rows, err := taskRows(ctx, repo)
	if err != nil {
		return nil
	}
	var all []candidate
	for _, r := range rows {
		if c := word(r); c.word != "" {
			all = append(all, c)
		}
	}
	return all
}

func ofTask(ctx context.Context, inv *invocation, words func(*gate.Task) []candidate) []candidate {
	t, err := inv.task(ctx, "")
	if err != nil {
		return nil
	}
	return words(t)
}

func remotes(ctx context.Context, inv *invocation) []candidate {
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil
	}
	config, err := repo.Config(ctx)
	if err != nil {
		return nil
	}
	var all []candidate
	for _, name := range config.Remotes() {
		all = append(all, candidate{name, ""})
	}
	return all
}
