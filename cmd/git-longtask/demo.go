package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/gitx"
)

//go:embed demo.sh
var demoScript string

type demoFields struct {
	Directory string `json:"directory,omitempty"` // where --keep left everything
}

func demoCommand() *command {
	return &command{
		Name:        "demo",
		Group:       groupSetUp,
		Usage:       "show the whole story in a throw-away repository",
		JSON:        demoFields{},
		Description: "Locks a small contract, has a commit outside the scope and a false \"done\" refused, fixes the work, gets it accepted on one commit with its receipt, and lets CI run everything again in a fresh clone. These are real commands in a temporary directory; your repositories and your configuration are not touched. Ends with an error when anything went otherwise.",
		Examples:    []string{"git longtask demo", "git longtask demo --keep  # leaves the repository to look around in"},
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "keep", Usage: "keep the directory and say where it is"}},
		Run:         runDemo,
	}
}

func runDemo(ctx context.Context, inv *invocation) (*report, error) {
	dir, err := os.MkdirTemp("", "longtask-demo-")
	if err != nil {
		return nil, fmt.Errorf("directory for the demo: %w", err)
	}
	keep := inv.Flags.Bool("keep")
	if !keep {
		defer gitx.RemoveTree(dir)
	}
	if err := inv.playDemo(ctx, dir); err != nil {
		return nil, err
	}
	fields := demoFields{}
	if keep {
		fields.Directory = dir
	}
	return &report{Status: "ok", Fields: fields, Text: func(p *printer) {
		if keep {
			p.line("kept: %s", dir)
		}
	}}, nil
}

// playDemo runs the script with this very binary, a home of its own and no
// configuration of the user's.
func (inv *invocation) playDemo(ctx context.Context, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this binary: %w", err)
	}
	stage, home, bin := filepath.Join(dir, "repositories"), filepath.Join(dir, "home"), filepath.Join(dir, "bin")
	for _, d := range []string{stage, home, bin} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	if err := os.Symlink(self, filepath.Join(bin, "git-longtask")); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", demoScript, "demo", stage)
	cmd.Dir, cmd.WaitDelay = dir, 5*time.Second
	cmd.Env = demoEnv(home, bin)
	cmd.Stdout, cmd.Stderr = inv.Stdio.out, inv.Stdio.err
	if inv.JSON {
		cmd.Stdout = inv.Stdio.err
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		return &decideError{Code: "demo_failed", Message: "the demo did not go as it should; the last lines above say what was expected", Hint: "with --keep the repository stays for a closer look"}
	}
	return err
}

func demoEnv(home, bin string) []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "GIT_") && name != "HOME" && name != "PATH" && !strings.HasPrefix(name, "XDG_") && name != "CDPATH" && name != "ENV" {
			env = append(env, kv)
		}
	}
	return append(env, "HOME="+home, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "NO_COLOR=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=A Worker", "GIT_AUTHOR_EMAIL=worker@localhost.invalid", "GIT_COMMITTER_NAME=A Worker", "GIT_COMMITTER_EMAIL=worker@localhost.invalid")
}
