// Package source reads the user's own documents: the material items that
// non-rendering markers wrap, and the anchors a reference may name. It takes
// bytes and reports every marker problem with its line; what an item is mapped
// to is none of its business.
package source

import (
	"regexp"
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/shape"
)

// Kinds of items that a marker can declare.
var Kinds = []string{
	"outcome_result", "requirement", "control", "technical_obligation", "non_completing", "forbidden_shortcut",
	"non_goal", "acceptance", "risk_fact", "external_confirmation", "decision",
}

// Item is a marked item. A broken one has a problem that was reported: its
// text and attributes are not to be relied on.
type Item struct {
	model.SourceItem
	Broken bool
}

// Scanner reads the files of one contract, whose item keys are one namespace.
type Scanner struct {
	Items    []Item
	Findings []model.Finding

	seen map[string]model.Place
}

var (
	marker   = regexp.MustCompile(`^[ \t]*<!--[ \t]*ty-source-item:(start|end)((?:[ \t]+[^ \t]+)*?)[ \t]*-->[ \t]*$`)
	attrName = regexp.MustCompile(`^[a-z_]+$`)
)

// Scan adds the items of one file.
func (s *Scanner) Scan(path string, data []byte) {
	if s.seen == nil {
		s.seen = map[string]model.Place{}
	}
	f := &file{Scanner: s, path: path}
	items := len(s.Items)
	found := false
	for i, line := range strings.Split(string(data), "\n") {
		found = f.line(i+1, strings.TrimSuffix(line, "\r")) || found
	}
	if f.open != nil {
		f.fail(f.open.Line, "source_item_unclosed", "close it with a line <!-- ty-source-item:end -->", "the item %q is never closed", f.open.Key)
		f.open.Broken = true
		f.close()
	}
	if len(s.Items) == items && !found {
		f.fail(1, "source_file_material_item_required", "wrap what must become true in <!-- ty-source-item:start key=... kind=... --> and <!-- ty-source-item:end -->, or remove the file from task.source_paths", "the source has no marked item")
	}
}

// file is the scan of one file.
type file struct {
	*Scanner
	path string
	open *Item
	text []string
	lost bool // a start marker could not be read, so its end is not astray
}

// line reads one line and tells whether a marker word stands on it.
func (f *file) line(number int, line string) bool {
	if !strings.Contains(line, "ty-source-item:start") && !strings.Contains(line, "ty-source-item:end") {
		if f.open != nil {
			f.text = append(f.text, strings.TrimRight(line, " \t"))
		}
		return false
	}
	m := marker.FindStringSubmatch(line)
	switch {
	case m == nil:
		f.fail(number, "source_item_marker_invalid", "put <!-- ty-source-item:start key=... kind=... --> or <!-- ty-source-item:end --> alone on the line", "the marker does not stand alone on its line or is not complete")
		switch {
		case f.open != nil:
			f.open.Broken = true
		case strings.Contains(line, "ty-source-item:start"):
			f.Items = append(f.Items, Item{SourceItem: model.SourceItem{Path: f.path, Line: number}, Broken: true})
			f.lost = true
		}
	case m[1] == "start":
		f.start(number, strings.Fields(m[2]))
	default:
		f.end(number, m[2])
	}
	return true
}

func (f *file) start(number int, attributes []string) {
	if f.open != nil {
		f.fail(number, "source_item_nested_or_overlapping", "close the earlier item first; items cannot be nested", "an item starts inside the item %q of line %d", f.open.Key, f.open.Line)
		f.open.Broken = true
		f.close()
	}
	f.lost = false
	before := len(f.Findings)
	item := Item{SourceItem: model.SourceItem{Path: f.path, Line: number}}
	f.attributes(&item, number, attributes)
	if first, twice := f.seen[item.Key]; twice && item.Key != "" {
		f.fail(number, "source_item_key_duplicate", "give one of them another key", "the key %q is used by the item at %s:%d too", item.Key, first.Path, first.Line)
	} else if item.Key != "" {
		f.seen[item.Key] = model.Place{Path: f.path, Line: number}
	}
	item.Broken = len(f.Findings) > before
	f.open = &item
}

// attributes fills the item from name=value tokens.
func (f *file) attributes(item *Item, number int, tokens []string) {
	targets := map[string]*string{"key": &item.Key, "kind": &item.Kind, "fact": &item.Fact, "outcome": &item.Outcome}
	given := map[string]bool{}
	for _, token := range tokens {
		name, value, _ := strings.Cut(token, "=")
		target := targets[name]
		switch {
		case !attrName.MatchString(name) || value == "" || strings.Contains(value, "="):
			f.fail(number, "source_item_marker_invalid", "write name=value without blanks and quotes", "the marker's attribute %q is not of the form name=value", token)
		case target == nil:
			f.fail(number, "source_item_marker_attribute_unknown", "use key, kind and, for risk_fact, fact and outcome", "the marker has no attribute %q", name)
		case given[name]:
			f.fail(number, "source_item_marker_attribute_duplicate", "remove one of the two", "the marker's attribute %q is given twice", name)
		default:
			*target = value
		}
		given[name] = true
	}
	f.grammar(item, number, given)
}

// grammar checks what the attributes say.
func (f *file) grammar(item *Item, number int, given map[string]bool) {
	if !shape.IsKey(item.Key) {
		f.fail(number, "source_item_marker_invalid", "give it key=, in lower-case letters, digits and dashes, without quotes", "the marker's key %q is not a key", item.Key)
		item.Key = ""
	}
	switch {
	case !slices.Contains(Kinds, item.Kind):
		f.fail(number, "source_item_marker_invalid", "use one of "+strings.Join(Kinds, ", "), "the marker's kind %q does not exist", item.Kind)
	case item.Kind != "risk_fact":
		if given["fact"] || given["outcome"] {
			f.fail(number, "source_item_marker_attributes_forbidden", "remove fact= and outcome=, or use kind=risk_fact", "fact and outcome belong to risk_fact, not to %s", item.Kind)
		}
	case item.Fact == "" || item.Outcome == "":
		f.fail(number, "source_item_risk_semantics_required", "add fact=<risk fact> and outcome=<outcome key>", "a risk_fact needs both fact and outcome")
	default:
		if !slices.Contains(shape.Facts, item.Fact) {
			f.fail(number, "source_item_risk_fact_invalid", "use one of "+strings.Join(shape.Facts, ", "), "the risk fact %q does not exist", item.Fact)
		}
		if !shape.IsKey(item.Outcome) {
			f.fail(number, "source_item_risk_outcome_invalid", "write the key of an outcome", "%q is not an outcome key", item.Outcome)
		}
	}
}

func (f *file) end(number int, rest string) {
	switch {
	case rest != "":
		f.fail(number, "source_item_marker_invalid", "write <!-- ty-source-item:end --> without attributes", "the end marker carries attributes")
		if f.open != nil {
			f.open.Broken = true
			f.close()
		}
	case f.open == nil && f.lost:
		f.lost = false
	case f.open == nil:
		f.fail(number, "source_item_end_without_start", "remove it, or add the start marker before the item", "an item ends here that never started")
	default:
		f.close()
	}
}

// close finishes the open item.
func (f *file) close() {
	item := *f.open
	item.Text = strings.Join(dropBlankEdges(f.text), "\n")
	if strings.TrimSpace(item.Text) == "" && !item.Broken {
		f.fail(item.Line, "source_item_empty", "write the text between the markers, or remove them", "the item %q is empty", item.Key)
		item.Broken = true
	}
	f.Items = append(f.Items, item)
	f.open, f.text = nil, nil
}

func (f *file) fail(line int, code, hint, format string, args ...any) {
	place := model.Place{Path: f.path, Line: line, Column: 1}
	f.Findings = append(f.Findings, place.Errorf(code, hint, format, args...))
}

// Normalise gives a text the form in which item texts are compared: LF line
// ends, no trailing blanks, no blank first and last lines.
func Normalise(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.Join(dropBlankEdges(lines), "\n")
}

func dropBlankEdges(lines []string) []string {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
