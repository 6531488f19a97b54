package evidence

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	tapPoint = regexp.MustCompile(`^(not )?ok\b(?:\s+([0-9]+))?(?:\s+(.*))?$`)
	tapPlan  = regexp.MustCompile(`^([0-9]+)\.\.([0-9]+)(?:\s+#.*)?$`)
)

// tapIndent is how far a subtest is set in.
const tapIndent = 4

// ParseTAP reads TAP 13 or 14 from standard output, subtests and diagnostics
// included. The plan must be there and be kept: a report that ends early is an
// error.
func ParseTAP(stdout []byte) (Report, error) {
	p := tapParser{levels: []tapLevel{{}}}
	for n, line := range strings.Split(string(stdout), "\n") {
		if err := p.line(strings.TrimRight(line, " \r")); err != nil {
			return Report{}, fmt.Errorf("line %d of stdout: %w", n+1, err)
		}
	}
	if len(p.levels) > 1 {
		return Report{}, errors.New("the TAP on stdout ends within a subtest")
	}
	top := p.levels[0]
	if !top.planned {
		return Report{}, errors.New("stdout holds no TAP plan (1..N), so it cannot be told whether it is complete")
	}
	if err := top.complete(); err != nil {
		return Report{}, err
	}
	return Report{Cases: top.cases}, nil
}

// tapLevel is one subtest under way. Its cases wait for the point that names it.
type tapLevel struct {
	cases   []Case
	points  int
	planned bool
	plan    int
}

func (l tapLevel) complete() error {
	if l.planned && l.points != l.plan {
		return fmt.Errorf("the TAP plan promises %d tests and %d are there", l.plan, l.points)
	}
	return nil
}

type tapParser struct {
	levels     []tapLevel
	diagnostic int // column of the YAML block under way plus one, 0 for none
}

func (p *tapParser) line(line string) error {
	text := strings.TrimLeft(line, " ")
	column := len(line) - len(text)
	if p.diagnostic > 0 {
		if text == "..." && column == p.diagnostic-1 {
			p.diagnostic = 0
		}
		return nil
	}
	if text == "---" {
		p.diagnostic = column + 1
		return nil
	}
	if strings.HasPrefix(text, "Bail out!") {
		return errors.New("the run bailed out")
	}
	level := column / tapIndent
	if column%tapIndent != 0 || level > maxDepth {
		return nil
	}
	if m := tapPlan.FindStringSubmatch(text); m != nil {
		return p.plan(level, m)
	}
	if m := tapPoint.FindStringSubmatch(text); m != nil {
		return p.point(level, m)
	}
	return nil
}

func (p *tapParser) plan(level int, m []string) error {
	p.open(level)
	l := &p.levels[level]
	last, err := strconv.Atoi(m[2])
	if err != nil || l.planned || level < len(p.levels)-1 {
		return errors.New("a TAP plan out of place")
	}
	first, _ := strconv.Atoi(m[1])
	l.planned, l.plan = true, max(last-first+1, 0)
	return nil
}

func (p *tapParser) open(level int) {
	for len(p.levels) <= level {
		p.levels = append(p.levels, tapLevel{})
	}
}

// point takes one test. What was reported one level deeper since the last
// point of this level is inside of it.
func (p *tapParser) point(level int, m []string) error {
	p.open(level)
	var inside []Case
	for len(p.levels) > level+1 {
		deepest := p.levels[len(p.levels)-1]
		if err := deepest.complete(); err != nil {
			return err
		}
		inside = append(deepest.cases, inside...)
		p.levels = p.levels[:len(p.levels)-1]
	}
	l := &p.levels[level]
	l.points++
	if n, err := strconv.Atoi(m[2]); m[2] != "" && (err != nil || n != l.points) {
		return fmt.Errorf("test %s where test %d follows", m[2], l.points)
	}
	name, directive := tapName(m[3])
	c := Case{Path: []string{name}, Status: CasePassed, Group: len(inside) > 0}
	switch {
	case directive != "":
		c.Status = CaseSkipped
	case m[1] != "":
		c.Status = CaseFailed
	}
	l.cases = append(l.cases, c)
	for _, child := range inside {
		child.Path = append([]string{name}, child.Path...)
		l.cases = append(l.cases, child)
	}
	return nil
}

// tapName splits a description from its directive: SKIP or TODO, both of which
// mean that the test decides nothing.
func tapName(text string) (name, directive string) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case text[i] == '#' && (i == 0 || text[i-1] == ' '):
			rest := strings.ToLower(strings.TrimSpace(text[i+1:]))
			for _, word := range []string{"skip", "todo"} {
				if strings.HasPrefix(rest, word) {
					return tapTrim(b.String()), word
				}
			}
			b.WriteByte('#')
		default:
			b.WriteByte(text[i])
		}
	}
	return tapTrim(b.String()), ""
}

func tapTrim(name string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "- "))
}
