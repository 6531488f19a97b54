package pathglob

import (
	"slices"
	"strings"
)

// Within tells whether every path of p is proved to be one of owner. False
// means "not proved", which callers treat as a refusal.
func (p Pattern) Within(owner Pattern) bool {
	switch {
	case p.text == owner.text, owner.text == "**":
		return true
	case !p.wild:
		return owner.Match(p.text)
	case owner.recursive:
		return p.withinRecursive(owner)
	case p.recursive || len(p.segments) != len(owner.segments):
		return false
	}
	for i, s := range p.segments {
		if !segmentWithin(s, owner.segments[i]) {
			return false
		}
	}
	return true
}

// withinRecursive handles the owner <prefix>/** with no other **.
func (p Pattern) withinRecursive(owner Pattern) bool {
	prefix, last := owner.segments[:len(owner.segments)-1], owner.segments[len(owner.segments)-1]
	if last != "**" || slices.Contains(prefix, "**") {
		return false
	}
	lead := p.lead()
	if len(lead) < len(prefix) {
		return false
	}
	for i, s := range prefix {
		if !segmentWithin(lead[i], s) {
			return false
		}
	}
	return true
}

// lead returns the segments before the first **.
func (p Pattern) lead() []string {
	if i := slices.Index(p.segments, "**"); i >= 0 {
		return p.segments[:i]
	}
	return p.segments
}

func segmentWithin(s, owner string) bool {
	if s == owner || owner == "*" {
		return true
	}
	if !wild(s) {
		return matchSegment(owner, s)
	}
	a, okA := suffix(s)
	b, okB := suffix(owner)
	return okA && okB && strings.HasSuffix(a, b)
}

// Overlaps tells whether some path is proved to belong to both.
func (p Pattern) Overlaps(q Pattern) bool { return p.Within(q) || q.Within(p) }

// Disjoint tells whether no path is proved to belong to both. Two patterns can
// be neither: then nothing is proved.
func (p Pattern) Disjoint(q Pattern) bool {
	switch {
	case !p.wild:
		return !q.Match(p.text)
	case !q.wild:
		return !p.Match(q.text)
	}
	a, b := p.lead(), q.lead()
	for i := 0; i < len(a) && i < len(b); i++ {
		if segmentDisjoint(a[i], b[i]) {
			return true
		}
	}
	switch {
	case p.recursive && q.recursive:
		return false
	case p.recursive:
		return p.least() > len(q.segments)
	case q.recursive:
		return q.least() > len(p.segments)
	}
	return len(p.segments) != len(q.segments)
}

// least is the smallest number of segments a matched path has.
func (p Pattern) least() int {
	n := 0
	for _, s := range p.segments {
		if s != "**" {
			n++
		}
	}
	return n
}

func segmentDisjoint(a, b string) bool {
	switch {
	case !wild(a):
		return !matchSegment(b, a)
	case !wild(b):
		return !matchSegment(a, b)
	}
	x, okX := suffix(a)
	y, okY := suffix(b)
	return okX && okY && !strings.HasSuffix(x, y) && !strings.HasSuffix(y, x)
}

// suffix returns what follows the * of a segment that is * and a literal.
func suffix(s string) (string, bool) {
	rest, ok := strings.CutPrefix(s, "*")
	return rest, ok && !wild(rest)
}

func wild(s string) bool { return strings.ContainsAny(s, "*?") }
