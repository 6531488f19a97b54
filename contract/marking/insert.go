package marking

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// edit is a line of a unified difference: ' ' stays, '-' goes, '+' comes.
type edit struct {
	op        byte
	text, end string
}

// insert puts markers around the proposed lines. Markers are indented as their
// item and end their lines as the file does.
func insert(path string, lines []line, found []Proposal) (marked []byte, diff string) {
	var edits []edit
	next := 0
	for i, l := range lines {
		if next < len(found) && found[next].FirstLine == i+1 {
			edits = append(edits, edit{'+', blanks(l.text) + "<!-- ty-source-item:start key=" + found[next].Key + " kind=" + found[next].Kind + " -->", lineEnd(lines, l)})
		}
		if next == len(found) || found[next].LastLine != i+1 {
			edits = append(edits, edit{' ', l.text, l.end})
			continue
		}
		marker := edit{'+', blanks(lines[found[next].FirstLine-1].text) + "<!-- ty-source-item:end -->", l.end}
		if l.end == "" {
			edits = append(edits, edit{'-', l.text, ""}, edit{'+', l.text, lineEnd(lines, l)}, marker)
		} else {
			edits = append(edits, edit{' ', l.text, l.end}, marker)
		}
		next++
	}
	var b strings.Builder
	for _, e := range edits {
		if e.op != '-' {
			b.WriteString(e.text + e.end)
		}
	}
	return []byte(b.String()), unified(path, edits)
}

// lineEnd is how a line ends, or would: as the first line does.
func lineEnd(lines []line, l line) string {
	switch {
	case l.end != "":
		return l.end
	case lines[0].end != "":
		return lines[0].end
	}
	return "\n"
}

// around is how many unchanged lines a difference shows about a change.
const around = 3

// unified is the difference in the format that git apply reads, or "" when
// nothing changes.
func unified(path string, edits []edit) string {
	var b strings.Builder
	oldLine, newLine := 1, 1
	for i := 0; i < len(edits); {
		from, to := hunk(edits, i)
		skipped := from - i
		oldLine, newLine = oldLine+skipped, newLine+skipped
		if from == len(edits) {
			break
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "--- %s\n+++ %s\n", header("a/"+path), header("b/"+path))
		}
		oldCount, newCount := count(edits[from:to])
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", oldLine, oldCount, newLine, newCount)
		for _, e := range edits[from:to] {
			b.WriteString(string(e.op) + e.text + e.end)
			if e.end == "" {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
		oldLine, newLine, i = oldLine+oldCount, newLine+newCount, to
	}
	return b.String()
}

// hunk is the next run of changes from i on, with the lines around it.
func hunk(edits []edit, i int) (from, to int) {
	first := slices.IndexFunc(edits[i:], func(e edit) bool { return e.op != ' ' })
	if first < 0 {
		return len(edits), len(edits)
	}
	last := i + first
	for j := last + 1; j < len(edits) && j-last <= 2*around; j++ {
		if edits[j].op != ' ' {
			last = j
		}
	}
	return max(i, i+first-around), min(len(edits), last+1+around)
}

func count(edits []edit) (before, after int) {
	for _, e := range edits {
		if e.op != '+' {
			before++
		}
		if e.op != '-' {
			after++
		}
	}
	return before, after
}

// header is a path as git writes it there: quoted where it is unusual, and
// with a tab where a blank could end it.
func header(path string) string {
	if strings.ContainsAny(path, "\"\\") || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' }) {
		return strconv.Quote(path)
	}
	if strings.Contains(path, " ") {
		return path + "\t"
	}
	return path
}
