package main

import (
	"bytes"
	"context"
	"flag"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

func helpCommand() *command {
	return &command{
		Name:   "help",
		Group:  groupAbout,
		Usage:  "show help for a command",
		Args:   "[<command>]...",
		Hidden: true,
		Run: func(_ context.Context, inv *invocation) (*report, error) {
			name := strings.Join(inv.Args, " ")
			c := find(commands(), name)
			if c == nil && name != "" && !hasGroup(commands(), name) {
				return nil, unknownCommand(commands(), name)
			}
			return &report{Status: "reported", Text: func(p *printer) { writeHelp(p, c, name) }}, nil
		},
	}
}

// help answers -h at every level.
func (inv *invocation) help(line commandLine) int {
	var out bytes.Buffer
	writeHelp(&printer{w: &out, color: inv.Color}, line.Command, line.Name)
	return emit(inv.Stdio.out, out.Bytes(), inv.Stdio, exitOK)
}

// writeHelp prints the page of a command, of the commands that start with a
// word, or of the program.
func writeHelp(p *printer, c *command, name string) {
	switch {
	case c != nil:
		writeCommandHelp(p, c)
	case name != "":
		p.line("usage: git longtask %s <command>", name)
		p.line("")
		writeRows(p, commandRows(func(c *command) bool { return strings.HasPrefix(c.Name, name+" ") }))
	default:
		writeProgramHelp(p)
	}
}

func writeProgramHelp(p *printer) {
	p.line("git-longtask keeps a long piece of work from being called finished when it is not.")
	p.line("")
	p.line("usage: git longtask [-C <dir>] <command> [--json] [--color auto|always|never] [<args>]")
	for _, g := range groups {
		rows := commandRows(func(c *command) bool { return c.Group == g && c.Run != nil && !c.Hidden })
		if len(rows) == 0 {
			continue
		}
		p.line("")
		p.line("%s", p.bold(g))
		writeRows(p, rows)
	}
	if waiting := notYet(); len(waiting) > 0 {
		p.line("")
		p.line("%s", p.bold("Not in this version yet"))
		for _, l := range wrap(waiting, 74) {
			p.line("  %s", l)
		}
	}
	p.line("")
	p.line("exit codes: 0 accepted or reported, 1 refused, 2 could not decide, 130 interrupted")
	p.line("help for one command: git longtask <command> -h")
}

func notYet() []string {
	var names []string
	for _, c := range commands() {
		if c.Run == nil && !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return names
}

func writeCommandHelp(p *printer, c *command) {
	p.line("git longtask %s: %s", c.Name, c.Usage)
	p.line("")
	p.line("usage: %s", synopsis(c))
	if len(c.Aliases) > 0 {
		p.line("also:  git longtask %s", strings.Join(c.Aliases, ", git longtask "))
	}
	if c.Run == nil {
		p.line("")
		p.line("Not in this version yet.")
	}
	if c.Description != "" {
		p.line("")
		p.line("%s", strings.TrimSpace(c.Description))
	}
	p.line("")
	p.line("%s", p.bold("flags"))
	writeRows(p, flagRows(slices.Concat(c.Flags, globalFlags)))
	if len(c.Examples) > 0 {
		p.line("")
		p.line("%s", p.bold("examples"))
		for _, e := range c.Examples {
			p.line("  %s", e)
		}
	}
}

// synopsis is the command line in one line.
func synopsis(c *command) string {
	s := "git longtask " + c.Name
	if c.Args != "" {
		s += " " + c.Args
	}
	for _, f := range c.Flags {
		name, value, _ := flagDoc(f)
		s += " [" + strings.TrimSpace(name+" "+value) + "]"
	}
	return s
}

func commandRows(keep func(*command) bool) [][2]string {
	var rows [][2]string
	for _, c := range commands() {
		if keep(c) {
			rows = append(rows, [2]string{strings.TrimSpace(c.Name + " " + c.Args), c.Usage})
		}
	}
	return rows
}

func flagRows(flags []cli.Flag) [][2]string {
	var rows [][2]string
	for _, f := range flags {
		name, value, usage := flagDoc(f)
		rows = append(rows, [2]string{strings.TrimSpace(name + " " + value), usage})
	}
	return rows
}

// flagDoc is a flag's spelling, its value's name ("" for a switch) and what it
// does. The value's name stands in backquotes in the usage, as in package flag.
func flagDoc(f cli.Flag) (name, value, usage string) {
	var names []string
	for _, n := range f.Names() {
		names = append(names, dashed(n))
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		value, usage = flag.UnquoteUsage(&flag.Flag{Usage: d.GetUsage(), Value: boolValue(!d.TakesValue())})
	}
	return strings.Join(names, ", "), value, usage
}

// boolValue tells flag.UnquoteUsage whether a flag has a value to name.
type boolValue bool

func (b boolValue) IsBoolFlag() bool { return bool(b) }
func (boolValue) String() string     { return "" }
func (boolValue) Set(string) error   { return nil }

func writeRows(p *printer, rows [][2]string) {
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	for _, r := range rows {
		p.line("  %-*s  %s", width, r[0], r[1])
	}
}

// wrap lists words with commas, in lines of at most width bytes.
func wrap(words []string, width int) []string {
	lines := []string{""}
	for i, word := range words {
		if i < len(words)-1 {
			word += ","
		}
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case len(*last)+1+len(word) > width:
			lines = append(lines, word)
		default:
			*last += " " + word
		}
	}
	return lines
}
