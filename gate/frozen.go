package gate

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

// frozenCode is the finding code for a changed file of each kind.
var frozenCode = map[string]string{
	contract.FileContract: "contract_changed_after_compile",
	contract.FileFragment: "contract_changed_after_compile",
	contract.FileConfig:   "contract_changed_after_compile",
	contract.FileSource:   "source_changed_after_compile",
	contract.FileContext:  "context_changed_after_compile",
	contract.FileVerifier: "runner_changed_after_compile",
}

var frozenNoun = map[string]string{
	contract.FileContract: "the contract",
	contract.FileFragment: "this part of the contract",
	contract.FileConfig:   "the configuration",
	contract.FileSource:   "this source",
	contract.FileContext:  "this context file",
	contract.FileVerifier: "this verifier file",
}

// reader gives the bytes of a blob.
type reader func(ctx context.Context, oid gitx.OID) ([]byte, error)

// stored reads a blob of the repository.
func (t *Task) stored(ctx context.Context, oid gitx.OID) ([]byte, error) {
	o, err := t.Repo.Read(ctx, string(oid))
	return o.Data, err
}

// frozenFindings compares the frozen files with what stands at their paths.
// Contract and fragments count by their parsed value, all else by bytes.
func (t *Task) frozenFindings(ctx context.Context, at lookup, read reader) ([]contract.Finding, error) {
	var findings []contract.Finding
	reported := map[string]bool{}
	for _, f := range t.Compiled.Files {
		if reported[f.Path] {
			continue
		}
		what, err := t.frozenDiffers(ctx, f, at, read)
		if err != nil {
			return nil, err
		}
		if what != "" {
			reported[f.Path] = true
			findings = append(findings, t.frozenFinding(f, what))
		}
	}
	absent, err := t.appeared(ctx, at)
	return append(findings, absent...), err
}

// appeared reports files that the contract says must not be there, because
// they would change what a frozen check does.
func (t *Task) appeared(ctx context.Context, at lookup) ([]contract.Finding, error) {
	var findings []contract.Finding
	for _, p := range t.mustBeAbsent() {
		_, there, err := at(ctx, p)
		if err != nil {
			return nil, err
		}
		if there {
			findings = append(findings, contract.Finding{Code: frozenCode[contract.FileVerifier], Level: contract.LevelError, Path: p,
				Message:    fmt.Sprintf("this file must not appear: revision %d of task %s froze its absence", t.Link.Record.Revision, t.ID()),
				RepairHint: fmt.Sprintf("remove the file, or put the change into the authority with: git longtask compile --revise %s", t.Compiled.Workdir),
				Next:       "git longtask compile --revise " + t.Compiled.Workdir})
		}
	}
	return findings, nil
}

// mustBeAbsent lists the paths of all frozen_absent fields, each once.
func (t *Task) mustBeAbsent() []string {
	var all []string
	for _, u := range t.units() {
		all = append(all, u.Check.FrozenAbsent...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// frozenDiffers says in a word how a frozen file differs, "" when it does not.
func (t *Task) frozenDiffers(ctx context.Context, f contract.Frozen, at lookup, read reader) (string, error) {
	frozen, err := t.Link.File(ctx, t.Repo, f.Path)
	if err != nil {
		return "", fmt.Errorf("authority of task %s: frozen file %s: %w", t.ID(), f.Path, err)
	}
	have, ok, err := at(ctx, f.Path)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "is gone", nil
	case have.Mode != gitx.ModeFile && have.Mode != gitx.ModeExec:
		return "is no longer a regular file", nil
	case have.OID == frozen.OID:
		return "", nil
	case f.Kind != contract.FileContract && f.Kind != contract.FileFragment:
		return "differs", nil
	}
	a, err := t.stored(ctx, frozen.OID)
	if err != nil {
		return "", err
	}
	b, err := read(ctx, have.OID)
	if err != nil {
		return "", err
	}
	if contract.CompareValue(a, b) {
		return "", nil
	}
	return "differs", nil
}

func (t *Task) frozenFinding(f contract.Frozen, what string) contract.Finding {
	out := contract.Finding{
		Code: frozenCode[f.Kind], Level: contract.LevelError, Path: f.Path,
		Message:    fmt.Sprintf("%s %s from what revision %d of task %s froze", frozenNoun[f.Kind], what, t.Link.Record.Revision, t.ID()),
		RepairHint: fmt.Sprintf("restore the file, or put the change into the authority with: git longtask compile --revise %s", t.Compiled.Workdir),
		Next:       "git longtask compile --revise " + t.Compiled.Workdir,
	}
	if what == "is gone" {
		out.Message = fmt.Sprintf("%s is gone; revision %d of task %s froze it", frozenNoun[f.Kind], t.Link.Record.Revision, t.ID())
	}
	if len(f.Checks) > 0 {
		out.Refs = map[string]any{"checks": f.Checks}
	}
	return out
}

// addedFrozen reports files that a recompilation freezes and the authority
// does not: a new file under a verification pattern, a new lock file.
func (t *Task) addedFrozen(now *contract.Compiled) []contract.Finding {
	known := map[string]bool{}
	for _, f := range t.Compiled.Files {
		known[f.Path] = true
	}
	var findings []contract.Finding
	for _, f := range now.Files {
		if known[f.Path] {
			continue
		}
		known[f.Path] = true
		out := t.frozenFinding(f, "differs")
		out.Message = fmt.Sprintf("%s would be frozen by the contract, but revision %d of task %s does not know it", frozenNoun[f.Kind], t.Link.Record.Revision, t.ID())
		findings = append(findings, out)
	}
	return findings
}

// FrozenDiffer tells whether any frozen path stands differently in two commits.
func (t *Task) FrozenDiffer(ctx context.Context, a, b gitx.OID) (bool, error) {
	for _, path := range t.mustBeAbsent() {
		_, one, err := inTree(t.Repo, a)(ctx, path)
		if err != nil {
			return false, err
		}
		_, two, err := inTree(t.Repo, b)(ctx, path)
		if err != nil || one != two {
			return one != two, err
		}
	}
	for _, f := range t.Compiled.Files {
		one, ok1, err := inTree(t.Repo, a)(ctx, f.Path)
		if err != nil {
			return false, err
		}
		two, ok2, err := inTree(t.Repo, b)(ctx, f.Path)
		if err != nil {
			return false, err
		}
		if ok1 != ok2 || one.OID != two.OID {
			return true, nil
		}
	}
	return false, nil
}

// Freezes tells whether any of the paths is frozen by the revision in force.
func (t *Task) Freezes(changed map[string]bool) bool {
	for _, f := range t.Compiled.Files {
		if changed[f.Path] {
			return true
		}
	}
	return slices.ContainsFunc(t.mustBeAbsent(), func(p string) bool { return changed[p] })
}

// HeldBy tells whether a commit holds the contract and every other frozen file
// as the revision in force has them.
func (t *Task) HeldBy(ctx context.Context, c gitx.Commit) (bool, error) {
	findings, err := t.frozenFindings(ctx, inTree(t.Repo, c.Tree), t.stored)
	return len(findings) == 0, err
}
