package rules

import (
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/shape"
	"github.com/git-longtask/git-longtask/contract/source"
)

// Complete fills in texts that the contract leaves out because the source says
// them: a source claim's statement is its item's text; the statement of a
// requirement or obligation and an assertion's criterion are the text of the
// one item that is mapped there. A criterion that cannot be filled in is left
// to Evidence. The graph is to be built anew afterwards.
func Complete(g *Graph, items []source.Item) []model.Finding {
	c := &completer{checker: &checker{Graph: g}, items: map[string]*source.Item{}, mapped: map[string][]*source.Item{}}
	if g.Doc.Broken["source_claims"] || g.Doc.Broken["task"] {
		return nil // what is mapped where is not known
	}
	for i := range items {
		c.partial = c.partial || items[i].Broken
		if item := &items[i]; !item.Broken && c.items[item.Key] == nil {
			c.items[item.Key] = item
		}
	}
	c.sourceClaims()
	for _, u := range g.Units() {
		if u.Outcome != nil {
			c.requirements(u, "requirement", u.Outcome.Product.Requirements, "product", "requirements")
			c.requirements(u, "obligation", u.Outcome.Technical.Obligations, "technical", "obligations")
		}
		for _, check := range u.Checks {
			for _, a := range check.assertions {
				if found := c.mapped[u.Key+"."+check.Key+"."+a.Key]; a.Criterion == "" && len(found) == 1 {
					a.Criterion = found[0].Text
				}
			}
		}
	}
	return c.findings
}

type completer struct {
	*checker
	items   map[string]*source.Item
	mapped  map[string][]*source.Item // ref of a claim or an assertion -> items
	partial bool                      // some item could not be read
}

// sourceClaims completes the source claims and notes what they are mapped to.
func (c *completer) sourceClaims() {
	claims := c.Contract.SourceClaims
	for i := range claims {
		s := &claims[i]
		item := c.items[s.Key]
		switch {
		case item == nil:
			if s.Statement == "" && !c.partial {
				c.fail(shape.CodeMissing, []any{"source_claims", i}, claimRefs(*s), "mark the text with key="+s.Key+", or add statement: here", "the source claim %q has no statement, and no source item has its key", s.Key)
			}
			continue
		case s.Statement == "":
			s.Statement = item.Text
		}
		if t := s.Disposition.Type; (t == "claim" || t == "acceptance") && len(s.Disposition.Refs) == 1 {
			c.mapped[s.Disposition.Refs[0]] = append(c.mapped[s.Disposition.Refs[0]], item)
		}
	}
}

// requirements completes requirements or obligations.
func (c *completer) requirements(u *Unit, kind string, list []model.Requirement, way ...any) {
	for i := range list {
		if list[i].Statement != "" {
			continue
		}
		id := u.Key + "." + kind + "." + list[i].Key
		found := c.mapped[id]
		refs := u.refs("claim", kind+"."+list[i].Key)
		switch {
		case len(found) == 1:
			list[i].Statement = found[0].Text
		case len(found) > 1:
			keys := make([]string, len(found))
			for j, item := range found {
				keys[j] = item.Key
			}
			c.fail(shape.CodeMissing, u.Way(extend(way, i)...), refs, "map one item to it, or add statement: here", "the %s %q has no statement, and several source items are mapped to it: %s", kind, list[i].Key, strings.Join(keys, ", "))
		case !c.partial:
			c.fail(shape.CodeMissing, u.Way(extend(way, i)...), refs, "map a source item to "+id+", or add statement: here", "the %s %q has no statement, and no source item is mapped to it", kind, list[i].Key)
		}
	}
}
