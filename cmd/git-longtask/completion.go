package main

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// The scripts only pass words to the hidden command "complete", so that all
// shells know the same.
//
//go:embed completion
var completionScripts embed.FS

var shells = []string{"bash", "fish", "zsh"}

type completionFields struct {
	Script string `json:"script"`
}

func completionCommand() *command {
	return &command{
		Name:        "completion",
		Group:       groupAbout,
		Args:        "<shell>",
		Usage:       "print shell completion for bash, fish or zsh",
		JSON:        completionFields{},
		Description: "The script completes both git-longtask and git longtask. install.sh puts it where the shells look for it.",
		Examples: []string{
			"source <(git longtask completion bash)",
			"git longtask completion fish | source",
			"git longtask completion zsh >~/.zfunc/_git-longtask  # a directory of $fpath",
		},
		Run: func(_ context.Context, inv *invocation) (*report, error) {
			shell := inv.Args[0]
			if !slices.Contains(shells, shell) {
				return nil, usageError(inv.Command, "there is no completion for %q, only for %s", shell, strings.Join(shells, ", "))
			}
			script, err := completionScripts.ReadFile("completion/" + shell)
			if err != nil {
				return nil, fmt.Errorf("completion for %s: %w", shell, err)
			}
			return &report{Status: "reported", Fields: completionFields{string(script)}, Text: func(p *printer) { p.text(strings.TrimSuffix(string(script), "\n")) }}, nil
		},
	}
}

func completeCommand() *command {
	return &command{
		Name:     "complete",
		Usage:    "list what could stand at the end of a command line",
		Hidden:   true,
		Verbatim: true,
		Run: func(ctx context.Context, inv *invocation) (*report, error) {
			found := candidates(ctx, inv, inv.Args)
			return &report{Status: "reported", Text: func(p *printer) {
				for _, c := range found {
					p.line("%s\t%s", c.word, c.about)
				}
			}}, nil
		},
	}
}

// candidate is a word that could be meant, and what it is.
type candidate struct{ word, about string }

// candidates are the words that could complete the last of a command line.
// None means that the shell should offer files.
func candidates(ctx context.Context, inv *invocation, words []string) []candidate {
	if len(words) == 0 || slices.Contains(words[:len(words)-1], "--") {
		return nil
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	line, _ := parse(commands(), before)
	if inv.prepare(commandLine{Dirs: line.Dirs}) != nil {
		return nil
	}
	var all []candidate
	if f := awaitsValue(line, before); f != nil {
		all = flagValues(ctx, inv, f)
	} else if strings.HasPrefix(last, "-") {
		all = flagWords(line.Command)
	} else if line.Command == nil {
		all = commandWords(line.Name)
	} else {
		all = argumentValues(ctx, inv, line.Command)
	}
	return slices.DeleteFunc(all, func(c candidate) bool { return !strings.HasPrefix(c.word, last) })
}

// awaitsValue is the flag at the end of a line whose value comes next.
func awaitsValue(line commandLine, words []string) cli.Flag {
	if len(words) == 0 || !strings.HasPrefix(words[len(words)-1], "-") {
		return nil
	}
	p := parser{line: line}
	f := p.lookup(strings.TrimLeft(words[len(words)-1], "-"))
	if f == nil || !takesValue(f) {
		return nil
	}
	return f
}

func flagWords(c *command) []candidate {
	flags := globalFlags
	if c != nil {
		flags = slices.Concat(c.Flags, globalFlags)
	}
	var all []candidate
	for _, f := range flags {
		_, _, usage := flagDoc(f)
		all = append(all, candidate{dashed(f.Names()[0]), usage})
	}
	return all
}

// commandWords are the first words of commands, or the second ones after a
// first.
func commandWords(first string) []candidate {
	var all []candidate
	for _, c := range commands() {
		word, about := c.Name, c.Usage
		if first != "" {
			rest, ok := strings.CutPrefix(c.Name, first+" ")
			if !ok {
				continue
			}
			word = rest
		} else if group, _, two := strings.Cut(c.Name, " "); two {
			word, about = group, group+" commands"
		}
		if !c.Hidden && c.Run != nil && !slices.Contains(all, candidate{word, about}) {
			all = append(all, candidate{word, about})
		}
	}
	return all
}
