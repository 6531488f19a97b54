package shape

import (
	"sort"

	"gopkg.in/yaml.v3"

	"github.com/git-longtask/git-longtask/contract/model"
)

// Document is a contract read from its files. Where a part was misshapen its
// model is incomplete, and Broken or BrokenOutcomes says so.
type Document struct {
	Contract      model.Contract
	FragmentPaths []string // outcome_files, relative to the workdir, in file order
	Findings      []model.Finding

	// Broken names the root sections (task, source_claims, risk, global,
	// outcomes) that hold a wrong shape.
	Broken map[string]bool
	// BrokenOutcomes has one entry per outcome of Contract.
	BrokenOutcomes []bool

	path     string
	root     *yaml.Node
	outcomes []outcomeNode
}

// outcomeNode is where an outcome of the contract stands.
type outcomeNode struct {
	path string
	node *yaml.Node
}

// Whole tells whether nothing in the document is misshapen.
func (d *Document) Whole() bool {
	for _, b := range d.BrokenOutcomes {
		if b {
			return false
		}
	}
	return len(d.Broken) == 0
}

// Retired tells whether the contract is of the first version of the format.
func (d *Document) Retired() bool { return d.Contract.SchemaVersion == schemaV1 }

// Place finds a part by its way from the root: field names and list indices,
// such as "outcomes", 0, "technical", "bindings", 2. A default that is not
// written stands where the nearest written part around it stands.
func (d *Document) Place(way ...any) model.Place {
	path, node := d.path, d.root
	if len(way) > 1 && way[0] == "outcomes" {
		if i, ok := way[1].(int); ok && i < len(d.outcomes) {
			path, node, way = d.outcomes[i].path, d.outcomes[i].node, way[2:]
		}
	}
	place := model.Place{Path: path, Line: node.Line, Column: node.Column}
	for _, step := range way {
		next, key := child(node, step)
		if next == nil {
			break
		}
		node = next
		place.Line, place.Column = node.Line, node.Column
		if key != nil && node.Kind != yaml.ScalarNode {
			place.Line, place.Column = key.Line, key.Column
		}
	}
	return place
}

// child returns a field's value and key node, or a list's entry.
func child(n *yaml.Node, step any) (value, key *yaml.Node) {
	switch s := step.(type) {
	case string:
		if n.Kind != yaml.MappingNode {
			return nil, nil
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == s {
				return n.Content[i+1], n.Content[i]
			}
		}
	case int:
		if n.Kind == yaml.SequenceNode && s < len(n.Content) {
			return n.Content[s], nil
		}
	}
	return nil, nil
}

// AddFragment reads the outcomes of one outcome file: a list of outcomes, one
// outcome, or a mapping with outcomes.
func (d *Document) AddFragment(path string, root *yaml.Node) {
	r := &reader{path: path}
	switch {
	case root.Kind == yaml.SequenceNode:
		d.addOutcomes(r, root, "outcomes")
	case root.Kind == yaml.MappingNode && fieldOf(root, "outcomes") != nil:
		o := r.object(root, "", []string{"outcomes"}, []string{"schema_version"})
		o.enum("schema_version", "", "long-task-outcomes-v2")
		d.addOutcomes(r, o.fields["outcomes"], "outcomes")
	default:
		d.addOutcome(r, root, "outcome")
	}
	d.Findings = append(d.Findings, r.findings...)
	if len(r.findings) > 0 {
		d.Broken["outcomes"] = true
	}
}

// SortOutcomes orders the outcomes of fragments by key; equal keys keep the
// order of their files.
func (d *Document) SortOutcomes() {
	order := make([]int, len(d.outcomes))
	for i := range order {
		order[i] = i
	}
	all := d.Contract.Outcomes
	sort.SliceStable(order, func(i, j int) bool { return all[order[i]].Key < all[order[j]].Key })
	sorted, nodes, broken := []model.Outcome{}, []outcomeNode{}, []bool{}
	for _, i := range order {
		sorted, nodes, broken = append(sorted, all[i]), append(nodes, d.outcomes[i]), append(broken, d.BrokenOutcomes[i])
	}
	d.Contract.Outcomes, d.outcomes, d.BrokenOutcomes = sorted, nodes, broken
}

func (d *Document) addOutcomes(r *reader, list *yaml.Node, field string) {
	items(r, list, field, func(n *yaml.Node, field string) struct{} {
		d.addOutcome(r, n, field)
		return struct{}{}
	})
}

func (d *Document) addOutcome(r *reader, n *yaml.Node, field string) {
	before := len(r.findings)
	d.Contract.Outcomes = append(d.Contract.Outcomes, r.outcome(n, field))
	d.outcomes = append(d.outcomes, outcomeNode{path: r.path, node: n})
	d.BrokenOutcomes = append(d.BrokenOutcomes, len(r.findings) > before)
}

func fieldOf(n *yaml.Node, name string) *yaml.Node {
	v, _ := child(n, name)
	return v
}
