package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gate/check"
	"github.com/git-longtask/git-longtask/gitx"
)

// Record writes what a gate run found: an accepted one as receipt note, pin
// and journal event in one transaction, a failing one as journal event alone.
func (t *Task) Record(ctx context.Context, v *Verdict, now time.Time, tool Tool) error {
	_, err := authority.AppendBuilt(ctx, t.Repo, now, func() (authority.Entry, error) { return t.gateEntry(ctx, v, tool) })
	return err
}

// gateEntry is the journal event of a verdict and, when it is accepted, its
// receipt. A commit gets at most one line per identity and status from here.
func (t *Task) gateEntry(ctx context.Context, v *Verdict, tool Tool) (authority.Entry, error) {
	e := authority.Entry{Task: t.ID()}
	if accepted(v.WorkflowStatus) {
		line, err := t.receiptLine(ctx, v, tool)
		if err != nil {
			return e, err
		}
		v.Receipt = digest(line)
		e.Note = &authority.NoteSpec{Ref: NotesRef, Commit: v.Commit, Line: line}
	}
	data, err := json.Marshal(GateEvent{Commit: v.Commit, Tree: v.Tree, Identity: v.Identity, WorkflowStatus: v.WorkflowStatus,
		Receipt: v.Receipt, Findings: nonNil(v.Findings)})
	if err != nil {
		return e, err
	}
	e.Events = []authority.Event{{Type: authority.GateEnded, Revision: v.Revision, Commit: v.Commit, Data: data}}
	return e, nil
}

// receiptLine is the receipt of a verdict, or the one this clone already left
// on the commit for the same identity and status.
func (t *Task) receiptLine(ctx context.Context, v *Verdict, tool Tool) ([]byte, error) {
	events, err := authority.Events(ctx, t.Repo, t.ID())
	if err != nil {
		return nil, err
	}
	ours := map[string]bool{}
	for _, g := range gateEvents(events) {
		ours[g.Receipt] = true
	}
	have, err := Receipts(ctx, t.Repo, v.Commit)
	if err != nil {
		return nil, err
	}
	for _, r := range have {
		p := r.Predicate
		if ours[digest(r.Line)] && p.Task == t.ID() && p.Identity == v.Identity && p.Revision == v.Revision && p.WorkflowStatus == v.WorkflowStatus {
			return r.Line, nil
		}
	}
	s, err := t.statement(ctx, v, tool)
	if err != nil {
		return nil, err
	}
	return s.encode()
}

func (t *Task) statement(ctx context.Context, v *Verdict, tool Tool) (Statement, error) {
	approvals, err := t.approvals(ctx)
	if err != nil {
		return Statement{}, err
	}
	p := Predicate{Task: t.ID(), Revision: v.Revision, Identity: v.Identity, WorkflowStatus: v.WorkflowStatus,
		BaseCommit: v.BaseCommit, ScopeBase: v.ScopeBase, Criteria: v.criteria, Checks: []ReceiptCheck{}, Counterfactuals: []ReceiptControl{},
		ExternalConfirmations: v.ExternalConfirmations, Approvals: approvals, Files: t.Compiled.Files,
		ContractSHA256: v.ContractSHA256, Tool: tool, Platform: platform()}
	for _, c := range v.CheckResults {
		p.Checks = append(p.Checks, receiptCheck(c))
	}
	for _, c := range v.Counterfactuals {
		p.Counterfactuals = append(p.Counterfactuals, ReceiptControl{ID: c.CheckID + "." + c.Key, Status: c.Status})
	}
	p.Baselines = receiptBaselines(v.Baselines)
	cfg, err := t.Repo.Config(ctx)
	if err != nil {
		return Statement{}, err
	}
	p.NotDefault = map[string]string{}
	for _, key := range []string{"longtask.integration", "longtask.protect", "longtask.push", "longtask.pushBudget"} {
		if value, ok := cfg.Get(key); ok {
			p.NotDefault[key] = value
		}
	}
	if p.Git.Path, err = gitx.Program(); err != nil {
		return Statement{}, err
	}
	if p.Git.Version, err = gitx.Version(ctx); err != nil {
		return Statement{}, err
	}
	return Statement{Type: statementType, PredicateType: PredicateType, Predicate: p,
		Subject: []Subject{{Name: "git:" + string(v.Commit), Digest: map[string]string{"gitCommit": string(v.Commit), "gitTree": string(v.Tree)}}}}, nil
}

// Close ends an accepted task: the close record, the receipt, the journal and
// the end of this worktree's binding become visible together.
func (t *Task) Close(ctx context.Context, v *Verdict, now time.Time, tool Tool) error {
	if !accepted(v.WorkflowStatus) {
		return fmt.Errorf("close of task %s: the gate said %s", t.ID(), v.WorkflowStatus)
	}
	_, err := authority.AppendBuilt(ctx, t.Repo, now, func() (authority.Entry, error) { return t.closeEntry(ctx, v, tool) })
	return err
}

func (t *Task) closeEntry(ctx context.Context, v *Verdict, tool Tool) (authority.Entry, error) {
	e, err := t.gateEntry(ctx, v, tool)
	if err != nil {
		return e, err
	}
	cfg, err := t.Repo.Config(ctx)
	if err != nil {
		return e, err
	}
	rec := t.Link.Record
	rec.Kind, rec.Actor, rec.Signed, rec.Reason = authority.Close, actor(cfg), false, ""
	rec.Commit, rec.Tree, rec.WorkflowStatus = v.Commit, v.Tree, v.WorkflowStatus
	data, err := json.Marshal(map[string]any{"commit": v.Commit, "workflow_status": v.WorkflowStatus})
	if err != nil {
		return e, err
	}
	e.Link = &authority.LinkSpec{Record: rec, Keep: &t.Link, After: t.Chain.Tip().OID}
	e.Unbind = true
	e.Events = append(e.Events, authority.Event{Type: authority.ContractClosed, Revision: rec.Revision, Commit: v.Commit, Data: data})
	return e, nil
}

// Abandon ends a task that will not be finished, with the reason.
func (t *Task) Abandon(ctx context.Context, why string, now time.Time, signed bool) error {
	cfg, err := t.Repo.Config(ctx)
	if err != nil {
		return err
	}
	var sign authority.Sign
	if signed {
		if sign, err = signing(ctx, t.Repo, cfg); err != nil {
			return err
		}
	}
	rec := t.Link.Record
	rec.Kind, rec.Actor, rec.Signed, rec.Reason = authority.Abandon, actor(cfg), false, why
	data, err := json.Marshal(map[string]any{"reason": why})
	if err != nil {
		return err
	}
	_, err = authority.Append(ctx, t.Repo, now, authority.Entry{Task: t.ID(), Unbind: true,
		Link:   &authority.LinkSpec{Record: rec, Keep: &t.Link, After: t.Chain.Tip().OID, Sign: sign},
		Events: []authority.Event{{Type: authority.ContractAbandoned, Revision: rec.Revision, Actor: "human", Data: data}}})
	return err
}

func nonNil(fs []contract.Finding) []contract.Finding {
	if fs == nil {
		return []contract.Finding{}
	}
	return fs
}

// ReceiptVerified tells whether a fresh receipt on the commit was written by a
// gate run of this clone. It is not acceptance: nothing was run again.
func (t *Task) ReceiptVerified(ctx context.Context, commit gitx.Commit) (bool, error) {
	receipt, err := t.freshReceipt(ctx, commit)
	if err != nil || receipt == nil {
		return false, err
	}
	events, err := authority.Events(ctx, t.Repo, t.ID())
	if err != nil {
		return false, err
	}
	for _, g := range gateEvents(events) {
		if g.Commit == commit.OID && accepted(g.WorkflowStatus) && g.Receipt == digest(receipt.Line) {
			return true, nil
		}
	}
	return false, nil
}

func receiptCheck(r check.Result) ReceiptCheck {
	c := ReceiptCheck{ID: r.InternalID, Status: string(r.Status), ExecutionIdentity: r.ExecutionIdentity, Exit: r.ExitCode,
		DurationMS: r.DurationMS, Attempts: r.Attempts, Adapter: r.EvidenceAdapter, Proof: r.Proof, Observations: r.Observations, OutputSHA256: r.OutputSHA256}
	if r.Argv0 != nil {
		c.Argv0 = Tool{Path: r.Argv0.Path, SHA256: r.Argv0.SHA256}
	}
	return c
}

func receiptBaselines(all []check.BaselineResult) []ReceiptBaseline {
	out := []ReceiptBaseline{}
	for _, b := range all {
		r := ReceiptBaseline{ID: b.CheckID, Assertions: map[string]string{}}
		for _, a := range b.Assertions {
			r.Assertions[a.Key] = a.Result
		}
		out = append(out, r)
	}
	return out
}
