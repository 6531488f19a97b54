package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-longtask/git-longtask/contract"
)

// shown is how many findings of one code, or paths, people see; JSON has all.
const shown = 10

// printer writes text for people: a verdict first, facts with places, and last
// what to type.
type printer struct {
	w     io.Writer
	color bool
}

// line writes one line.
func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p.w, format+"\n", args...)
}

// text writes lines that are ready, or nothing for "".
func (p *printer) text(s string) {
	if s != "" {
		p.line("%s", s)
	}
}

// next writes the command to type, or nothing for "".
func (p *printer) next(cmd string) {
	if cmd != "" {
		p.line("next: %s", cmd)
	}
}

// findings writes each finding with its place and hint, errors in red. Of one
// code at most ten are shown, then their number.
func (p *printer) findings(fs []contract.Finding) {
	seen := map[string]int{}
	for _, f := range fs {
		if seen[f.Code]++; seen[f.Code] > shown {
			continue
		}
		p.finding(f)
	}
	told := map[string]bool{}
	for _, f := range fs {
		if more := seen[f.Code] - shown; more > 0 && !told[f.Code] {
			told[f.Code] = true
			p.line("... and %d more %s (--json lists all)", more, f.Code)
		}
	}
}

func (p *printer) finding(f contract.Finding) {
	code := p.red(f.Code)
	switch f.Level {
	case contract.LevelWarning:
		code = p.yellow(f.Code) + " (warning)"
	case contract.LevelDecision:
		code = p.yellow(f.Code) + " (decision required)"
	}
	p.line("%s%s: %s", place(f), code, printable(f.Message))
	for hint := range strings.Lines(f.RepairHint) {
		p.line("    %s", printable(strings.TrimSuffix(hint, "\n")))
	}
	if f.Next != "" {
		p.line("    next: %s", f.Next)
	}
}

// place is "path:line:column: ", as far as it is known.
func place(f contract.Finding) string {
	if f.Path == "" {
		return ""
	}
	s := quotePath(f.Path) + ":"
	if f.Line > 0 {
		s += strconv.Itoa(f.Line) + ":"
		if f.Column > 0 {
			s += strconv.Itoa(f.Column) + ":"
		}
	}
	return s + " "
}

// quotePath leaves ordinary paths alone and quotes those that a terminal or a
// reader could misread.
func quotePath(path string) string {
	if path == "" || strings.TrimSpace(path) != path || strings.ContainsAny(path, `"\`) || printable(path) != path {
		return strconv.Quote(path)
	}
	return path
}

// printable escapes what could steer a terminal: texts may come from the
// repository or from a check's output.
func printable(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		}
		s = s[n:]
	}
	return b.String()
}

func (p *printer) bold(s string) string   { return p.paint("1", s) }
func (p *printer) red(s string) string    { return p.paint("31", s) }
func (p *printer) yellow(s string) string { return p.paint("33", s) }

func (p *printer) paint(code, s string) string {
	if !p.color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
