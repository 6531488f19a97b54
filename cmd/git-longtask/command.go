package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/gitx"
)

// Groups of the help page, in its order.
const (
	groupSetUp  = "Set up"
	groupAuthor = "Author"
	groupWork   = "Work"
	groupFinish = "Finish"
	groupShare  = "Share"
	groupAbout  = "About"
)

var groups = []string{groupSetUp, groupAuthor, groupWork, groupFinish, groupShare, groupAbout}

// command is one row of the table. A name may have two words ("source mark").
// Args is how positional arguments are shown and counted: "<a>" is required,
// "[<b>]" may be left out, "..." repeats without bound. Examples are whole
// command lines, each optionally followed by "  # " and what it does.
type command struct {
	Name        string
	Aliases     []string
	Group       string
	Usage       string
	Args        string
	Description string
	Examples    []string
	Flags       []cli.Flag
	JSON        any // a zero value of the report's Fields, for docs/json.md
	Hidden      bool
	Verbatim    bool // everything after the name belongs to the command, flags too
	Run         func(ctx context.Context, inv *invocation) (*report, error)
}

// run checks the number of arguments and runs the command.
func (c *command) run(ctx context.Context, inv *invocation) (*report, error) {
	if c.Run == nil {
		return nil, notBuilt(c)
	}
	least, most := argBounds(c.Args)
	switch n := len(inv.Args); {
	case c.Verbatim:
	case n < least:
		return nil, usageError(c, "an argument is missing: %s needs %s", c.Name, c.Args)
	case most >= 0 && n > most && most == 0:
		return nil, usageError(c, "%s takes no arguments, but got %q", c.Name, inv.Args[0])
	case most >= 0 && n > most:
		return nil, usageError(c, "one argument too many: %q; %s takes %s", inv.Args[most], c.Name, c.Args)
	}
	return c.Run(ctx, inv)
}

// argBounds counts the arguments that Args describes; most is -1 without bound.
func argBounds(args string) (least, most int) {
	depth := 0
	for i, r := range args {
		switch r {
		case '[':
			if depth++; depth == 1 {
				most++
			}
		case ']':
			depth--
		case '<':
			if depth == 0 && !strings.HasSuffix(strings.TrimSpace(args[:i]), "|") {
				least, most = least+1, most+1
			}
		}
	}
	if strings.Contains(args, "...") {
		return least, -1
	}
	return least, most
}

// invocation is one run of a command: what was asked and where to answer.
type invocation struct {
	Command *command
	Name    string // the command as typed
	Args    []string
	Flags   *cli.Context
	Dir     string // absolute, after -C
	JSON    bool
	Color   bool
	Stdio   stdio

	repo *gitx.Repo
}

// Repo is the repository of Dir, found at the first call.
func (inv *invocation) Repo(ctx context.Context) (*gitx.Repo, error) {
	if inv.repo != nil {
		return inv.repo, nil
	}
	repo, err := gitx.Open(ctx, inv.Dir)
	if err != nil {
		return nil, err
	}
	inv.repo = repo
	return repo, nil
}

func (inv *invocation) close() {
	if inv.repo != nil {
		_ = inv.repo.Close() // only reading children are left; the answer is out
	}
}

// newInvocation is usable for an answer; prepare makes it fit to run.
func newInvocation(l commandLine, std stdio) *invocation {
	return &invocation{Command: l.Command, Name: l.Name, Args: l.Args, JSON: l.JSON, Color: wantsColor(l.Color, std), Stdio: std}
}

// prepare goes to the directories of -C, as git does, and reads the flags.
func (inv *invocation) prepare(l commandLine) (err error) {
	for _, dir := range l.Dirs {
		if dir == "" {
			continue
		}
		if err := os.Chdir(dir); err != nil {
			return &decideError{Code: "directory_not_usable", Message: fmt.Sprintf("cannot change to the directory of -C: %v", err)}
		}
	}
	inv.Dir, _ = os.Getwd() // "" where it was deleted: git then says so
	inv.Flags, err = l.settings()
	return err
}

// settings puts the flags' values into the types the command declared.
func (l commandLine) settings() (*cli.Context, error) {
	set := flag.NewFlagSet(l.Name, flag.ContinueOnError)
	if l.Command != nil {
		for _, f := range l.Command.Flags {
			if err := f.Apply(set); err != nil {
				return nil, fmt.Errorf("flag of %s: %w", l.Name, err)
			}
		}
	}
	for _, s := range l.Flags {
		if err := set.Set(s.name, s.value); err != nil {
			return nil, usageError(l.Command, "%s needs %s, not %q", dashed(s.name), valueKind(s.flag), s.value)
		}
	}
	return cli.NewContext(nil, set, nil), nil
}

func valueKind(f cli.Flag) string {
	switch f.(type) {
	case *cli.BoolFlag:
		return "true or false"
	case *cli.IntFlag, *cli.Int64Flag, *cli.UintFlag:
		return "a whole number"
	case *cli.DurationFlag:
		return "a duration such as 90s or 5m"
	}
	return "another value"
}

// wantsColor answers --color; on its own only a terminal gets colour.
func wantsColor(mode string, std stdio) bool {
	if mode == "always" || mode == "never" {
		return mode == "always"
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(std.out)
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
