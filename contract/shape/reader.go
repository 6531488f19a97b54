// Package shape turns the nodes of a contract file into the normalised model:
// defaults filled in, paths canonical. It reports every wrong shape in one
// pass, each with its place; what a well-shaped contract means, and whether
// its parts fit together, is for the packages rules and freeze.
package shape

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/yamlcore"
)

// Codes of wrong shapes; a few rules of the format have codes of their own.
const (
	CodeUnknown = "unknown_field"
	CodeMissing = "missing_field"
	CodeType    = "wrong_type"
	CodeValue   = "bad_value"
)

// reader collects the findings about one file.
type reader struct {
	path     string
	findings []model.Finding
}

// fail reports a node. field is the node's place in the contract's structure,
// such as outcomes[0].product.
func (r *reader) fail(n *yaml.Node, code, field, hint, format string, args ...any) {
	place := model.Place{Path: r.path, Line: n.Line, Column: n.Column}
	f := place.Error(code, field+": "+fmt.Sprintf(format, args...), hint)
	f.Refs = map[string]any{"field": field}
	if n.Kind == yaml.ScalarNode {
		f.Refs["text"] = yamlcore.Trim(n.Value)
	}
	r.findings = append(r.findings, f)
}

// object is a mapping whose keys were checked. The zero object has no fields:
// reading from it gives defaults and no findings, so that one wrong node is
// reported once.
type object struct {
	*reader
	node   *yaml.Node
	field  string
	fields map[string]*yaml.Node
}

// maxUnknown bounds the report about one mapping that belongs elsewhere.
const maxUnknown = 20

// object checks a node's kind and keys. A nil node gives the zero object.
func (r *reader) object(n *yaml.Node, field string, required, optional []string) object {
	o := object{reader: r, node: n, field: field}
	if n == nil {
		return o
	}
	if n.Kind != yaml.MappingNode {
		r.fail(n, CodeType, orRoot(field), "write field: value pairs: "+strings.Join(required, ", "), "must be a mapping, not %s", describe(n))
		return o
	}
	o.fields = make(map[string]*yaml.Node, len(n.Content)/2)
	unknown := 0
	for i := 0; i < len(n.Content); i += 2 {
		k := n.Content[i]
		if !contains(required, k.Value) && !contains(optional, k.Value) {
			if unknown++; unknown > maxUnknown {
				continue
			}
			r.fail(k, CodeUnknown, orRoot(field), unknownHint(k.Value, required, optional), "has no field %q", yamlcore.Trim(k.Value))
			continue
		}
		o.fields[k.Value] = n.Content[i+1]
	}
	if unknown > maxUnknown {
		r.fail(n, CodeUnknown, orRoot(field), "remove them", "has %d more unknown fields", unknown-maxUnknown)
	}
	for _, name := range required {
		if o.fields[name] == nil {
			r.fail(n, CodeMissing, orRoot(field), "add "+name+": here", "lacks the field %q", name)
		}
	}
	return o
}

// has tells whether a field is written, be it null.
func (o object) has(name string) bool { return o.fields[name] != nil }

// null tells whether a field is written as null.
func (o object) null(name string) bool {
	n := o.fields[name]
	return n != nil && n.Kind == yaml.ScalarNode && yamlcore.Scalar(n) == nil
}

func (o object) at(name string) string { return join(o.field, name) }

// sub reads a field that is itself a mapping.
func (o object) sub(name string, required, optional []string) object {
	return o.object(o.fields[name], o.at(name), required, optional)
}

// list reads a field that is a list; absent is empty.
func list[T any](o object, name string, each func(n *yaml.Node, field string) T) []T {
	return items(o.reader, o.fields[name], o.at(name), each)
}

func items[T any](r *reader, n *yaml.Node, field string, each func(n *yaml.Node, field string) T) []T {
	out := []T{}
	if n == nil {
		return out
	}
	if n.Kind != yaml.SequenceNode {
		r.fail(n, CodeType, field, "write a list, one entry a line, each starting with a dash; [] is the empty list", "must be a list, not %s", describe(n))
		return out
	}
	for i, c := range n.Content {
		out = append(out, each(c, fmt.Sprintf("%s[%d]", field, i)))
	}
	return out
}

func orRoot(field string) string {
	if field == "" {
		return "the contract"
	}
	return field
}

func join(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}

// describe names what stands there instead.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch v := yamlcore.Scalar(n).(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprintf("the boolean %v", v)
	case float64:
		return "the number " + yamlcore.Trim(n.Value)
	}
	return fmt.Sprintf("the text %q", yamlcore.Trim(n.Value))
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// unknownHint proposes the nearest field, or lists what there is.
func unknownHint(name string, required, optional []string) string {
	best, distance := "", 3
	known := append(append([]string{}, required...), optional...)
	for _, k := range known {
		if d := editDistance(name, k); d < distance {
			best, distance = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %q? Otherwise remove the line", best)
	}
	return "remove it; the fields here are " + strings.Join(known, ", ")
}

// editDistance is Levenshtein's, for short names; long ones are never near.
func editDistance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return len(a) + len(b)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
