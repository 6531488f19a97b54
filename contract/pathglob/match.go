package pathglob

import (
	"strings"
	"unicode/utf8"
)

// Pattern is a pattern taken apart, so that matching many paths is cheap.
type Pattern struct {
	text      string
	segments  []string
	wild      bool // holds * or ?
	recursive bool // holds **
}

// Parse takes a canonical pattern apart. A text that File or Glob would refuse
// is a pattern all the same, with every odd character meaning itself.
func Parse(pattern string) Pattern {
	p := Pattern{text: pattern, segments: strings.Split(pattern, "/"), wild: strings.ContainsAny(pattern, "*?")}
	for _, s := range p.segments {
		p.recursive = p.recursive || s == "**"
	}
	return p
}

// String returns the text that Parse was given.
func (p Pattern) String() string { return p.text }

// Match tells whether the pattern covers a path: * is any run inside a
// segment, ? one character, ** any number of segments, none included.
func (p Pattern) Match(path string) bool {
	if !p.wild {
		return p.text == path
	}
	if lead, ok := p.prefix(); ok {
		return strings.HasPrefix(path, lead) && (len(path) == len(lead) || path[len(lead)] == '/')
	}
	return matchSegments(p.segments, path)
}

// prefix recognises the commonest form, literal segments followed by **.
func (p Pattern) prefix() (string, bool) {
	lead := strings.TrimSuffix(p.text, "/**")
	return lead, len(lead) < len(p.text) && !strings.ContainsAny(lead, "*?")
}

// Match parses the pattern and matches once.
func Match(pattern, path string) bool { return Parse(pattern).Match(path) }

// matchSegments is wildcard matching with one backtrack point: a later **
// makes an earlier one's choice irrelevant, so time is the product of lengths.
func matchSegments(pattern []string, path string) bool {
	segments := strings.Split(path, "/")
	p, s, star, mark := 0, 0, -1, 0
	for s < len(segments) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			star, mark = p, s
			p++
		case p < len(pattern) && matchSegment(pattern[p], segments[s]):
			p++
			s++
		case star >= 0:
			mark++
			p, s = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

// matchSegment is the same inside one segment, over characters.
func matchSegment(pattern, text string) bool {
	p, t, star, mark := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && pattern[p] == '?':
			p++
			t += runeLen(text[t:])
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			mark += runeLen(text[mark:])
			p, t = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}
