package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

func compileCommand() *command {
	return &command{
		Name:        "compile",
		Aliases:     []string{"lock"},
		Group:       groupAuthor,
		Args:        "[<workdir>]",
		Usage:       "lock a contract as the authority",
		JSON:        lockFields{},
		Description: "Freezes the contract, its sources and its verifiers as an append-only chain under refs/longtask/<task>/authority, and binds this worktree to the task. The first success is the lock: from then on commits are held to the declared scope and only what was frozen decides when the work is done. Compiling the same contract again changes nothing; in another worktree it attaches that worktree. A changed contract needs --revise: what only adds proof or tightens becomes the next revision at once, everything else waits until a person approves it, and a lower risk is refused.",
		Examples:    []string{"git longtask compile plans/login", "git longtask compile --revise", "git longtask compile --json"},
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "revise", Usage: "make a changed contract the next revision"}, signFlag},
		Run:         runCompile,
	}
}

// checkpoint tells a host once, right after the lock, that this is the moment
// to choose the model that does the work.
type checkpoint struct {
	Required bool     `json:"required"`
	Phase    string   `json:"phase,omitempty"`
	Options  []string `json:"options,omitempty"`
	Message  string   `json:"message,omitempty"`
}

type lockFields struct {
	compiledFields
	Revision          int        `json:"authority_revision,omitempty"`
	RevisionID        string     `json:"revision,omitempty"`
	Changes           []change   `json:"changes,omitempty"`
	BaseCommit        gitx.OID   `json:"base_commit,omitempty"`
	Branch            string     `json:"branch,omitempty"`
	IntegrationRef    string     `json:"integration_ref,omitempty"`
	ProgressPreserved bool       `json:"progress_preserved"`
	Published         bool       `json:"published"`
	Checkpoint        checkpoint `json:"execution_model_checkpoint"`
}

func runCompile(ctx context.Context, inv *invocation) (*report, error) {
	d, files, dir, err := inv.draft(ctx, inv.arg(0))
	if err != nil {
		return nil, err
	}
	defer files.Close()
	fields := lockFields{compiledFields: fieldsOf(d, dir)}
	if contract.Refuses(d.Findings) {
		return notReady(d, dir, fields, "git longtask compile "+dir), nil
	}
	locked, found, err := d.Lock(ctx, inv.repo, time.Now(), gate.How{Revise: inv.Flags.Bool("revise"), Sign: inv.Flags.Bool("sign")})
	if err != nil {
		return nil, inv.taskError(ctx, inv.repo, signError(err))
	}
	d.Findings = append(d.Findings, found...)
	if locked.Pending != "" {
		return awaitsApproval(d, locked, fields), nil
	}
	if contract.Refuses(found) {
		return notReady(d, dir, fields, "git longtask compile "+dir), nil
	}
	return inv.locked(ctx, d, locked, fields)
}

func (inv *invocation) locked(ctx context.Context, d *gate.Draft, l authority.Locked, fields lockFields) (*report, error) {
	rec := l.Chain.Current().Record
	fields.Revision, fields.BaseCommit, fields.Branch, fields.IntegrationRef = rec.Revision, rec.BaseCommit, rec.Branch, rec.IntegrationRef
	fields.ProgressPreserved, fields.Changes = !l.First, l.Changes
	if l.First {
		fields.Checkpoint = checkpoint{Required: true, Phase: "post_authority_lock_pre_implementation",
			Options: []string{"continue_current_model", "switch_model_then_resume"},
			Message: "The contract is locked. If another model is to do the work, switch now and go on with git longtask status."}
	}
	published, err := gate.Published(ctx, inv.repo, l.Chain)
	if err != nil {
		return nil, err
	}
	fields.Published = published.Done
	return &report{Status: l.Status, Findings: d.Findings, Fields: fields, Text: func(p *printer) {
		verb := "locked"
		switch {
		case l.Status == "attached":
			verb = "attached"
		case l.Revised:
			verb = "revised"
		case !l.First:
			verb = "unchanged"
		}
		p.line("%s: task %s, revision %d, %s, %s, risk %s", p.bold(verb), fields.TaskID, rec.Revision,
			count(len(fields.Outcomes), "outcome"), count(d.Coverage.ClaimsTotal, "claim"), fields.EffectiveRisk)
		p.line("base %s on %s; scope %s", rec.BaseCommit.Short(), onBranch(rec.Branch), strings.Join(d.Compiled.Scope().Patterns(), ", "))
		p.changes(l.Changes)
		p.findings(d.Findings)
		if !published.Done && published.Remote != "" {
			p.line("not published yet: git longtask sync %s", published.Remote)
		}
		p.next("git longtask verify")
	}}, nil
}

func onBranch(ref string) string {
	if ref == "" {
		return "a detached HEAD"
	}
	return fmt.Sprintf("branch %s", shortBranch(ref))
}
