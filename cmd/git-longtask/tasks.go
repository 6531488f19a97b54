package main

import (
	"context"
	"strings"
)

type tasksFields struct {
	Tasks []taskRow `json:"tasks"`
}

func tasksCommand() *command {
	return &command{
		Name:        "tasks",
		Group:       groupSetUp,
		Usage:       "list every task of the repository",
		JSON:        tasksFields{},
		Description: "Shows each task with its state (open, closed or abandoned), the branch and worktree it was locked on, and the last gate result of this clone. Closed and abandoned tasks stay listed: nothing is ever deleted.",
		Examples:    []string{"git longtask tasks", "git longtask tasks --json"},
		Run: func(ctx context.Context, inv *invocation) (*report, error) {
			repo, err := inv.Repo(ctx)
			if err != nil {
				return nil, err
			}
			rows, err := taskRows(ctx, repo)
			if err != nil {
				return nil, err
			}
			if rows == nil {
				rows = []taskRow{}
			}
			return &report{Status: "reported", Fields: tasksFields{rows}, Text: func(p *printer) { printTasks(p, rows) }}, nil
		},
	}
}

func printTasks(p *printer, rows []taskRow) {
	if len(rows) == 0 {
		p.line("no task was ever locked in this repository")
		p.next("git longtask compile <workdir>")
		return
	}
	for _, r := range rows {
		facts := []string{r.State, shortBranch(r.Branch), r.Workdir}
		switch {
		case r.Problem != "":
			facts = []string{r.Problem}
		case r.Worktree != "":
			facts = append(facts, r.Worktree)
		}
		if r.LastVerdict != "" {
			facts = append(facts, "last gate: "+r.LastVerdict)
		}
		p.line("%s  %s", p.bold(r.ID), strings.Join(facts, "  "))
	}
}
