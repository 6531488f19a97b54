package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/hooks"
)

func installCommand() *command {
	return &command{
		Name:  "install",
		Group: groupSetUp,
		Usage: "install the Git hooks",
		JSON:  hooks.Report{},
		Description: "Puts hooks where Git looks for them and proves that Git would run them. A hook that is there already is kept and called " +
			"first. Files of hook managers are never edited: install prints the lines to add.",
		Examples: []string{"git longtask install", "git longtask install --force  # take over edited or tracked hooks, keeping them"},
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "force", Usage: "take over a hook of ours that was edited, and write where hooks are tracked; nothing is lost"},
			&cli.StringSliceFlag{Name: "agent", Usage: "also for the agent `HOST` (not in this version yet)"},
			&cli.BoolFlag{Name: "config-hooks", Usage: "use hooks from Git's configuration (not in this version yet)"},
		},
		Run: runInstall,
	}
}

func runInstall(ctx context.Context, inv *invocation) (*report, error) {
	if err := flagNotBuilt(inv, "agent", "config-hooks"); err != nil {
		return nil, err
	}
	binary, err := ownPath()
	if err != nil {
		return nil, err
	}
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil, err
	}
	done, err := hooks.Install(ctx, repo, hooks.InstallOptions{Binary: binary, Force: inv.Flags.Bool("force")})
	if err != nil {
		return nil, err
	}
	return hooksReport(done), nil
}

// ownPath is where this program is found again: on PATH if that is the same
// file, since what a link leads to may move with the next upgrade.
func ownPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("the path of this program: %w", err)
	}
	onPath, err := exec.LookPath("git-longtask")
	if err != nil {
		return self, nil
	}
	found, err := os.Stat(onPath)
	if err != nil {
		return self, nil
	}
	if own, err := os.Stat(self); err != nil || !os.SameFile(own, found) {
		return self, nil
	}
	return filepath.Abs(onPath)
}

var hookVerdicts = map[string]string{
	hooks.StatusInstalled:         "installed: Git asks git-longtask before commits, merges and pushes here",
	hooks.StatusAlreadyInstalled:  "already installed: nothing to do",
	hooks.StatusPartlyInstalled:   "partly installed: some hooks could not be put in place",
	hooks.StatusRefused:           "not installed",
	hooks.StatusNotProved:         "not proved: the hooks are in place, but Git would not get an answer from them",
	hooks.StatusUninstalled:       "uninstalled: Git no longer asks git-longtask here",
	hooks.StatusNotInstalled:      "not installed: nothing to remove",
	hooks.StatusPartlyUninstalled: "partly uninstalled: some hooks could not be removed",
}

// hooksReport shows what install or uninstall did.
func hooksReport(done hooks.Report) *report {
	rep := &report{Status: done.Status, Findings: done.Findings, Fields: done}
	if contract.Refuses(done.Findings) {
		rep.Exit = exitRefused
	}
	rep.Text = func(p *printer) {
		p.line("%s", hookVerdicts[done.Status])
		for _, h := range done.Hooks {
			p.line("  %-16s  %-14s  %s", h.Name, h.State, quotePath(h.Path))
			if h.Previous != "" {
				p.line("  %-16s  %-14s  %s", "", "calls first", quotePath(h.Previous))
			}
		}
		p.findings(done.Findings)
	}
	return rep
}

// flagNotBuilt refuses flags of the interface that this version cannot honour.
func flagNotBuilt(inv *invocation, names ...string) error {
	for _, name := range names {
		if inv.Flags.IsSet(name) {
			return &decideError{Code: codeNotBuilt, Message: fmt.Sprintf("the flag %s is planned, but this version cannot do it yet", dashed(name)),
				Hint: "nothing was changed; without the flag the command works"}
		}
	}
	return nil
}
