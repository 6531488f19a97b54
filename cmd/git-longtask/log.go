package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

func logCommand() *command {
	return &command{
		Name:        "log",
		Group:       groupWork,
		Args:        "[<workdir>]",
		Usage:       "show what happened to the task",
		Description: "Shows the journal of this clone as a timeline, one line for each lock, verify, gate, stop-check and close, newest last. Without a workdir it is about the active task, or else the only task of the repository; closed and abandoned tasks have their log too. --follow waits for more until it is interrupted.",
		Examples:    []string{"git longtask log", "git longtask log plans/login --follow", "git longtask log --json"},
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "follow", Usage: "wait for more, until interrupted"}},
		JSON:        logFields{},
		Run:         runLog,
	}
}

type logFields struct {
	TaskID string       `json:"task_id"`
	State  string       `json:"state"` // open, closed or abandoned
	Events []gate.Entry `json:"events"`
}

func runLog(ctx context.Context, inv *invocation) (*report, error) {
	follow := inv.Flags.Bool("follow")
	if follow && inv.JSON {
		return nil, usageError(inv.Command, "--follow writes lines as they come, and --json one object at the end; give one of them")
	}
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil, err
	}
	chain, err := inv.anyTask(ctx, repo, inv.arg(0))
	if err != nil {
		return nil, err
	}
	story, err := gate.Story(ctx, repo, chain.Task, 0)
	if err != nil {
		return nil, err
	}
	if follow {
		return nil, inv.follow(ctx, repo, chain.Task, story)
	}
	fields := logFields{TaskID: chain.Task, State: chain.State(), Events: story}
	return &report{Status: "reported", Fields: fields, Paged: true, Text: func(p *printer) {
		if len(story) == 0 {
			p.line("no journal of task %s in this clone: nothing was locked, verified or judged here", chain.Task)
		}
		printEntries(p, story)
	}}, nil
}

func printEntries(p *printer, story []gate.Entry) {
	for _, e := range story {
		at := e.Time
		if t, err := time.Parse(time.RFC3339Nano, e.Time); err == nil {
			at = t.Local().Format("2006-01-02 15:04:05")
		}
		p.line("%s  %s", at, printable(e.Summary))
	}
}

// followEvery is how long a follower waits before it looks again.
const followEvery = 500 * time.Millisecond

// follow writes the story and what is added to it, until it is interrupted or
// the reader goes away.
func (inv *invocation) follow(ctx context.Context, repo *gitx.Repo, task string, story []gate.Entry) error {
	seq := 0
	for {
		var out bytes.Buffer
		printEntries(&printer{w: &out, color: inv.Color}, story)
		switch _, err := inv.Stdio.out.Write(out.Bytes()); {
		case errors.Is(err, syscall.EPIPE):
			return nil
		case err != nil:
			return &decideError{Code: "output_failed", Message: fmt.Sprintf("the log could not be written: %v", err), Hint: "write it somewhere else"}
		}
		if len(story) > 0 {
			seq = story[len(story)-1].Seq
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followEvery):
		}
		var err error
		if story, err = gate.Story(ctx, repo, task, seq); err != nil {
			return err
		}
	}
}

// anyTask is the chain of the named workdir, of the active task or of the only
// task of the repository, whatever its state. Of several with one workdir the
// newest is meant.
func (inv *invocation) anyTask(ctx context.Context, repo *gitx.Repo, workdir string) (*authority.Chain, error) {
	dir := ""
	if workdir == "" {
		t, err := gate.Active(ctx, repo)
		if err == nil {
			return t.Chain, nil
		}
		if !errors.Is(err, gate.ErrNoTask) {
			return nil, inv.taskError(ctx, repo, err)
		}
	} else {
		var err error
		if dir, err = inv.inRepo(repo, workdir); err != nil {
			return nil, err
		}
	}
	var found []*authority.Chain
	for _, id := range authority.Tasks(repo) {
		chain, err := authority.Load(ctx, repo, id)
		if err != nil {
			return nil, inv.taskError(ctx, repo, err)
		}
		if dir == "" || chain.Current().Record.Workdir == dir {
			found = append(found, chain)
		}
	}
	if dir != "" {
		found = withoutContinued(found)
	}
	return inv.onlyOne(ctx, repo, found)
}

// withoutContinued leaves out the chains that another one of them goes on from.
func withoutContinued(chains []*authority.Chain) []*authority.Chain {
	continued := map[string]bool{}
	for _, c := range chains {
		for _, l := range c.Before {
			continued[l.Record.Task] = true
		}
	}
	return slices.DeleteFunc(chains, func(c *authority.Chain) bool { return continued[c.Task] })
}

func (inv *invocation) onlyOne(ctx context.Context, repo *gitx.Repo, found []*authority.Chain) (*authority.Chain, error) {
	if len(found) == 0 {
		return nil, inv.noTask(ctx, repo)
	}
	var names []string
	for _, c := range found {
		if len(found) == 1 {
			return c, nil
		}
		names = append(names, fmt.Sprintf("%s (%s, %s)", c.Task, c.State(), c.Current().Record.Workdir))
	}
	return nil, &decideError{Code: "task_ambiguous", Message: "no task is active in this worktree, and more than one could be meant",
		Hint: "name the workdir of one: " + strings.Join(names, ", "), Next: "git longtask " + inv.Name + " " + found[0].Current().Record.Workdir}
}
