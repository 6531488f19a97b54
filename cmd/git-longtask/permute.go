package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// setting is one flag as given. The name is the flag's first name.
type setting struct {
	flag        cli.Flag
	name, value string
}

// commandLine is what the arguments say: global flags and the command's own
// flags stood anywhere before "--", the rest is positional.
type commandLine struct {
	Command *command
	Name    string
	Dirs    []string // of -C, in order
	JSON    bool
	Help    bool
	Color   string
	Flags   []setting
	Args    []string
}

// globalFlags are understood anywhere on the command line.
var globalFlags = []cli.Flag{
	&cli.StringFlag{Name: "C", Usage: "run as if started in `DIR`"},
	&cli.BoolFlag{Name: "json", Usage: "answer with one JSON object on stdout"},
	&cli.StringFlag{Name: "color", Usage: "use colour: `WHEN` is auto, always or never"},
	&cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show help"},
}

// parser reads arguments from left to right. After the first problem it goes
// on, so that --json is seen and the problem can be told in JSON.
type parser struct {
	table   []*command
	rest    []string
	line    commandLine
	problem *decideError
}

// parse understands a command line. The line is usable for an answer even when
// a problem is returned.
func parse(table []*command, args []string) (commandLine, *decideError) {
	p := &parser{table: table, rest: args}
	for len(p.rest) > 0 {
		arg := p.rest[0]
		p.rest = p.rest[1:]
		switch {
		case arg == "--":
			for _, a := range p.rest {
				p.positional(a)
			}
			p.rest = nil
		case len(arg) > 1 && arg[0] == '-':
			p.flag(arg)
		default:
			p.positional(arg)
		}
	}
	return p.line, p.finish()
}

// finish looks at the line as a whole: no command is a request for help.
func (p *parser) finish() *decideError {
	l := &p.line
	switch {
	case l.Command == nil && l.Name == "":
		l.Help = l.Help || p.problem == nil
	case l.Command == nil && !l.Help && p.problem == nil: // "source", "context"
		p.problem = &decideError{Code: "usage", Message: fmt.Sprintf("%q needs one of its sub-commands", l.Name), Next: "git longtask " + l.Name + " -h"}
	}
	if p.problem != nil {
		l.Help = false
	}
	if l.Command != nil && l.Command.Run == nil && (p.problem == nil || p.problem.Code != "retired") {
		return nil // the answer is that it is not built, whatever else was said
	}
	return p.problem
}

// positional is the command's name, its second word or an argument.
func (p *parser) positional(arg string) {
	l := &p.line
	if l.Command != nil || p.problem != nil {
		l.Args = append(l.Args, arg)
		return
	}
	name := strings.TrimPrefix(l.Name+" "+arg, " ")
	l.Command = find(p.table, name)
	switch {
	case l.Command != nil:
		l.Name = name
		if l.Command.Verbatim {
			l.Args, p.rest = p.rest, nil
		}
	case retired[name] != "":
		l.Name, p.problem = name, &decideError{Code: "retired", Message: fmt.Sprintf("%q is a name of the earlier tool and does nothing here", name), Hint: retired[name]}
	case hasGroup(p.table, name):
		l.Name = name
	default:
		p.problem = unknownCommand(p.table, name)
		l.Name = name
	}
}

// flag is a global flag or one of the command's.
func (p *parser) flag(arg string) {
	name, value, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	if long := strings.HasPrefix(arg, "--"); long != (len(name) > 1) {
		name = "" // -json and --C are not spellings of --json and -C
	}
	f := p.lookup(name)
	if f == nil {
		p.fail(p.unknownFlag(arg))
		return
	}
	if takesValue(f) && !given {
		if len(p.rest) == 0 || p.rest[0] == "--" || p.isFlag(p.rest[0]) {
			p.fail(usageError(p.line.Command, "%s needs a value", dashed(name)))
			return
		}
		value, p.rest = p.rest[0], p.rest[1:]
	}
	if !takesValue(f) && !given {
		value = "true"
	}
	p.set(f, value)
}

func (p *parser) set(f cli.Flag, value string) {
	name := f.Names()[0]
	if !slices.Contains(globalFlags, f) {
		p.line.Flags = append(p.line.Flags, setting{f, name, value})
		return
	}
	on, err := strconv.ParseBool(value)
	switch name {
	case "C":
		p.line.Dirs = append(p.line.Dirs, value)
	case "color":
		if p.line.Color = value; !slices.Contains([]string{"auto", "always", "never"}, value) {
			p.fail(usageError(p.line.Command, "--color is auto, always or never, not %q", value))
		}
	case "json":
		p.line.JSON = on
	case "help":
		p.line.Help = on
	}
	if !takesValue(f) && err != nil {
		p.fail(usageError(p.line.Command, "%s needs true or false, not %q", dashed(name), value))
	}
}

// lookup finds a flag by any of its names, the command's own first.
func (p *parser) lookup(name string) cli.Flag {
	flags := globalFlags
	if p.line.Command != nil {
		flags = slices.Concat(p.line.Command.Flags, globalFlags)
	}
	for _, f := range flags {
		if name != "" && slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// isFlag tells whether an argument is surely a flag and not a flag's value.
func (p *parser) isFlag(arg string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
	return strings.HasPrefix(arg, "--") && p.lookup(name) != nil
}

func (p *parser) fail(problem *decideError) {
	if p.problem == nil {
		p.problem = problem
	}
}

func (p *parser) unknownFlag(arg string) *decideError {
	arg, _, _ = strings.Cut(arg, "=")
	of := "git longtask"
	known := globalFlags
	if c := p.line.Command; c != nil {
		of, known = c.Name, slices.Concat(c.Flags, globalFlags)
	}
	var names []string
	for _, f := range known {
		for _, n := range f.Names() {
			names = append(names, dashed(n))
		}
	}
	problem := usageError(p.line.Command, "%s has no flag %s", of, arg)
	problem.Code = "unknown_flag"
	if best := nearest(arg, names); best != "" {
		problem.Hint = "did you mean " + best + "?"
	}
	return problem
}

func unknownCommand(table []*command, name string) *decideError {
	var names []string
	for _, c := range table {
		if !c.Hidden {
			names = append(append(names, c.Name), c.Aliases...)
		}
	}
	problem := &decideError{Code: "unknown_command", Message: fmt.Sprintf("there is no command %q", name), Next: "git longtask -h"}
	if best := nearest(name, names); best != "" {
		problem.Hint, problem.Next = "did you mean "+best+"?", "git longtask "+best
	}
	return problem
}

func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
