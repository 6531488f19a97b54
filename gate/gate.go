package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gate/check"
	"github.com/git-longtask/git-longtask/gitx"
)

// Results of the Final Gate, from spec/evidence.md.
const (
	MachineAccepted        = "machine_accepted"
	MachineAcceptedPending = "machine_accepted_external_pending"
	NeedsWork              = "needs_work"
)

// Request says what the Final Gate judges and how.
type Request struct {
	Commit      gitx.OID
	WorkTree    bool   // Commit is HEAD: the work tree must be clean, and stay so
	Integration string // ref the moving base is found with; "" is the recorded one
	Fresh       bool   // a HOME of its own for the checks, as in CI
	Jobs        int    // read_only checks at once; 0 is the number of cores
	Progress    func(check.Event)
}

// Verdict is what one gate run found. Field names are the receipt's and those
// of reference/lifecycle-v2.md.
type Verdict struct {
	TaskID                string                          `json:"task_id"`
	Revision              int                             `json:"authority_revision"`
	Identity              string                          `json:"compiled_identity"`
	ContractSHA256        string                          `json:"contract_sha256"`
	Commit                gitx.OID                        `json:"git_head"`
	Tree                  gitx.OID                        `json:"git_tree"`
	Subject               string                          `json:"subject"`
	BaseCommit            gitx.OID                        `json:"base_commit"`
	ScopeBase             gitx.OID                        `json:"scope_base,omitempty"`
	ScopePaths            int                             `json:"scope_paths"`
	WorkflowStatus        string                          `json:"workflow_status"`
	NotRun                bool                            `json:"not_run"`
	OutcomeResults        map[string]string               `json:"outcome_results"`
	CheckResults          []check.Result                  `json:"check_results"`
	Counterfactuals       []check.CounterfactualResult    `json:"counterfactuals"`
	Baselines             []check.BaselineResult          `json:"baselines"`
	ExternalConfirmations []contract.ExternalConfirmation `json:"external_confirmations"`
	Receipt               string                          `json:"receipt,omitempty"` // SHA-256 of the note's line
	Findings              []contract.Finding              `json:"-"`

	criteria []Criterion
}

// ErrDirty says that the work tree is not the commit it was to be judged as.
var ErrDirty = errors.New("final_gate_requires_clean_candidate_commit")

// candidate is the commit being judged.
type candidate struct {
	commit gitx.Commit
	list   *listing
	places contract.Result // recompiled from the commit: where things stand
}

// Gate judges one commit against the whole contract, reusing nothing. It
// records nothing; Record does. An error means that it could not decide.
func (t *Task) Gate(ctx context.Context, req Request) (*Verdict, error) {
	commit, err := t.Repo.Commit(ctx, string(req.Commit))
	if err != nil {
		return nil, fmt.Errorf("commit %s: %w", req.Commit.Short(), err)
	}
	v := t.newVerdict(commit)
	l, dirty, err := t.look(ctx, commit, req)
	if err != nil {
		return nil, err
	}
	if len(dirty) > 0 {
		v.Findings = []contract.Finding{dirtyFinding(dirty)}
		return v.decide(t), nil
	}
	c := &candidate{commit: commit, list: l}
	v.Findings, err = t.sameAuthority(ctx, c)
	if errors.Is(err, gitx.ErrMissing) {
		if err = t.Repo.FetchMissing(ctx, commit.Tree); err == nil {
			v.Findings, err = t.sameAuthority(ctx, c)
		}
	}
	if err != nil || contract.Refuses(v.Findings) {
		return v.decide(t), err
	}
	if err := t.judgeScope(ctx, v, c, req); err != nil {
		return nil, err
	}
	if err := t.judgeChecks(ctx, v, c, req); err != nil {
		return nil, err
	}
	if err := t.stillTrue(ctx, v, req); err != nil {
		return nil, err
	}
	return v.decide(t), nil
}

// look lists the commit and, when the work tree counts, what is dirty in it;
// both at once, since each is one git child over all files.
func (t *Task) look(ctx context.Context, commit gitx.Commit, req Request) (*listing, []gitx.StatusEntry, error) {
	var l *listing
	listed := make(chan error, 1)
	go func() {
		var err error
		l, err = list(ctx, t.Repo, commit.Tree)
		listed <- err
	}()
	var dirty []gitx.StatusEntry
	var err error
	if req.WorkTree {
		dirty, err = t.Repo.Status(ctx)
	}
	err = errors.Join(<-listed, err)
	return l, dirty, err
}

func (t *Task) newVerdict(c gitx.Commit) *Verdict {
	rec := t.Link.Record
	return &Verdict{TaskID: t.ID(), Revision: rec.Revision, Identity: rec.Identity, ContractSHA256: t.Compiled.ContractSHA256,
		Commit: c.OID, Tree: c.Tree, Subject: c.Subject, BaseCommit: rec.BaseCommit, NotRun: true,
		OutcomeResults: map[string]string{}, CheckResults: []check.Result{}, Counterfactuals: []check.CounterfactualResult{}, Baselines: []check.BaselineResult{},
		ExternalConfirmations: []contract.ExternalConfirmation{}}
}

func dirtyFinding(dirty []gitx.StatusEntry) contract.Finding {
	var names []string
	for _, d := range dirty {
		names = append(names, d.Path)
	}
	return contract.Finding{Code: ErrDirty.Error(), Level: contract.LevelError, Path: names[0],
		Message:    fmt.Sprintf("the work tree differs from HEAD (staged, changed or untracked: %d); the gate judges commits only", len(names)),
		RepairHint: "commit the changes, or put them aside with git stash -u, or judge a commit as it is with --commit",
		Refs:       map[string]any{"paths": names}}
}

// sameAuthority is steps 1 to 3: each protected revision was approved, and the
// contract recompiled from the commit, and every frozen file, are what the
// authority holds. Any finding ends the gate, because nothing after it would
// mean anything.
func (t *Task) sameAuthority(ctx context.Context, c *candidate) ([]contract.Finding, error) {
	if findings, err := t.Unapproved(ctx); err != nil || len(findings) > 0 {
		return findings, err
	}
	contractPath := t.ContractPath()
	if _, ok, _ := c.list.lookup(ctx, contractPath); !ok {
		return []contract.Finding{{Code: "contract_not_in_commit", Level: contract.LevelError, Path: contractPath,
			Message:    fmt.Sprintf("commit %s does not hold the contract of task %s", c.commit.OID.Short(), t.ID()),
			RepairHint: "commit the contract and its sources with the work", Next: "git add " + t.Compiled.Workdir}}, nil
	}
	findings, err := t.frozenFindings(ctx, c.list.lookup, t.stored)
	if err != nil {
		return nil, err
	}
	c.places = contract.Compile(ctx, c.list.contractTree(t.Repo), contract.Options{Workdir: t.Compiled.Workdir})
	if len(findings) > 0 {
		return findings, nil
	}
	if contract.Refuses(c.places.Findings) || c.places.Compiled == nil {
		return c.places.Findings, nil
	}
	findings = t.addedFrozen(c.places.Compiled)
	data, err := c.places.Compiled.Canonical()
	if err != nil {
		return nil, err
	}
	if len(findings) == 0 && contract.Identity(data) != t.Link.Record.Identity {
		findings = append(findings, contract.Finding{Code: "contract_changed_after_compile", Level: contract.LevelError, Path: contractPath,
			Message:    fmt.Sprintf("what the contract in commit %s compiles to is not revision %d of task %s, though no frozen file differs", c.commit.OID.Short(), t.Link.Record.Revision, t.ID()),
			RepairHint: "another version of git-longtask may have locked it; compare with git longtask version"})
	}
	return findings, nil
}

// ContractPath is the contract file, repository relative.
func (t *Task) ContractPath() string {
	for _, f := range t.Compiled.Files {
		if f.Kind == contract.FileContract {
			return f.Path
		}
	}
	return t.Compiled.Workdir + "/delivery-contract.yaml"
}

// judgeScope is step 4.
func (t *Task) judgeScope(ctx context.Context, v *Verdict, c *candidate, req Request) error {
	integration := req.Integration
	if integration == "" {
		integration = t.Link.Record.IntegrationRef
	}
	base, problem, err := movingBase(ctx, t.Repo, t.Link.Record, line{Commit: c.commit.OID, Integration: integration})
	if err != nil {
		return err
	}
	if problem != nil {
		v.Findings = append(v.Findings, *problem)
		return nil
	}
	v.ScopeBase = base
	changes, err := t.Repo.DiffTrees(ctx, base, c.commit.Tree)
	if err != nil {
		return err
	}
	v.ScopePaths = len(changes)
	v.Findings = append(v.Findings, t.scopeFindings(changes, nil)...)
	links, err := t.symlinkFindings(ctx, changes, c.list.lookup)
	v.Findings = append(v.Findings, links...)
	return err
}

// stillTrue is steps 9 and 10: the work tree that was looked at and the
// authority are what they were when the gate began.
func (t *Task) stillTrue(ctx context.Context, v *Verdict, req Request) error {
	if req.WorkTree {
		head, err := t.Repo.Resolve(ctx, "HEAD")
		if err != nil {
			return err
		}
		dirty, err := t.Repo.Status(ctx)
		if err != nil {
			return err
		}
		if head != req.Commit || len(dirty) > 0 {
			v.Findings = append(v.Findings, contract.Finding{Code: "workspace_changed_during_final_gate", Level: contract.LevelError,
				Message: "HEAD or the work tree changed while the gate ran", RepairHint: "run the gate again when nothing else writes here", Next: "git longtask final-gate"})
		}
	}
	chain, err := authority.LoadRef(ctx, t.Repo, t.ID(), t.Chain.Ref)
	if err != nil {
		return err
	}
	if chain.Tip().OID != t.Chain.Tip().OID {
		v.Findings = append(v.Findings, contract.Finding{Code: "active_authority_changed_during_final_gate", Level: contract.LevelError,
			Message: fmt.Sprintf("the authority of task %s got a new record while the gate ran", t.ID()), RepairHint: "run the gate again", Next: "git longtask final-gate"})
	}
	return nil
}

// decide folds the findings and results into the workflow status.
func (v *Verdict) decide(t *Task) *Verdict {
	blocked, refused := false, false
	for _, f := range v.Findings {
		switch {
		case f.Level == contract.LevelWarning:
		case f.Code == BlockedExternal:
			blocked = true
		default:
			refused = true
		}
	}
	v.outcomes(t)
	switch {
	case refused || v.NotRun:
		v.WorkflowStatus = NeedsWork
	case blocked:
		v.WorkflowStatus = BlockedExternal
	case len(t.Compiled.Contract.Global.Acceptance.ExternalConfirmations) > 0:
		v.WorkflowStatus, v.ExternalConfirmations = MachineAcceptedPending, t.externalConfirmations()
	default:
		v.WorkflowStatus = MachineAccepted
	}
	return v
}

// Accepted tells whether the machine's part is done on the commit.
func (v *Verdict) Accepted() bool { return accepted(v.WorkflowStatus) }
