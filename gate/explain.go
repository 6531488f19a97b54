package gate

import (
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
)

// Matrix is who proves what: from source item over claim and assertion to the
// check that runs. Names are those of reference/contract-v2.md.
type Matrix struct {
	TaskID         string                  `json:"task_id,omitempty"`
	Workdir        string                  `json:"workdir"`
	Authority      string                  `json:"authority"` // draft: the work tree; locked: the revision in force
	Revision       int                     `json:"authority_revision,omitempty"`
	Claims         []ClaimRow              `json:"claims"`
	SourceItems    []SourceRow             `json:"source_items"`
	Coverage       contract.Coverage       `json:"coverage"`
	SourceCoverage contract.SourceCoverage `json:"source_coverage"`
}

// ClaimRow is one claim and its proofs.
type ClaimRow struct {
	Claim       string   `json:"claim"` // OUTCOME.<outcome>.<claim> or GLOBAL.<claim>
	Covered     bool     `json:"covered"`
	Checks      []string `json:"checks"`
	Assertions  []string `json:"assertions"` // <check>.<assertion>
	Polarity    []string `json:"polarity"`
	Surfaces    []string `json:"proof_surfaces"`
	Missing     []string `json:"missing_surfaces"`
	StrictFacts []string `json:"strict_risk_obligations"` // risk facts that ask for strict proof of its outcome
	Path        string   `json:"path,omitempty"`
	Line        int      `json:"line,omitempty"`

	unit, local string
}

// SourceRow is one marked item of a source and where it went.
type SourceRow struct {
	Key         string                `json:"key"`
	Kind        string                `json:"kind"`
	Path        string                `json:"source_path"`
	Text        string                `json:"normalized_text"`
	SHA256      string                `json:"text_sha256"`
	Ref         string                `json:"source_ref,omitempty"`
	Disposition *contract.Disposition `json:"disposition"` // null where nothing maps it
	Links       []string              `json:"links"`       // ids of claims and assertions it leads to
}

// Explain is the matrix of a draft.
func (d *Draft) Explain(workdir string) *Matrix {
	return matrix(d.Result, workdir, "draft")
}

// Explain is the matrix of the revision in force, read from the frozen files
// alone.
func (t *Task) Explain(ctx context.Context) (*Matrix, error) {
	files, err := t.Repo.Entry(ctx, t.Link.Tree, "files")
	if err != nil {
		return nil, err
	}
	l, err := list(ctx, t.Repo, files.OID)
	if err != nil {
		return nil, err
	}
	r := contract.Compile(ctx, l.contractTree(t.Repo), contract.Options{Workdir: t.Compiled.Workdir})
	r.Compiled = t.Compiled
	m := matrix(r, t.Compiled.Workdir, "locked")
	m.Revision = t.Link.Record.Revision
	return m, nil
}

func matrix(r contract.Result, workdir, authority string) *Matrix {
	m := &Matrix{Workdir: workdir, Authority: authority, Claims: []ClaimRow{}, SourceItems: []SourceRow{}, Coverage: r.Coverage, SourceCoverage: r.Source}
	order := map[string]int{"GLOBAL": -1}
	if r.Compiled != nil {
		m.TaskID = r.Compiled.Contract.Task.ID
		for i, o := range r.Compiled.Contract.Outcomes {
			order[o.Key] = i
		}
		m.SourceItems = sourceRows(r.Compiled)
	}
	add := func(unit string, claims map[string]contract.ClaimCoverage) {
		for local, c := range claims {
			m.Claims = append(m.Claims, claimRow(r, unit, local, c))
		}
	}
	add("GLOBAL", r.Coverage.ClaimsByGlobal)
	for outcome, claims := range r.Coverage.ClaimsByOutcome {
		add(outcome, claims)
	}
	sort.Slice(m.Claims, func(i, j int) bool {
		a, b := m.Claims[i], m.Claims[j]
		switch {
		case order[a.unit] != order[b.unit]:
			return order[a.unit] < order[b.unit]
		case a.unit != b.unit:
			return a.unit < b.unit
		case a.Line != b.Line:
			return a.Line < b.Line
		}
		return a.local < b.local
	})
	return m
}

func claimRow(r contract.Result, unit, local string, c contract.ClaimCoverage) ClaimRow {
	row := ClaimRow{Claim: claimID(unit, local), Covered: c.Covered, Checks: []string{}, Assertions: []string{}, Polarity: []string{},
		Surfaces: c.CoveredSurfaces, Missing: c.MissingSurfaces, StrictFacts: []string{}, unit: unit, local: local}
	once := func(to *[]string, s string) {
		if !slices.Contains(*to, s) {
			*to = append(*to, s)
		}
	}
	for _, p := range c.Proofs {
		once(&row.Checks, p.CheckKey)
		once(&row.Polarity, p.Polarity)
		if p.AssertionKey != "" {
			once(&row.Assertions, p.CheckKey+"."+p.AssertionKey)
		}
	}
	if r.Compiled != nil {
		for _, reason := range r.Compiled.RiskReasons {
			if fact, outcome, _ := strings.Cut(reason, ":"); outcome == unit {
				row.StrictFacts = append(row.StrictFacts, fact)
			}
		}
	}
	row.Path, row.Line, _ = r.Position("claim:" + unit + "." + local)
	return row
}

func claimID(unit, local string) string {
	if unit == "GLOBAL" {
		return "GLOBAL." + local
	}
	return "OUTCOME." + unit + "." + local
}

func sourceRows(c *contract.Compiled) []SourceRow {
	mapped := map[string]contract.SourceClaim{}
	for _, s := range c.Contract.SourceClaims {
		mapped[s.Key] = s
	}
	rows := []SourceRow{}
	for _, item := range c.SourceItems {
		row := SourceRow{Key: item.Key, Kind: item.Kind, Path: item.Path, Text: item.Text, SHA256: digest([]byte(item.Text)), Links: []string{}}
		if s, ok := mapped[item.Key]; ok {
			row.Ref, row.Disposition, row.Links = s.SourceRef, &s.Disposition, links(s.Disposition)
		}
		rows = append(rows, row)
	}
	return rows
}

// links are the ids of what a source item is mapped to.
func links(d contract.Disposition) []string {
	out := []string{}
	for _, ref := range append(append([]string{}, d.Refs...), d.Ref) {
		if ref == "" {
			continue
		}
		unit, local, _ := strings.Cut(ref, ".")
		switch d.Type {
		case "claim", "outcome_result":
			ref = claimID(unit, local)
		case "global_constraint":
			ref = claimID("GLOBAL", strings.TrimPrefix(ref, "GLOBAL."))
		case "acceptance":
			ref = "CHECK." + ref
		}
		out = append(out, ref)
	}
	return out
}
