// Package rules decides whether the parts of a well-shaped contract fit
// together: keys, dependencies, owners, claims and their proofs, sources, risk.
// It is pure: what the repository holds is the package freeze's business. Every
// rule reports all it finds. A part that is misshapen is left out, and so are
// conclusions that depend on it.
package rules

import (
	"fmt"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/shape"
)

// GlobalKey stands for the global section where an outcome's key is expected.
const GlobalKey = "GLOBAL"

// Graph is a contract with its names resolved.
type Graph struct {
	Doc      *shape.Document
	Contract *model.Contract
	Outcomes []*Unit
	Global   *Unit

	byKey map[string]*Unit // the first outcome of that key
}

// Unit is an outcome or the global section: what claims, checks and
// counterfactuals have in common there.
type Unit struct {
	Key             string
	Outcome         *model.Outcome // nil for the global section
	Broken          bool           // misshapen, so conclusions would be wrong
	Claims          []*Claim
	Checks          []*Check
	Counterfactuals []model.Counterfactual

	way    []any
	claims map[string]*Claim
	checks map[string]*Check
}

// Claim is one thing that must be proved.
type Claim struct {
	Local     string // requirement.sum
	Kind      string // result, requirement, control, obligation, ...
	Statement string
	Surfaces  []string // on all of which it must be proved
	Proofs    []model.Proof

	way []any
}

// Check is a check with its place in the contract.
type Check struct {
	*model.Check
	Unit *Unit

	way        []any
	assertions []assertion
}

type assertion struct {
	*model.Assertion
	negative bool
	way      []any
}

// Build resolves the names of a document.
func Build(doc *shape.Document) *Graph {
	c := &doc.Contract
	g := &Graph{Doc: doc, Contract: c, byKey: map[string]*Unit{}}
	g.Global = globalUnit(&c.Global)
	g.Global.Broken = doc.Broken["global"]
	for i := range c.Outcomes {
		u := outcomeUnit(&c.Outcomes[i], i)
		u.Broken = doc.BrokenOutcomes[i]
		g.Outcomes = append(g.Outcomes, u)
		if g.byKey[u.Key] == nil {
			g.byKey[u.Key] = u
		}
	}
	return g
}

// Units lists the well-shaped units, the global one first.
func (g *Graph) Units() []*Unit {
	var units []*Unit
	for _, u := range append([]*Unit{g.Global}, g.Outcomes...) {
		if !u.Broken {
			units = append(units, u)
		}
	}
	return units
}

// Unit finds an outcome, or the global section by GlobalKey.
func (g *Graph) Unit(key string) *Unit {
	if key == GlobalKey {
		return g.Global
	}
	return g.byKey[key]
}

// Check finds a check of the unit; nil when there is none.
func (u *Unit) Check(key string) *Check { return u.checks[key] }

// Claim finds a claim by its local key; nil when there is none.
func (u *Unit) Claim(local string) *Claim { return u.claims[local] }

// Way leads from the contract's root to a part of the unit.
func (u *Unit) Way(steps ...any) []any { return extend(u.way, steps...) }

// ID is the check's internal id.
func (c *Check) ID() string { return "CHECK." + c.Unit.Key + "." + c.Key }

// Way leads from the contract's root to a part of the check.
func (c *Check) Way(steps ...any) []any { return extend(c.way, steps...) }

// Structured tells whether the check's evidence is structured_json_v2.
func (c *Check) Structured() bool {
	return c.Runner.Type != model.RunnerPlaywright && (c.Runner.Type != model.RunnerCommand || c.Runner.Adapter == model.AdapterStructured)
}

func (c *Check) assertion(key string) *assertion {
	for i := range c.assertions {
		if c.assertions[i].Key == key {
			return &c.assertions[i]
		}
	}
	return nil
}

func extend(way []any, steps ...any) []any {
	return append(append(make([]any, 0, len(way)+len(steps)), way...), steps...)
}

func outcomeUnit(o *model.Outcome, i int) *Unit {
	u := &Unit{Key: o.Key, Outcome: o, way: []any{"outcomes", i}, Counterfactuals: o.Acceptance.CounterfactualControls}
	u.claim("result", "result", o.Product.ObservableResult, nil, "product", "observable_result")
	for j, r := range o.Product.Requirements {
		u.claim("requirement", "requirement."+r.Key, r.Statement, r.RequiredProofSurfaces, "product", "requirements", j)
	}
	for j := range o.Product.Controls {
		u.control(&o.Product.Controls[j], j)
	}
	for j, k := range o.Product.NonCompletingOutcomes {
		u.claim("non_completing", "non_completing."+k.Key, k.Statement, nil, "product", "non_completing_outcomes", j)
	}
	for j, r := range o.Technical.Obligations {
		u.claim("obligation", "obligation."+r.Key, r.Statement, r.RequiredProofSurfaces, "technical", "obligations", j)
	}
	for j, k := range o.Technical.ForbiddenShortcuts {
		u.claim("forbidden_shortcut", "forbidden_shortcut."+k.Key, k.Statement, nil, "technical", "forbidden_shortcuts", j)
	}
	u.addChecks(o.Acceptance.Checks)
	return u
}

// control makes one claim of every field that says something.
func (u *Unit) control(c *model.Control, j int) {
	fields := []struct{ name, field, text string }{
		{"location", "location", c.Location}, {"trigger", "trigger", c.Trigger}, {"input", "input", c.Input},
		{"loading", "loading_state", c.LoadingState}, {"empty", "empty_state", c.EmptyState},
		{"success", "success_state", c.SuccessState}, {"failure", "failure_state", c.FailureState}, {"feedback", "feedback", c.Feedback},
	}
	for _, f := range fields {
		if strings.TrimSpace(f.text) != "" {
			u.claim("control", "control."+c.Key+"."+f.name, f.text, []string{"ui_browser"}, "product", "controls", j, f.field)
		}
	}
}

func globalUnit(g *model.Global) *Unit {
	u := &Unit{Key: GlobalKey, way: []any{"global"}, Counterfactuals: g.Acceptance.CounterfactualControls}
	add := func(kind string, list []model.Keyed, way ...any) {
		for j, k := range list {
			u.claim(kind, kind+"."+k.Key, k.Statement, nil, extend(way, j)...)
		}
	}
	add("non_goal", g.Product.NonGoals, "product", "non_goals")
	add("constraint", g.Technical.Constraints, "technical", "constraints")
	add("forbidden_shortcut", g.Technical.ForbiddenShortcuts, "technical", "forbidden_shortcuts")
	u.addChecks(g.Acceptance.Checks)
	return u
}

func (u *Unit) claim(kind, local, statement string, surfaces []string, way ...any) {
	if u.claims == nil {
		u.claims = map[string]*Claim{}
	}
	if u.claims[local] != nil {
		return // a duplicate key is reported as such
	}
	c := &Claim{Local: local, Kind: kind, Statement: statement, Surfaces: surfaces, way: u.Way(way...)}
	u.claims[local] = c
	u.Claims = append(u.Claims, c)
}

func (u *Unit) addChecks(checks []model.Check) {
	u.checks = map[string]*Check{}
	for i := range checks {
		c := &Check{Check: &checks[i], Unit: u, way: u.Way("acceptance", "checks", i)}
		for j := range c.PositiveAssertions {
			c.assertions = append(c.assertions, assertion{&c.PositiveAssertions[j], false, c.Way("positive_assertions", j)})
		}
		for j := range c.NegativeAssertions {
			c.assertions = append(c.assertions, assertion{&c.NegativeAssertions[j], true, c.Way("negative_assertions", j)})
		}
		u.Checks = append(u.Checks, c)
		if u.checks[c.Key] == nil {
			u.checks[c.Key] = c
		}
	}
}

// Places maps canonical ids to where they stand: outcome:K, claim:<unit>.<local>,
// check:<unit>.<check>, assertion:<unit>.<check>.<assertion>,
// binding:<outcome>.<binding>, counterfactual:<unit>.<key>, source_claim:K. The
// unit is an outcome's key or GLOBAL.
func (g *Graph) Places() map[string]model.Place {
	places := map[string]model.Place{}
	put := func(id string, way []any) {
		if _, taken := places[id]; !taken {
			places[id] = g.Doc.Place(way...)
		}
	}
	for i, s := range g.Contract.SourceClaims {
		put("source_claim:"+s.Key, []any{"source_claims", i})
	}
	for _, u := range append([]*Unit{g.Global}, g.Outcomes...) {
		if u.Outcome != nil {
			put("outcome:"+u.Key, u.way)
			for i, b := range u.Outcome.Technical.Bindings {
				put(fmt.Sprintf("binding:%s.%s", u.Key, b.Key), u.Way("technical", "bindings", i))
			}
		}
		for _, c := range u.Claims {
			put("claim:"+u.Key+"."+c.Local, c.way)
		}
		for _, c := range u.Checks {
			put("check:"+u.Key+"."+c.Key, c.way)
			for _, a := range c.assertions {
				put("assertion:"+u.Key+"."+c.Key+"."+a.Key, a.way)
			}
		}
		for i, cf := range u.Counterfactuals {
			put("counterfactual:"+u.Key+"."+cf.Key, u.Way("acceptance", "counterfactual_controls", i))
		}
	}
	return places
}
