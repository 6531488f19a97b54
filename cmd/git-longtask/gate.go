package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gitx"
)

func finalGateCommand() *command {
	return &command{
		Name:        "final-gate",
		Aliases:     []string{"gate"},
		Group:       groupFinish,
		Args:        "[<workdir> | <commit>]",
		Usage:       "judge one commit by the whole contract",
		JSON:        gate.Verdict{},
		Description: "Recompiles the contract from the commit, compares every frozen file, judges the scope, and runs every check and counterfactual on the commit's exact content. Nothing stored is reused. Without a commit it judges HEAD and needs a clean work tree; with one, the work tree is not looked at. An accepted commit gets a receipt as a Git note.",
		Examples:    []string{"git longtask final-gate", "git longtask final-gate HEAD~1", "git longtask final-gate plans/login --commit v1.2 --json"},
		Flags:       []cli.Flag{&cli.StringFlag{Name: "commit", Usage: "judge `COMMIT` instead of HEAD"}, jobsFlag},
		Run:         runFinalGate,
	}
}

// gateTarget sorts out whether the argument is a workdir or a commit.
func (inv *invocation) gateTarget() (workdir, rev string, err error) {
	arg, flag := inv.arg(0), inv.Flags.String("commit")
	if arg == "" {
		return "", flag, nil
	}
	if info, statErr := os.Stat(filepath.Join(arg, contract.FileName)); statErr == nil && !info.IsDir() {
		return arg, flag, nil
	}
	if flag != "" {
		return "", "", usageError(inv.Command, "%q is no directory with a contract, and --commit names a commit already", arg)
	}
	return "", arg, nil
}

func runFinalGate(ctx context.Context, inv *invocation) (*report, error) {
	workdir, rev, err := inv.gateTarget()
	if err != nil {
		return nil, err
	}
	t, err := inv.task(ctx, workdir)
	if err != nil {
		return nil, err
	}
	v, err := inv.judge(ctx, t, rev)
	if err != nil {
		return nil, err
	}
	if err := t.Record(ctx, v, time.Now(), thisTool()); err != nil {
		return nil, err
	}
	return gateReport(v), nil
}

// judge runs the gate on a revision, or on HEAD with a clean work tree.
func (inv *invocation) judge(ctx context.Context, t *gate.Task, rev string) (*gate.Verdict, error) {
	req := gate.Request{WorkTree: rev == "", Jobs: inv.Flags.Int("jobs")}
	if rev == "" {
		rev = "HEAD"
	}
	commit, err := t.Repo.Resolve(ctx, rev)
	if errors.Is(err, gitx.ErrNotFound) {
		return nil, &decideError{Code: "commit_not_found", Message: fmt.Sprintf("%q names no commit of this repository, and no directory with a contract", rev), Hint: "name a commit, a branch or a tag"}
	}
	if err != nil {
		return nil, err
	}
	live := inv.progress("gate")
	req.Commit, req.Progress = commit, live.check
	v, err := t.Gate(ctx, req)
	live.end()
	if err != nil {
		return nil, inv.taskError(ctx, t.Repo, err)
	}
	contract.SortFindings(v.Findings)
	return v, nil
}

// gateReport is the answer of final-gate.
func gateReport(v *gate.Verdict) *report {
	rep := &report{Status: v.WorkflowStatus, Findings: v.Findings, Fields: v}
	if !v.Accepted() {
		rep.Exit = exitRefused
	}
	rep.Text = func(p *printer) {
		printVerdict(p, v)
		switch {
		case v.WorkflowStatus == gate.BlockedExternal:
			p.next("provide what is missing, then git longtask final-gate")
		case !v.Accepted():
			p.next(afterRefusal(v))
		default:
			p.next("git push, then CI re-runs this; close with: git longtask close")
		}
	}
	return rep
}

func printVerdict(p *printer, v *gate.Verdict) {
	p.line("gate of %s %q for task %s, revision %d", v.Commit.Short(), v.Subject, v.TaskID, v.Revision)
	if !v.NotRun {
		scope := "ok     "
		for _, f := range v.Findings {
			if f.Code == "scope_escape" || f.Code == "forbidden_path_changed" || f.Code == "base_not_ancestor" {
				scope = p.red("FAIL   ")
			}
		}
		p.line("  %s %-24s %7s  %s", scope, "scope", "", count(v.ScopePaths, "path"))
		printResults(p, v.CheckResults, v.Counterfactuals, v.Baselines)
	}
	switch {
	case v.Accepted():
		p.line("%s: every declared requirement and criterion holds on %s (unsigned local receipt)", p.bold("accepted"), v.Commit.Short())
	case v.WorkflowStatus == gate.BlockedExternal:
		p.line("%s: something outside the work is missing", p.yellow("blocked"))
	default:
		p.line("%s: %s", p.red("not finished"), count(problems(v.Findings), "problem"))
	}
	p.line("")
	p.findings(v.Findings)
	printPending(p, v.ExternalConfirmations)
}

// printPending names what people still have to confirm outside.
func printPending(p *printer, pending []contract.ExternalConfirmation) {
	for _, c := range pending {
		p.line("pending outside: %s (owner: %s)", printable(c.Description), printable(c.Owner))
	}
}

// thisTool is this binary as a receipt records it.
func thisTool() gate.Tool {
	tool := gate.Tool{Version: version()}
	path, err := os.Executable()
	if err != nil {
		return tool
	}
	tool.Path = path
	f, err := os.Open(path)
	if err != nil {
		return tool
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err == nil {
		tool.SHA256 = hex.EncodeToString(h.Sum(nil))
	}
	return tool
}

// afterRefusal is where to look next: at the checks, or, when none was run, at
// what stands in their way.
func afterRefusal(v *gate.Verdict) string {
	if v.NotRun {
		return "git longtask status"
	}
	return "git longtask verify"
}
