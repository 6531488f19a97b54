// Package marking proposes source markers for a plan that has none: it finds
// what a Markdown text states as a result, a requirement, a criterion or a
// limit, by its headings, lists and words, and puts marker lines around it.
// Nothing else of the text is changed. It takes bytes and returns bytes; a
// proposal is a guess for a person to read, so it decides nothing.
package marking

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/source"
)

// Proposal is one item to mark. Lines count from 1 in the text as it was given.
type Proposal struct {
	Key       string `json:"key"`  // made of the item's words, unique in the file
	Kind      string `json:"kind"` // of the marker
	FirstLine int    `json:"first_line"`
	LastLine  int    `json:"last_line"`
	Text      string `json:"text"` // what stands between the markers
}

// Result is what can be marked. Findings are about markers that are there
// already: where they are broken nothing is proposed.
type Result struct {
	Proposals []Proposal
	Marked    []byte // the text with the proposed markers
	Diff      string // from the text to Marked, in unified format
	Findings  []model.Finding
}

// Propose proposes markers for what a text states and has not marked yet. The
// marked text has no findings of its own, and Unmark gives the text again.
func Propose(path string, data []byte) Result {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		place := model.Place{Path: path, Line: 1, Column: 1}
		return Result{Marked: data, Findings: []model.Finding{place.Errorf("source_file_not_text", "save it as UTF-8", "the file is not UTF-8 text")}}
	}
	taken, findings := existing(path, data)
	if len(findings) > 0 {
		return Result{Marked: data, Findings: findings}
	}
	lines := split(string(data))
	p := &proposer{lines: unmarked(lines), keys: taken}
	p.blocks = parse(p.lines)
	p.run()
	marked, diff := insert(path, lines, p.found)
	return Result{Proposals: p.found, Marked: marked, Diff: diff}
}

// existing reads the markers that are there.
func existing(path string, data []byte) (keys, []model.Finding) {
	var s source.Scanner
	s.Scan(path, data)
	taken := keys{}
	for _, item := range s.Items {
		taken[item.Key]++
	}
	return taken, slices.DeleteFunc(s.Findings, func(f model.Finding) bool { return f.Code == "source_file_material_item_required" })
}

// proposer walks over the blocks of a text without markers, so that what is
// marked already changes nothing but what is left to propose.
type proposer struct {
	lines  []line
	blocks []block
	keys   keys
	found  []Proposal

	sections []section // from the outermost heading to the innermost
	results  bool      // the section's result was stated already
}

// section is a heading in force, or words before a list.
type section struct {
	level int
	kind  string
}

func (p *proposer) run() {
	title := p.title()
	lead := section{level: -1}
	for i := 0; i < len(p.blocks); i++ {
		b := p.blocks[i]
		if b.kind != item {
			lead = section{level: -1}
		}
		switch {
		case b.kind == heading:
			p.enter(b, i == title)
		case p.opens(i):
			kind := announced(b.text)
			if kind == "" && lead.level >= 0 && b.indent > lead.level {
				kind = lead.kind
			}
			lead = section{level: b.indent, kind: kind}
		default:
			i = p.block(i, p.kindAt(lead))
		}
	}
}

// title is the index of a heading that names the whole text, or -1: a text's
// first heading says nothing about the kind of what is below all others.
func (p *proposer) title() int {
	first := slices.IndexFunc(p.blocks, func(b block) bool { return b.kind == heading })
	if first < 0 || !slices.ContainsFunc(p.blocks[first+1:], func(b block) bool { return b.kind == heading && b.level > p.blocks[first].level }) {
		return -1
	}
	return first
}

func (p *proposer) enter(b block, title bool) {
	for len(p.sections) > 0 && p.sections[len(p.sections)-1].level >= b.level {
		p.sections = p.sections[:len(p.sections)-1]
	}
	kind := ""
	if !title {
		kind = announced(b.text)
	}
	p.sections = append(p.sections, section{b.level, kind})
	p.results = false
}

// opens tells whether a block only introduces the list that follows. An item
// with a sentence of its own does not: what stands inside it completes it.
func (p *proposer) opens(i int) bool {
	text := strings.TrimRight(p.blocks[i].text, "*_ ")
	if !strings.HasSuffix(text, ":") || i+1 == len(p.blocks) || p.blocks[i+1].kind != item {
		return false
	}
	name := len(strings.Fields(text)) < 3 || announced(text) != "" && !mustWord.MatchString(text)
	return p.blocks[i].kind == paragraph || name && p.blocks[i+1].indent > p.blocks[i].indent
}

// kindAt is the kind in force: what the words before a list announce, else
// what the nearest heading does.
func (p *proposer) kindAt(lead section) string {
	if lead.kind != "" {
		return lead.kind
	}
	for _, s := range slices.Backward(p.sections) {
		if s.kind != "" {
			return s.kind
		}
	}
	return ""
}

// block proposes what block i states and returns the last block that this
// takes in.
func (p *proposer) block(i int, section string) int {
	b := p.blocks[i]
	if last := p.scenario(i); last >= 0 {
		p.propose("acceptance", b.first, p.blocks[last].through)
		return p.inside(p.blocks[last].through, last)
	}
	kind := stated(b, section)
	if kind == "outcome_result" && labelled(b.text) == "" {
		kind = p.result(b)
	}
	switch {
	case kind == background:
		return i
	case p.propose(kind, b.first, b.through):
		return p.inside(b.through, i)
	}
	p.propose(kind, b.first, b.last)
	return i
}

// result is the kind of a block below a heading that announces a result: the
// first states it, further list items what it takes.
func (p *proposer) result(b block) string {
	switch {
	case !p.results:
		p.results = true
		return "outcome_result"
	case b.kind == item:
		return "requirement"
	}
	return background
}

// inside is the last block that starts no later than a line.
func (p *proposer) inside(last, i int) int {
	for i+1 < len(p.blocks) && p.blocks[i+1].first <= last {
		i++
	}
	return i
}

// steps is how many blocks a scenario may have.
const steps = 50

// scenario is the last block of a Given/When/Then that starts at block i, or
// -1.
func (p *proposer) scenario(i int) int {
	first := step.FindStringSubmatch(p.blocks[i].text)
	if first == nil || !strings.EqualFold(first[1], "given") && !strings.EqualFold(first[1], "when") {
		return -1
	}
	last, complete := i, thenWord.MatchString(p.blocks[i].text)
	for j := i + 1; j < min(len(p.blocks), i+steps) && p.blocks[i].kind == item; j++ {
		b := p.blocks[j]
		m := step.FindStringSubmatch(b.text)
		if b.first <= p.blocks[last].through {
			continue
		}
		if m == nil || strings.EqualFold(m[1], "given") || b.kind != item || b.indent != p.blocks[i].indent || b.first != p.blocks[last].through+1 {
			break
		}
		last, complete = j, complete || strings.EqualFold(m[1], "then")
	}
	if !complete {
		return -1
	}
	return last
}

// propose adds lines as an item, unless some of them are marked already or a
// marker beside them would change what they are: one before a byte order mark,
// or one after half a line end.
func (p *proposer) propose(kind string, first, last int) bool {
	lines := p.lines[first : last+1]
	end := lines[len(lines)-1]
	switch {
	case slices.ContainsFunc(lines, func(l line) bool { return l.marked }),
		first == 0 && strings.HasPrefix(lines[0].text, "\ufeff"),
		end.end == "" && strings.HasSuffix(end.text, "\r"):
		return false
	}
	var text, words strings.Builder
	for _, l := range lines {
		text.WriteString(l.text + "\n")
		words.WriteString(bullet.ReplaceAllString(l.text, "$2") + "\n")
	}
	p.found = append(p.found, Proposal{Key: p.keys.take(words.String(), kind), Kind: kind,
		FirstLine: lines[0].number, LastLine: lines[len(lines)-1].number, Text: source.Normalise(text.String())})
	return true
}
