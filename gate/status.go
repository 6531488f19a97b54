package gate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// Status is where a task stands, read without running anything. Names are
// those of spec/cli.md and reference/lifecycle-v2.md.
type Status struct {
	TaskID                string                          `json:"task_id"`
	Title                 string                          `json:"title"`
	Workdir               string                          `json:"workdir"`
	Revision              int                             `json:"authority_revision"`
	Identity              string                          `json:"compiled_identity"`
	EffectiveRisk         string                          `json:"effective_risk"`
	Branch                string                          `json:"branch"`
	OnBranch              bool                            `json:"on_branch"`
	BaseCommit            gitx.OID                        `json:"base_commit"`
	Head                  gitx.OID                        `json:"head"`
	Clean                 bool                            `json:"clean"`
	AcceptanceAuthority   string                          `json:"acceptance_authority"`
	FinalResult           string                          `json:"final_result"`
	FinalWorkflowStatus   *string                         `json:"final_workflow_status"`
	ReceiptTrust          string                          `json:"receipt_trust,omitempty"`
	ExternalConfirmations []contract.ExternalConfirmation `json:"external_confirmations"`
	Outcomes              map[string]string               `json:"outcomes"`
	Checks                map[string]string               `json:"checks"`
	ReadyOutcomes         []string                        `json:"ready_outcomes"`
	NeedsReverify         []string                        `json:"needs_reverify"`
	ProgressPassing       []string                        `json:"progress_passing"`
	ProgressFailing       []string                        `json:"progress_failing"`
	SameTreeAs            gitx.OID                        `json:"same_tree_as,omitempty"`
	LastGate              *GateEvent                      `json:"last_gate,omitempty"`
	Approvals             []Approval                      `json:"approvals"`
	PendingRevision       *PendingRevision                `json:"pending_revision,omitempty"`
	Findings              []contract.Finding              `json:"-"`
}

// GateEvent is the data of a gate.ended event.
type GateEvent struct {
	Commit         gitx.OID           `json:"commit"`
	Tree           gitx.OID           `json:"tree"`
	Identity       string             `json:"identity"`
	WorkflowStatus string             `json:"workflow_status"`
	Receipt        string             `json:"receipt,omitempty"` // SHA-256 of the note's line
	Findings       []contract.Finding `json:"findings"`
	Time           string             `json:"-"`
}

// Status reads the state of the task against HEAD and the work tree.
func (t *Task) Status(ctx context.Context) (*Status, error) {
	rec := t.Link.Record
	s := &Status{TaskID: t.ID(), Title: t.Compiled.Contract.Task.Title, Workdir: rec.Workdir, Revision: rec.Revision, Identity: rec.Identity,
		EffectiveRisk: t.Compiled.EffectiveRisk, Branch: t.Marker.Branch, BaseCommit: rec.BaseCommit,
		AcceptanceAuthority: "live_final_gate_required", ExternalConfirmations: []contract.ExternalConfirmation{}}
	var err error
	if err = t.statusOfRevisions(ctx, s); err != nil {
		return nil, err
	}
	if s.OnBranch, err = t.Marker.OnBranch(ctx, t.Repo, rec.BaseCommit); err != nil {
		return nil, err
	}
	dirty, err := t.Repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	s.Clean = len(dirty) == 0
	head, err := t.Repo.Commit(ctx, "HEAD")
	if err != nil {
		return nil, fmt.Errorf("HEAD: %w", err)
	}
	s.Head = head.OID
	now, err := t.contentNow(ctx, head.Tree, dirty)
	if err != nil {
		return nil, err
	}
	events, err := authority.Events(ctx, t.Repo, t.ID())
	if err != nil {
		return nil, err
	}
	if err := t.statusOfGate(ctx, s, head, events); err != nil {
		return nil, err
	}
	if err := t.statusOfOutcomes(ctx, s, events, now); err != nil {
		return nil, err
	}
	return s, t.statusFindings(ctx, s, head, now)
}

// statusOfGate fills in what the last gate and a fresh receipt say.
func (t *Task) statusOfGate(ctx context.Context, s *Status, head gitx.Commit, events []authority.Event) error {
	s.FinalResult = "no_final_gate"
	for _, e := range gateEvents(events) {
		last := e
		s.LastGate = &last
		if e.Tree == head.Tree && e.Commit != head.OID && accepted(e.WorkflowStatus) && e.Identity == s.Identity {
			s.SameTreeAs = e.Commit
		}
	}
	if g := s.LastGate; g != nil {
		switch {
		case g.Commit != head.OID || g.Identity != s.Identity || !s.Clean:
			s.FinalResult = "last_gate_inputs_stale"
		case accepted(g.WorkflowStatus):
			s.FinalResult = "last_gate_passed"
		case g.WorkflowStatus == BlockedExternal:
			s.FinalResult = "last_gate_blocked"
		default:
			s.FinalResult = "last_gate_failed"
		}
	}
	receipt, err := t.freshReceipt(ctx, head)
	if err != nil || receipt == nil || !s.Clean || refusedHere(events, head.OID, s.Identity) {
		return err
	}
	s.SameTreeAs = ""
	s.FinalWorkflowStatus = &receipt.Predicate.WorkflowStatus
	s.ExternalConfirmations = t.externalConfirmations()
	s.ReceiptTrust = "unsigned"
	return nil
}

// refusedHere tells whether the last gate that this clone ran on a commit
// refused it: a receipt that says otherwise is from elsewhere or forged.
func refusedHere(events []authority.Event, commit gitx.OID, identity string) bool {
	refused := false
	for _, g := range gateEvents(events) {
		if g.Commit == commit && g.Identity == identity {
			refused = g.WorkflowStatus == NeedsWork
		}
	}
	return refused
}

// gateEvents are the gate runs in the journal, oldest first.
func gateEvents(events []authority.Event) []GateEvent {
	var out []GateEvent
	for _, e := range events {
		if e.Type != authority.GateEnded {
			continue
		}
		var g GateEvent
		if json.Unmarshal(e.Data, &g) == nil {
			g.Time = e.Time
			out = append(out, g)
		}
	}
	return out
}

// freshReceipt is the receipt that speaks for this commit under the revision
// in force, nil when there is none.
func (t *Task) freshReceipt(ctx context.Context, commit gitx.Commit) (*Statement, error) {
	receipts, err := Receipts(ctx, t.Repo, commit.OID)
	if err != nil {
		return nil, err
	}
	for i := range receipts {
		p := receipts[i].Predicate
		if p.Task == t.ID() && p.Identity == t.Link.Record.Identity && p.Revision == t.Link.Record.Revision &&
			accepted(p.WorkflowStatus) && receipts[i].Subject[0].Digest["gitTree"] == string(commit.Tree) &&
			t.Chain.State() != "abandoned" {
			return &receipts[i], nil
		}
	}
	return nil, nil
}

func (t *Task) externalConfirmations() []contract.ExternalConfirmation {
	return append([]contract.ExternalConfirmation{}, t.Compiled.Contract.Global.Acceptance.ExternalConfirmations...)
}

func (t *Task) statusOfOutcomes(ctx context.Context, s *Status, events []authority.Event, now *content) error {
	last := lastProgress(events)
	s.Outcomes, s.Checks = map[string]string{}, map[string]string{}
	perOutcome := map[string][]string{}
	for _, u := range t.units() {
		state, err := t.checkState(ctx, u, last, now)
		if err != nil {
			return err
		}
		if s.FinalWorkflowStatus != nil {
			state = ProgressPassing
		}
		s.Checks[u.ID] = state
		if u.Outcome != "" {
			perOutcome[u.Outcome] = append(perOutcome[u.Outcome], state)
		}
	}
	s.ReadyOutcomes, s.NeedsReverify, s.ProgressPassing, s.ProgressFailing = []string{}, []string{}, []string{}, []string{}
	for _, o := range t.Compiled.Contract.Outcomes {
		s.Outcomes[o.Key] = outcomeState(perOutcome[o.Key])
	}
	for _, o := range t.Compiled.Contract.Outcomes {
		s.sortOutcome(o)
	}
	return nil
}

// sortOutcome puts an outcome into the lists; one that waits for another
// outcome and was not verified is blocked by it.
func (s *Status) sortOutcome(o contract.Outcome) {
	ready := true
	for _, d := range o.DependsOn {
		ready = ready && s.Outcomes[d] == ProgressPassing
	}
	switch s.Outcomes[o.Key] {
	case ProgressPassing:
		s.ProgressPassing = append(s.ProgressPassing, o.Key)
		return
	case ProgressFailing:
		s.ProgressFailing = append(s.ProgressFailing, o.Key)
	case ProgressStale:
		s.NeedsReverify = append(s.NeedsReverify, o.Key)
	case Unverified:
		if !ready {
			s.Outcomes[o.Key] = BlockedByDepends
		}
	}
	if ready {
		s.ReadyOutcomes = append(s.ReadyOutcomes, o.Key)
	}
}

// statusFindings reports what the gate would refuse without running a check:
// frozen files and scope, of the content as it is now.
func (t *Task) statusFindings(ctx context.Context, s *Status, head gitx.Commit, now *content) error {
	frozen, err := t.frozenFindings(ctx, now.at, now.read)
	if err != nil {
		return err
	}
	s.Findings = frozen
	base, problem, err := movingBase(ctx, t.Repo, t.Link.Record, line{Commit: head.OID, Growing: !s.Clean, Integration: t.Link.Record.IntegrationRef})
	if err != nil {
		return err
	}
	if problem != nil {
		s.Findings = append(s.Findings, *problem)
		return nil
	}
	changes, err := now.since(ctx, base)
	if err != nil {
		return err
	}
	s.Findings = append(s.Findings, t.scopeFindings(changes, paths(frozen))...)
	return nil
}

// accepted tells whether a workflow status says that the machine's part is
// done.
func accepted(status string) bool {
	return status == MachineAccepted || status == MachineAcceptedPending
}

// LastVerdict is the workflow status of the newest gate run in this clone's
// journal, "" when there was none.
func LastVerdict(ctx context.Context, repo *gitx.Repo, task string) (string, error) {
	events, err := authority.Events(ctx, repo, task)
	if err != nil {
		return "", err
	}
	gates := gateEvents(events)
	if len(gates) == 0 {
		return "", nil
	}
	return gates[len(gates)-1].WorkflowStatus, nil
}

// Publication tells whether a chain's newest record was seen on a remote, and
// where it would go.
type Publication struct {
	Done   bool
	Remote string // "" when there is no remote to publish to
}

// Published asks the copies of the last sync; the network is not asked.
func Published(ctx context.Context, repo *gitx.Repo, chain *authority.Chain) (Publication, error) {
	cfg, err := repo.Config(ctx)
	if err != nil {
		return Publication{}, err
	}
	var p Publication
	for _, remote := range cfg.Remotes() {
		if p.Remote == "" || remote == "origin" {
			p.Remote = remote
		}
		if tip, err := repo.Ref(ctx, authority.PublishedRef(remote, chain.Task)); err == nil && tip == chain.Tip().OID {
			return Publication{Done: true, Remote: remote}, nil
		}
	}
	return p, nil
}

// Next is the command that brings the task on.
func (s *Status) Next() string {
	switch {
	case s.FinalWorkflowStatus != nil:
		return "git longtask close"
	case contract.Refuses(s.Findings):
		return "git longtask scope"
	case len(s.ProgressFailing) > 0:
		return "git longtask verify --outcome " + s.ProgressFailing[0]
	case len(s.ReadyOutcomes) > 0:
		return "git longtask verify --outcome " + s.ReadyOutcomes[0]
	case !s.Clean:
		return "commit, then git longtask final-gate"
	}
	return "git longtask final-gate"
}
