package main

import (
	"context"
	"fmt"
	"sort"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gitx"
)

func preflightCommand() *command {
	return &command{
		Name:        "preflight",
		Group:       groupAuthor,
		Args:        "[<workdir>]",
		Usage:       "check a contract without locking it",
		JSON:        preflightFields{},
		Description: "Compiles the contract as the work tree would commit it and reports every problem at once, each with its place and a repair. It writes nothing and runs nothing. When it says ready, compile succeeds on the same bytes.",
		Examples:    []string{"git longtask preflight", "git longtask preflight plans/login"},
		Run:         runPreflight,
	}
}

// compiled are the fields that preflight and compile share.
type compiledFields struct {
	TaskID         string                  `json:"task_id,omitempty"`
	Workdir        string                  `json:"workdir"`
	Identity       string                  `json:"compiled_identity,omitempty"`
	ContractSHA256 string                  `json:"contract_sha256,omitempty"`
	EffectiveRisk  string                  `json:"effective_risk,omitempty"`
	Outcomes       []string                `json:"outcomes"`
	ClaimCoverage  contract.Coverage       `json:"claim_coverage"`
	SourceCoverage contract.SourceCoverage `json:"source_coverage"`
}

// preflightFields are what preflight adds to the envelope.
type preflightFields struct {
	compiledFields
	Would   bool             `json:"would_create_authority_lock"`
	Preview *revisionPreview `json:"revision_preview,omitempty"`
}

func fieldsOf(d *gate.Draft, workdir string) compiledFields {
	f := compiledFields{Workdir: workdir, Identity: d.Identity(), Outcomes: []string{}, ClaimCoverage: d.Coverage, SourceCoverage: d.Source}
	if c := d.Compiled; c != nil {
		f.TaskID, f.ContractSHA256, f.EffectiveRisk = c.Contract.Task.ID, c.ContractSHA256, c.EffectiveRisk
		for _, o := range c.Contract.Outcomes {
			f.Outcomes = append(f.Outcomes, o.Key)
		}
	}
	return f
}

// draft compiles the contract that is meant. The caller closes the files.
func (inv *invocation) draft(ctx context.Context, workdir string) (*gate.Draft, *gitx.WorkFiles, string, error) {
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	if repo.Bare {
		return nil, nil, "", &decideError{Code: "bare_repository", Message: "a bare repository has no work tree to read a contract from", Hint: "run this in a clone with a work tree"}
	}
	files, err := repo.WorkFiles(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	tree := gate.WorkTree(files)
	dir, err := inv.author(ctx, repo, tree, workdir)
	if err != nil {
		files.Close()
		return nil, nil, "", err
	}
	d, err := gate.Preflight(ctx, repo, tree, dir)
	if err != nil {
		files.Close()
		return nil, nil, "", inv.taskError(ctx, repo, err)
	}
	contract.SortFindings(d.Findings)
	return d, files, dir, nil
}

func runPreflight(ctx context.Context, inv *invocation) (*report, error) {
	d, files, dir, err := inv.draft(ctx, inv.arg(0))
	if err != nil {
		return nil, err
	}
	files.Close()
	fields := preflightFields{fieldsOf(d, dir), d.Would && !contract.Refuses(d.Findings), previewOf(d)}
	if d.Notice != nil {
		d.Findings = append(d.Findings, *d.Notice)
	}
	if contract.Refuses(d.Findings) {
		return notReady(d, dir, fields, "git longtask preflight "+dir), nil
	}
	return &report{Status: "ready", Findings: d.Findings, Fields: fields, Text: func(p *printer) {
		p.line("%s: task %s, %s, %s, risk %s", p.bold("ready"), fields.TaskID, count(len(fields.Outcomes), "outcome"), count(d.Coverage.ClaimsTotal, "claim"), fields.EffectiveRisk)
		p.findings(d.Findings)
		if d.Notice == nil {
			p.next("git longtask compile " + dir)
		}
	}}, nil
}

// notReady is the refusal of preflight and compile.
func notReady(d *gate.Draft, dir string, fields any, again string) *report {
	return &report{Status: "not_ready", Exit: exitRefused, Findings: d.Findings, Fields: fields, Text: func(p *printer) {
		p.line("%s: %s in %s", p.red("not ready"), count(problems(d.Findings), "problem"), dir)
		p.line("")
		p.findings(d.Findings)
		p.line("")
		p.line("fix %s, then: %s", theseOrIt(problems(d.Findings)), again)
	}}
}

func problems(fs []contract.Finding) int {
	n := 0
	for _, f := range fs {
		if f.Level != contract.LevelWarning {
			n++
		}
	}
	return n
}

func theseOrIt(n int) string {
	if n == 1 {
		return "it"
	}
	return "these"
}

// count is "1 outcome", "2 outcomes", "2 criteria".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if noun == "criterion" {
		return fmt.Sprintf("%d criteria", n)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// arg is positional argument i, "" when it was not given.
func (inv *invocation) arg(i int) string {
	if i < len(inv.Args) {
		return inv.Args[i]
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
