package marking

import (
	"strings"
)

// blockKind is what a block of Markdown is.
type blockKind int

const (
	heading blockKind = iota
	paragraph
	item // of a list
)

// block is a run of lines that belong together. A list item ends where an item
// inside it starts; through is the last line of what follows it, without a
// blank line, inside it.
type block struct {
	kind                 blockKind
	first, last, through int    // indices into the lines
	level                int    // of a heading
	indent               int    // of a list item
	text                 string // without bullet and line breaks
}

var (
	fence     = lazy("^[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)$")
	verbatim  = lazy(`(?i)^[ \t]*<(pre|script|style|textarea)\b`)
	atx       = lazy(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	underline = lazy(`^ {0,3}(=+|-+)[ \t]*$`)
	rule      = lazy(`^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	bullet    = lazy(`^([ \t]*)(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)$`)
	tableRule = lazy(`^[ \t]*[|:-][ \t|:-]*\|[ \t|:-]*$`)
	foreign   = lazy(`^[ \t]*(?:>|\||<[A-Za-z/!?]|\[[^\]]+\]:)`)
	comment   = lazy(`<!--.*?-->`)
)

// parser finds the blocks that may hold items. Code, quotes, tables, HTML and
// front matter are passed over: nobody states a requirement there.
type parser struct {
	lines  []line
	blocks []block
	open   bool   // the last block goes on
	inList bool   // no text stood outside the list since its last item
	until  string // what ends the region being passed over
	table  bool
}

func parse(lines []line) []block {
	p := &parser{lines: lines}
	for i := p.frontMatter(); i < len(lines); i++ {
		p.line(i, lines[i].text)
	}
	for i := range p.blocks {
		p.blocks[i].through = p.through(i)
		if p.blocks[i].kind != heading {
			p.blocks[i].text = p.text(p.blocks[i])
		}
	}
	return p.blocks
}

// frontMatter is the number of lines of a YAML header.
func (p *parser) frontMatter() int {
	if len(p.lines) == 0 || strings.TrimRight(p.lines[0].text, " \t") != "---" {
		return 0
	}
	for i := 1; i < len(p.lines); i++ {
		if text := strings.TrimRight(p.lines[i].text, " \t"); text == "---" || text == "..." {
			return i + 1
		}
	}
	return 0
}

func (p *parser) line(i int, text string) {
	switch {
	case p.until != "":
		p.inside(text)
	case strings.TrimSpace(text) == "":
		p.open, p.table = false, false
	case p.starts(text), p.table:
		p.open = false
	case p.heading(i, text), p.listItem(i, text):
	case !p.open && indent(text) >= 4: // code
	case p.open:
		p.blocks[len(p.blocks)-1].last = i
	default:
		p.inList = p.inList && indent(text) > 0
		p.add(block{kind: paragraph, first: i, last: i})
	}
}

// inside passes over a line of a region and looks for the region's end.
func (p *parser) inside(text string) {
	if text = strings.TrimSpace(text); strings.ContainsAny(p.until[:1], "`~") {
		if strings.HasPrefix(text, p.until) && strings.Trim(text, p.until[:1]) == "" {
			p.until = ""
		}
		return
	}
	if strings.Contains(strings.ToLower(text), p.until) {
		p.until = ""
	}
}

// starts tells whether a line is none of ours, and how far that goes.
func (p *parser) starts(text string) bool {
	if m := fence.FindStringSubmatch(text); m != nil && (m[1][0] == '~' || !strings.Contains(m[2], "`")) {
		p.until = m[1]
		return true
	}
	if strings.Contains(comment.ReplaceAllString(text, ""), "<!--") {
		p.until = "-->"
		return true
	}
	if m := verbatim.FindStringSubmatch(text); m != nil {
		if end := "</" + strings.ToLower(m[1]); !strings.Contains(strings.ToLower(text), end) {
			p.until = end
		}
		return true
	}
	if tableRule.MatchString(text) && strings.Contains(text, "-") {
		if p.open && p.blocks[len(p.blocks)-1].kind == paragraph {
			p.blocks = p.blocks[:len(p.blocks)-1] // it is the table's head
		}
		p.table = true
		return true
	}
	return foreign.MatchString(text)
}

func (p *parser) heading(i int, text string) bool {
	if m := atx.FindStringSubmatch(text); m != nil {
		p.add(block{kind: heading, first: i, last: i, level: len(m[1]), text: m[2]})
		p.open, p.inList = false, false
		return true
	}
	if m := underline.FindStringSubmatch(text); m != nil && p.open && p.blocks[len(p.blocks)-1].kind == paragraph {
		b := &p.blocks[len(p.blocks)-1]
		b.text = p.text(*b)
		b.kind, b.level, b.last = heading, 1+strings.Count(m[1][:1], "-"), i
		p.open, p.inList = false, false
		return true
	}
	if rule.MatchString(text) || underline.MatchString(text) {
		p.open = false
		return true
	}
	return false
}

func (p *parser) listItem(i int, text string) bool {
	m := bullet.FindStringSubmatch(text)
	if m == nil || indent(text) >= 4 && !p.inList {
		return false
	}
	p.add(block{kind: item, first: i, last: i, indent: indent(m[1])})
	p.inList = true
	return true
}

func (p *parser) add(b block) {
	p.blocks = append(p.blocks, b)
	p.open = true
}

// text is what a block says, on one line.
func (p *parser) text(b block) string {
	words := make([]string, 0, b.last-b.first+1)
	for i, l := range p.lines[b.first : b.last+1] {
		text := l.text
		if i == 0 && b.kind == item {
			text = bullet.ReplaceAllString(text, "$2")
		}
		words = append(words, strings.TrimSpace(text))
	}
	return strings.Join(words, " ")
}

// through is the last line of what stands inside a list item.
func (p *parser) through(i int) int {
	last := p.blocks[i].last
	if p.blocks[i].kind != item {
		return last
	}
	for _, b := range p.blocks[i+1:] {
		if b.kind != item || b.indent <= p.blocks[i].indent || b.first != last+1 {
			break
		}
		last = b.last
	}
	return last
}
