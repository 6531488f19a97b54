package revision

import (
	"fmt"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// around is how many equal lines are shown beside one that differs.
const around = 2

// Lines is a readable difference of two texts: each line with "-", "+" or a
// blank before it. Long equal parts are replaced by their number of lines.
func Lines(old, next string) []string {
	if old == next {
		return nil
	}
	d := diffmatchpatch.New()
	a, b, table := d.DiffLinesToRunes(ended(old), ended(next))
	diffs := d.DiffCharsToLines(d.DiffMainRunes(a, b, false), table)
	var out []string
	for i, part := range diffs {
		lines := strings.Split(strings.TrimSuffix(part.Text, "\n"), "\n")
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			out = append(out, prefixed("-", lines)...)
		case diffmatchpatch.DiffInsert:
			out = append(out, prefixed("+", lines)...)
		default:
			out = append(out, equal(lines, i > 0, i < len(diffs)-1)...)
		}
	}
	return out
}

// ended makes the last line a whole one, unless there is none.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

func prefixed(sign string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = sign + l
	}
	return out
}

// equal shows the ends of an equal part that touch a difference.
func equal(lines []string, before, after bool) []string {
	head, tail := 0, 0
	if before {
		head = min(around, len(lines))
	}
	if after {
		tail = min(around, len(lines)-head)
	}
	left := len(lines) - head - tail
	if left <= 1 { // a number would be no shorter
		head, left = len(lines)-tail, 0
	}
	out := prefixed(" ", lines[:head])
	if left > 0 {
		out = append(out, fmt.Sprintf("  (%d equal lines)", left))
	}
	return append(out, prefixed(" ", lines[len(lines)-tail:])...)
}

// Lines is the change for people, one line each.
func (c Change) Lines() []string {
	if len(c.Diff) > 0 {
		return c.Diff
	}
	return Lines(c.Old, c.New)
}
