package rules

import (
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/source"
)

// kindDispositions are the legal mappings of each marker kind.
var kindDispositions = map[string][]string{
	"outcome_result": {"outcome_result"}, "requirement": {"claim"}, "control": {"claim"}, "non_completing": {"claim"},
	"technical_obligation": {"claim", "global_constraint"}, "forbidden_shortcut": {"claim", "global_constraint"},
	"non_goal": {"global_constraint"}, "acceptance": {"acceptance"}, "risk_fact": {"risk_fact"},
	"external_confirmation": {"external_confirmation"}, "decision": {"decision_required"},
}

// mapper follows source claims to what they are mapped to.
type mapper struct {
	*checker
	items   map[string]*source.Item
	broken  bool // an item's key could not be read, so none is known to be absent
	partial bool // an item is broken, so what the source asks for is not known
	owners  map[string]string
	backed  map[string]bool     // full claim ids that a source item owns
	trouble map[string][]string // ref -> codes of findings about it
}

// Sources checks that source claims and marked items correspond, and that each
// claim is mapped to one part of the contract that says the same.
func Sources(g *Graph, items []source.Item) (model.SourceCoverage, []model.Finding) {
	m := &mapper{checker: &checker{Graph: g}, items: map[string]*source.Item{}, owners: map[string]string{}, backed: map[string]bool{}, trouble: map[string][]string{}}
	for i := range items {
		item := &items[i]
		m.broken = m.broken || item.Key == ""
		m.partial = m.partial || item.Broken
		if m.items[item.Key] == nil {
			m.items[item.Key] = item
		}
	}
	cov := model.SourceCoverage{Unresolved: []string{}}
	if g.Doc.Broken["source_claims"] || g.Doc.Broken["task"] {
		return cov, nil
	}
	claims := g.Contract.SourceClaims
	if len(claims) == 0 || len(g.Contract.Task.SourcePaths) == 0 {
		m.fail("source_authority_required", []any{"source_claims"}, nil, "mark the user's text with source items, list its file in task.source_paths and map each item here", "the contract is bound to no source")
	}
	m.unmapped(items)
	clean := make([]bool, len(claims))
	for i, s := range claims {
		before := len(m.findings)
		m.item(s, i)
		m.mapping(s, i)
		m.target(s, i)
		clean[i] = len(m.findings) == before
		m.note(s, m.findings[before:])
	}
	for i, s := range claims {
		before := len(m.findings)
		m.acceptanceBacked(s, i)
		count(&cov, s, clean[i] && len(m.findings) == before)
	}
	return cov, m.findings
}

// note remembers what is wrong with the refs of a claim.
func (m *mapper) note(s model.SourceClaim, findings []model.Finding) {
	for _, ref := range append([]string{s.Disposition.Ref}, s.Disposition.Refs...) {
		for _, f := range findings {
			if ref != "" && !slices.Contains(m.trouble[ref], f.Code) {
				m.trouble[ref] = append(m.trouble[ref], f.Code)
			}
		}
	}
}

func count(cov *model.SourceCoverage, s model.SourceClaim, clean bool) {
	cov.Total++
	if s.Disposition.Type == "decision_required" {
		cov.DecisionRequired++
	}
	if !clean {
		cov.Unresolved = append(cov.Unresolved, s.Key)
		return
	}
	cov.Resolved++
	switch s.Disposition.Type {
	case "claim":
		cov.MappedToProductClaims++
	case "acceptance":
		cov.MappedToAcceptance++
	case "outcome_result":
		cov.MappedToOutcomeResults++
	case "global_constraint":
		cov.MappedToGlobalConstraints++
	case "risk_fact":
		cov.MappedToRiskFacts++
	case "external_confirmation":
		cov.MappedToExternalConfirmations++
	}
}

func claimRefs(s model.SourceClaim, pairs ...any) map[string]any {
	m := map[string]any{"source_claim": s.Key, "source": s.SourceRef}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

// unmapped reports marked items without a claim, at the item.
func (m *mapper) unmapped(items []source.Item) {
	claimed := map[string]bool{}
	for _, s := range m.Contract.SourceClaims {
		claimed[s.Key] = true
	}
	for _, item := range items {
		if !item.Broken && !claimed[item.Key] {
			place := model.Place{Path: item.Path, Line: item.Line, Column: 1}
			f := place.Errorf("source_item_unmapped", "add an entry with key: "+item.Key+" to source_claims", "the item %q (%s) has no source_claims entry", item.Key, item.Kind)
			f.Refs = map[string]any{"source": item.Path, "item": item.Key}
			m.findings = append(m.findings, f)
		}
	}
}

// item compares a claim with the marked item of its key.
func (m *mapper) item(s model.SourceClaim, i int) {
	way := []any{"source_claims", i}
	file, _, _ := strings.Cut(s.SourceRef, "#")
	if !slices.Contains(m.Contract.Task.SourcePaths, file) {
		m.fail("source_claim_ref_unknown", extend(way, "source_ref"), claimRefs(s), "name a file of task.source_paths, or add it there", "%q is not among task.source_paths", file)
	}
	item := m.items[s.Key]
	switch {
	case item == nil && !m.broken:
		m.fail("source_claim_item_unknown", extend(way, "key"), claimRefs(s), "mark the text with key="+s.Key+", or remove the entry", "no source item has the key %q", s.Key)
		return
	case item == nil || item.Broken:
		return // the marker was reported
	}
	if item.Path != file {
		m.fail("source_claim_item_file_mismatch", extend(way, "source_ref"), claimRefs(s, "actual", item.Path), "write source_ref: "+item.Path, "the item %q is marked in %s, not in %s", s.Key, item.Path, file)
	}
	if source.Normalise(s.Statement) != item.Text {
		m.fail("source_claim_statement_mismatch", extend(way, "statement"), claimRefs(s, "expected", item.Text, "actual", s.Statement), "copy the marked text exactly, or leave statement out",
			"the statement differs from the marked text at %s:%d%s", item.Path, item.Line, difference(item.Text, source.Normalise(s.Statement)))
	}
	if legal := kindDispositions[item.Kind]; !slices.Contains(legal, s.Disposition.Type) {
		m.fail("source_item_disposition_mismatch", extend(way, "disposition", "type"), claimRefs(s, "kind", item.Kind, "expected", legal), "use "+strings.Join(legal, " or ")+", or change the kind of the marker",
			"an item of kind %s cannot be mapped as %s", item.Kind, s.Disposition.Type)
	}
}

// difference shows where two texts part; texts that look alike are common.
func difference(want, have string) string {
	w, h := []rune(want), []rune(have)
	i := 0
	for i < len(w) && i < len(h) && w[i] == h[i] {
		i++
	}
	excerpt := func(r []rune) string {
		if i >= len(r) {
			return "the end"
		}
		return quote(string(r[i:min(i+20, len(r))]))
	}
	return ": after " + quote(string(w[max(0, i-20):i])) + " it wants " + excerpt(w) + " and has " + excerpt(h)
}
