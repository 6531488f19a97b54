package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/source"
)

// mapping checks that the refs of a claim name parts of their kind.
func (m *mapper) mapping(s model.SourceClaim, i int) {
	way := []any{"source_claims", i, "disposition"}
	d := s.Disposition
	switch d.Type {
	case "decision_required":
		f := m.fail("source_claim_decision_required", extend(way, "reason"), claimRefs(s), "get the decision, then mark the item with its real kind and map it", "an open decision: %s", d.Reason)
		f.Level = model.LevelDecision
		return
	case "outcome_result":
		if m.byKey[strings.TrimSuffix(d.Ref, ".result")] == nil && m.Doc.Whole() || !strings.HasSuffix(d.Ref, ".result") {
			m.fail("source_claim_outcome_result_ref_unknown", extend(way, "ref"), claimRefs(s, "ref", d.Ref), "write <outcome>.result", "%q is no outcome's result", d.Ref)
		}
		return
	}
	if len(d.Refs) == 0 {
		m.fail("source_claim_disposition_refs_empty", extend(way, "refs"), claimRefs(s), "name the part of the contract that states it", "the item %q is mapped to nothing", s.Key)
	}
	for j, ref := range d.Refs {
		m.ref(s, ref, extend(way, "refs", j))
	}
}

// ref resolves one ref of a disposition.
func (m *mapper) ref(s model.SourceClaim, ref string, way []any) {
	refs := claimRefs(s, "ref", ref)
	unknown := func(code, hint, format string) {
		if m.Doc.Whole() {
			m.fail(code, way, refs, hint, format, ref)
		}
	}
	head, local, _ := strings.Cut(ref, ".")
	switch s.Disposition.Type {
	case "claim":
		unit := m.byKey[head]
		switch {
		case unit != nil && local == "result":
			m.fail("source_claim_result_overcompression", way, refs, "map it to a requirement that says exactly this", "%q is an outcome's result, which is too coarse for a single item", ref)
		case unit == nil || unit.Claim(local) == nil:
			unknown("source_claim_product_ref_unknown", "write <outcome>.requirement.<key> or another claim of an outcome", "there is no claim %q")
		}
	case "acceptance":
		m.acceptanceRef(s, ref, way, unknown)
	case "external_confirmation":
		if !slices.ContainsFunc(m.Contract.Global.Acceptance.ExternalConfirmations, func(e model.ExternalConfirmation) bool { return e.Key == ref }) {
			unknown("source_claim_external_confirmation_ref_unknown", "declare it under global.acceptance.external_confirmations", "there is no external confirmation %q")
		}
	case "global_constraint":
		claim := m.Global.Claim(ref)
		switch {
		case claim == nil && m.forbiddenPath(ref) == nil:
			unknown("source_claim_global_ref_unknown", "write constraint.<key>, non_goal.<key>, forbidden_shortcut.<key> or forbidden_path.<key>", "there is no global constraint %q")
		case claim != nil && len(claim.Proofs) == 0 && m.Doc.Whole():
			m.fail("source_claim_global_ref_uncovered", way, refs, "claim "+ref+" in an assertion of a global check", "%q is declared and nothing proves it", ref).BlockedBy = []string{"global_claim_uncovered"}
		}
	case "risk_fact":
		fact, outcome, _ := strings.Cut(ref, ":")
		if !m.fact(fact, outcome) {
			unknown("source_claim_risk_fact_ref_unknown", "list the outcome under that fact in risk.facts and write <fact>:<outcome>", "risk.facts does not declare %q")
		}
	}
}

func (m *mapper) forbiddenPath(ref string) *model.KeyedPath {
	key, ok := strings.CutPrefix(ref, "forbidden_path.")
	for i := range m.Contract.Global.Technical.ForbiddenPaths {
		if p := &m.Contract.Global.Technical.ForbiddenPaths[i]; ok && p.Key == key {
			return p
		}
	}
	return nil
}

func (m *mapper) acceptanceRef(s model.SourceClaim, ref string, way []any, unknown func(code, hint, format string)) {
	unit, a := m.assertionOf(ref)
	refs := claimRefs(s, "ref", ref)
	switch {
	case a == nil:
		unknown("source_claim_acceptance_ref_unknown", "write <outcome>.<check>.<assertion> or GLOBAL.<check>.<assertion>", "there is no assertion %q")
	case unit == m.Global && len(a.Claims) == 0:
		m.fail("source_claim_acceptance_global_claim_required", way, refs, "let the assertion claim a global claim", "the assertion %q proves nothing", ref)
	case unit != m.Global && !slices.ContainsFunc(a.Claims, func(local string) bool { return local != "result" }):
		m.fail("source_claim_acceptance_result_only", way, refs, "let the assertion claim the requirement it decides", "the assertion %q proves nothing finer than the result", ref)
	}
}

// assertionOf resolves <unit>.<check>.<assertion>.
func (g *Graph) assertionOf(ref string) (*Unit, *assertion) {
	parts := strings.Split(ref, ".")
	if len(parts) != 3 || g.Unit(parts[0]) == nil {
		return nil, nil
	}
	unit := g.Unit(parts[0])
	check := unit.Check(parts[1])
	if check == nil {
		return unit, nil
	}
	return unit, check.assertion(parts[2])
}

// target is the part of the contract a source claim is mapped to.
type target struct {
	kinds []string // marker kinds that may own it
	text  string   // what it says; unused for risk facts
}

// lookup finds the target of one ref.
func (m *mapper) lookup(kind, ref string) *target {
	head, local, _ := strings.Cut(ref, ".")
	switch kind {
	case "outcome_result", "claim":
		if unit := m.byKey[head]; unit != nil && unit.Claim(local) != nil {
			claim := unit.Claim(local)
			return &target{kinds: []string{markerKind(claim.Kind)}, text: claim.Statement}
		}
	case "global_constraint":
		if claim := m.Global.Claim(ref); claim != nil {
			return &target{kinds: []string{markerKind(claim.Kind)}, text: claim.Statement}
		}
		if p := m.forbiddenPath(ref); p != nil {
			return &target{kinds: []string{"technical_obligation", "forbidden_shortcut", "non_goal"}, text: p.Path}
		}
	case "acceptance":
		if unit, a := m.assertionOf(ref); a != nil {
			return &target{kinds: []string{"acceptance"}, text: lastCriterion(unit, ref, a)}
		}
	case "external_confirmation":
		for _, e := range m.Contract.Global.Acceptance.ExternalConfirmations {
			if e.Key == ref {
				return &target{kinds: []string{"external_confirmation"}, text: e.Description}
			}
		}
	case "risk_fact":
		fact, outcome, _ := strings.Cut(ref, ":")
		if m.fact(fact, outcome) {
			return &target{kinds: []string{"risk_fact"}}
		}
	}
	return nil
}

// lastCriterion differs from a's only where the assertion key stands twice:
// then the two readings disagree, and the item is bound to neither.
func lastCriterion(unit *Unit, ref string, a *assertion) string {
	text := a.Criterion
	for _, other := range unit.Check(strings.Split(ref, ".")[1]).assertions {
		if other.Key == a.Key {
			text = other.Criterion
		}
	}
	return text
}

// markerKind is the marker kind that owns a kind of claim.
func markerKind(claim string) string {
	switch claim {
	case "result":
		return "outcome_result"
	case "obligation", "constraint":
		return "technical_obligation"
	}
	return claim
}

// target checks that a claim's one target is of the item's kind, says the same
// and has no other owner.
func (m *mapper) target(s model.SourceClaim, i int) {
	item := m.items[s.Key]
	if item == nil || item.Broken || s.Disposition.Type == "decision_required" || !m.Doc.Whole() {
		return
	}
	way := []any{"source_claims", i, "disposition"}
	refs := s.Disposition.Refs
	if s.Disposition.Type == "outcome_result" {
		refs = []string{s.Disposition.Ref}
	}
	if len(refs) != 1 {
		m.fail("source_claim_target_ref_count", extend(way, "refs"), claimRefs(s), "name exactly one part of the contract", "an item is mapped to exactly one part, not to %d", len(refs))
		return
	}
	ref := refs[0]
	fail := func(code, hint, format string, args ...any) {
		m.fail(code, extend(way, "refs", 0), claimRefs(s, "ref", ref), hint, format, args...)
	}
	t := m.lookup(s.Disposition.Type, ref)
	if item.Kind == "acceptance" {
		if _, a := m.assertionOf(ref); a == nil || source.Normalise(a.Criterion) != item.Text {
			fail("source_acceptance_criterion_mismatch", "copy the marked text into criterion", "the criterion of %q is not the text marked at %s:%d", ref, item.Path, item.Line)
		}
	}
	if t == nil || !slices.Contains(t.kinds, item.Kind) {
		fail("source_target_kind_mismatch", "map it to a part of its own kind", "%q is no target for an item of kind %s", ref, item.Kind)
		return
	}
	if item.Kind == "risk_fact" {
		if marked := fmt.Sprintf("%s:%s", item.Fact, item.Outcome); marked != ref {
			fail("source_risk_target_mismatch", "write "+marked+", or correct the marker", "the marker at %s:%d says %s, the ref says %s", item.Path, item.Line, marked, ref)
			return
		}
	} else if text := source.Normalise(t.text); text != item.Text {
		fail("source_target_statement_mismatch", "copy the marked text exactly", "the text of %q differs from the text marked at %s:%d%s", ref, item.Path, item.Line, difference(item.Text, text))
		return
	}
	m.own(s, ref, fail)
}

// own records the owner of a target; each has one.
func (m *mapper) own(s model.SourceClaim, ref string, fail func(code, hint, format string, args ...any)) {
	id := ref
	if s.Disposition.Type == "global_constraint" {
		id = GlobalKey + "." + ref
	} else if s.Disposition.Type == "risk_fact" || s.Disposition.Type == "external_confirmation" {
		id = s.Disposition.Type + ":" + ref
	}
	if owner := m.owners[id]; owner != "" {
		fail("source_target_already_owned", "merge the two items, or give each its own part of the contract", "%q already belongs to the item %q", ref, owner)
		return
	}
	m.owners[id] = s.Key
	m.backed[id] = true
}

// acceptanceBacked demands that an acceptance item decides something that the
// source itself asks for.
func (m *mapper) acceptanceBacked(s model.SourceClaim, i int) {
	if s.Disposition.Type != "acceptance" || len(s.Disposition.Refs) != 1 || m.partial || !m.Doc.Whole() {
		return
	}
	ref := s.Disposition.Refs[0]
	unit, a := m.assertionOf(ref)
	if a == nil {
		return
	}
	for _, local := range a.Claims {
		if m.backed[unit.Key+"."+local] && (local != "result" || unit == m.Global) {
			return
		}
	}
	f := m.fail("source_acceptance_without_source_backed_claim", []any{"source_claims", i, "disposition", "refs", 0}, claimRefs(s, "ref", ref, "claims", a.Claims),
		"mark the requirement that this criterion decides and let the assertion claim it", "the assertion %q proves no claim that a source item states", ref)
	f.BlockedBy = m.blockers(unit, a)
}

// blockers names the findings about claims the assertion proves.
func (m *mapper) blockers(unit *Unit, a *assertion) []string {
	var codes []string
	for _, local := range a.Claims {
		for _, code := range append(m.trouble[unit.Key+"."+local], m.trouble[local]...) {
			if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	return codes
}
