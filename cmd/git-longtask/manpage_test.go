package main

import (
	"fmt"
	"slices"
	"strings"
)

// manPage is docs/git-longtask.1: what -h says, as the page git opens for
// git longtask --help.
func manPage() string {
	var b roff
	b.line(`.TH GIT\-LONGTASK 1 "" "git\-longtask" "User commands"`)
	b.section("Name")
	b.text("git-longtask - keep a long piece of work from being called finished when it is not")
	b.section("Synopsis")
	b.line(`.B git longtask`)
	b.text("[-C <dir>] <command> [--json] [--color auto|always|never] [<args>]")
	b.section("Description")
	b.text("A contract in the repository says what must become true and which commands prove it. Once it is locked, hooks, a gate and CI hold " +
		"every commit against it. Nothing but evidence on one exact commit is ever accepted; what is unsatisfied, unverifiable, stale or " +
		"waiting for somebody stays visibly unfinished.")
	b.section("Options")
	for _, row := range flagRows(globalFlags) {
		b.item(row[0], row[1])
	}
	for _, g := range groups {
		built := slices.DeleteFunc(commands(), func(c *command) bool { return c.Group != g || c.Run == nil || c.Hidden })
		if len(built) == 0 {
			continue
		}
		b.section(g)
		for _, c := range built {
			b.command(c)
		}
	}
	b.section("Exit status")
	b.item("0", "accepted, validated or reported")
	b.item("1", "decided: not finished or refused; the answer says why, where and what to do")
	b.item("2", "could not decide: wrong usage, broken repository, missing git")
	b.item("130", "interrupted")
	b.section("Environment")
	b.item("NO_COLOR", "when set, no colour unless --color always is given")
	b.item("GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE", "honoured as git honours them")
	b.item("XDG_CACHE_HOME", "where the trees that checks run in are kept, below git-longtask")
	b.section("See also")
	b.text("githooks(7), git-notes(1)")
	return b.String()
}

// roff writes the few requests that the page needs.
type roff struct{ strings.Builder }

func (b *roff) line(s string) { b.WriteString(s + "\n") }

func (b *roff) text(s string) { b.line(roffEscape(s)) }

func (b *roff) section(title string) { b.line(".SH " + strings.ToUpper(title)) }

func (b *roff) item(tag, text string) {
	b.line(".TP")
	b.line(".B " + roffEscape(tag))
	b.text(text)
}

func (b *roff) command(c *command) {
	b.line(".SS " + roffEscape("git longtask "+strings.TrimSpace(c.Name+" "+c.Args)))
	b.text(strings.ToUpper(c.Usage[:1]) + c.Usage[1:] + ".")
	if len(c.Aliases) > 0 {
		b.text("Also: git longtask " + strings.Join(c.Aliases, ", git longtask ") + ".")
	}
	if c.Description != "" {
		b.line(".PP")
		b.text(c.Description)
	}
	for _, row := range flagRows(c.Flags) {
		b.item(row[0], row[1])
	}
	if len(c.Examples) == 0 {
		return
	}
	b.line(".PP\n.nf")
	for _, e := range c.Examples {
		b.text(fmt.Sprintf("    %s", e))
	}
	b.line(".fi")
}

// roffEscape keeps text from being read as requests, and dashes typeable.
func roffEscape(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return strings.NewReplacer("\n.", "\n\\&.", "\n'", "\n\\&'").Replace(s)
}
