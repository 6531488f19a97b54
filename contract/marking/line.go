package marking

import "strings"

// line is one line of a file. End is its line end, "" where the file ends
// without one. Marked lines belong to an item that is marked already.
type line struct {
	text, end string
	number    int // in the file, from 1
	marked    bool
}

func split(data string) []line {
	var lines []line
	for raw := range strings.Lines(data) {
		text, end := strings.TrimSuffix(raw, "\n"), ""
		if text != raw {
			end = "\n"
		}
		if bare := strings.TrimSuffix(text, "\r"); end != "" && bare != text {
			text, end = bare, "\r\n"
		}
		lines = append(lines, line{text: text, end: end, number: len(lines) + 1})
	}
	return lines
}

// isStart and isEnd use the words by which a scanner of markers finds them, so
// they err on no line that such a scanner accepts.
func isStart(text string) bool { return strings.Contains(text, "ty-source-item:start") }
func isEnd(text string) bool   { return strings.Contains(text, "ty-source-item:end") }

// unmarked are the lines without markers.
func unmarked(lines []line) []line {
	kept, open := make([]line, 0, len(lines)), false
	for _, l := range lines {
		switch {
		case isStart(l.text):
			open = true
		case isEnd(l.text):
			open = false
		default:
			l.marked = open
			kept = append(kept, l)
		}
	}
	return kept
}

// Unmark gives the text without its marker lines. A last line end that only a
// marker needed goes with it.
func Unmark(data []byte) []byte {
	lines := split(string(data))
	kept := unmarked(lines)
	var b strings.Builder
	for i, l := range kept {
		if i == len(kept)-1 && lines[len(lines)-1].end == "" {
			l.end = ""
		}
		b.WriteString(l.text + l.end)
	}
	return []byte(b.String())
}

// indent is the width of the blanks a line starts with; a tab reaches to the
// next multiple of four.
func indent(text string) int {
	width := 0
	for _, r := range text {
		switch r {
		case ' ':
			width++
		case '\t':
			width += 4 - width%4
		default:
			return width
		}
	}
	return width
}

// blanks are the characters of a line's indentation.
func blanks(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, " \t"))]
}
