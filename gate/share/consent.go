package share

import (
	"context"
	"fmt"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// fromBase compares the chain with what the base holds. A contract that the
// base does not hold is new in the range, and so are the approvals after the
// newest revision it holds. Where the base names signers, both must be signed
// by one of them; a record's own word for that does not count.
func fromBase(ctx context.Context, repo *gitx.Repo, t *gate.Task, base gitx.Commit, allowUnsigned bool) ([]contract.Finding, error) {
	allowed, err := gate.SignersOf(ctx, repo, base.Tree)
	if err != nil {
		return nil, err
	}
	known, err := t.HeldBy(ctx, base)
	if err != nil {
		return nil, err
	}
	var findings []contract.Finding
	if !known {
		findings = append(findings, contract.Finding{Code: "contract_new_in_range", Level: contract.LevelWarning, Path: t.ContractPath(),
			Message:    fmt.Sprintf("the base does not hold the contract of task %s as the authority froze it; it is new or changed in this range", t.ID()),
			RepairHint: "review the contract, its sources and its verifiers as part of this change"})
	}
	fresh, err := newInRange(ctx, t, base)
	if err != nil {
		return nil, err
	}
	for _, l := range fresh {
		who, err := gate.SignedBy(ctx, repo, l, allowed)
		if err != nil {
			return nil, err
		}
		if who != "" && l.Record.Kind == authority.Lock {
			break // a signed lock stands for the whole contract, whatever was before
		}
		switch {
		case who != "":
		case l.Record.Kind == authority.Approve:
			findings = append(findings, unsignedApproval(t, l, allowUnsigned && allowed == nil))
		case allowed != nil:
			findings = append(findings, contract.Finding{Code: "contract_unsigned", Level: contract.LevelError, Path: t.ContractPath(),
				Message:    fmt.Sprintf("revision %d of task %s is new in this range, and none of the signers that the base names signed its lock", l.Record.Revision, t.ID()),
				RepairHint: "let a signer review the contract and lock it with git longtask compile --sign, after an abandon where it is locked already"})
		}
	}
	return findings, nil
}

// newInRange lists the locks and approvals after the newest revision that the
// base holds, newest first. Between them lie only revisions that the gate
// finds to need nobody.
func newInRange(ctx context.Context, t *gate.Task, base gitx.Commit) ([]authority.Link, error) {
	var fresh []authority.Link
	for i := len(t.Chain.Links) - 1; i >= 0; i-- {
		l := t.Chain.Links[i]
		if k := l.Record.Kind; k == authority.Close || k == authority.Abandon {
			continue
		}
		then, err := t.At(ctx, l)
		if err != nil {
			return nil, err
		}
		held, err := then.HeldBy(ctx, base)
		if err != nil || held {
			return fresh, err
		}
		if l.Record.Kind != authority.Revise {
			fresh = append(fresh, l)
		}
	}
	return fresh, nil
}

func unsignedApproval(t *gate.Task, l authority.Link, allow bool) contract.Finding {
	f := contract.Finding{Code: "approval_unsigned", Level: contract.LevelError,
		Message:    fmt.Sprintf("revision %d of task %s weakens the contract and was approved without a signature that counts here, by %s", l.Record.Revision, t.ID(), l.Record.Actor),
		RepairHint: "let a signer approve it with git longtask approve --sign; where the base names no signers, a reviewer can vouch for it with --allow-unsigned"}
	if allow {
		f.Level = contract.LevelWarning
	}
	return f
}

// abandoned tells that nothing of a task is proved. Where the base names
// signers, one of them must have given it up.
func abandoned(ctx context.Context, repo *gitx.Repo, t *gate.Task, base gitx.Commit) (contract.Finding, error) {
	tip := t.Chain.Tip()
	allowed, err := gate.SignersOf(ctx, repo, base.Tree)
	if err != nil {
		return contract.Finding{}, err
	}
	who, err := gate.SignedBy(ctx, repo, tip, allowed)
	f := contract.Finding{Code: "task_abandoned", Level: contract.LevelWarning,
		Message: fmt.Sprintf("task %s was abandoned by %s: %q; nothing of it is proved", t.ID(), tip.Record.Actor, tip.Record.Reason),
		Refs:    map[string]any{"task": t.ID(), "reason": tip.Record.Reason, "signed": who != ""}}
	if allowed != nil && who == "" {
		f.Level = contract.LevelError
	}
	return f, err
}
