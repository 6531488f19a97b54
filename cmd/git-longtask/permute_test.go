package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// table is a small program: one command with every kind of flag.
func table() []*command {
	return []*command{
		{Name: "work", Aliases: []string{"w"}, Args: "[<dir> | <commit>]", Run: versionCommand().Run, Flags: []cli.Flag{
			&cli.StringFlag{Name: "why", Aliases: []string{"y"}}, &cli.BoolFlag{Name: "force"}, &cli.IntFlag{Name: "limit"}, &cli.StringSliceFlag{Name: "check"}}},
		{Name: "hook", Verbatim: true, Run: versionCommand().Run},
		{Name: "source mark", Args: "<file>", Run: versionCommand().Run},
		{Name: "later"},
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ line, want, problem string }{
		{"work", "work", ""},
		{"w dir --force", "w force=true dir", ""},
		{"work dir --why text --json", "work json why=text dir", ""},
		{"--json work --why=a=b", "work json why=a=b", ""},
		{"work -y text -- --force", "work why=text --force", ""},
		{"work --why -dash", "work why=-dash", ""},
		{"work --check a --check b", "work check=a check=b", ""},
		{"work --force=false", "work force=false", ""},
		{"work -", "work -", ""},
		{"-C a -C b work", "work C=a C=b", ""},
		{"work -C a --color never", "work C=a color=never", ""},
		{"source mark f", "source mark f", ""},
		{"hook pre-push --json -- x", "hook pre-push --json -- x", ""},
		{"later --whatever x", "later x", ""},
		{"work --why --force", "work force=true", "usage: --why needs a value"},
		{"work --why", "work", "usage: --why needs a value"},
		{"work --forse", "work", "unknown_flag: work has no flag --forse (did you mean --force?)"},
		{"work -force", "work", "unknown_flag: work has no flag -force"},
		{"work --f", "work", "unknown_flag: work has no flag --f"},
		{"work --color=red --json", "work json color=red", "usage: --color is auto, always or never, not \"red\""},
		{"wrok dir --json", "wrok json dir", "unknown_command: there is no command \"wrok\" (did you mean work?)"},
		{"delivery-set a", "delivery-set a", "retired: \"delivery-set\" is a name of the earlier tool and does nothing here"},
		{"source", "source", "usage: \"source\" needs one of its sub-commands"},
		{"source nonsense", "source nonsense", "unknown_command: there is no command \"source nonsense\""},
	} {
		line, problem := parse(table(), strings.Fields(c.line))
		if got := spellLine(line); got != c.want {
			t.Errorf("%q: parsed as %q, want %q", c.line, got, c.want)
		}
		got := ""
		if problem != nil {
			got = problem.Error()
			if strings.HasPrefix(problem.Hint, "did you mean") {
				got += " (" + problem.Hint + ")"
			}
		}
		if !strings.HasPrefix(got, c.problem) || (c.problem == "") != (got == "") {
			t.Errorf("%q: problem %q, want %q", c.line, got, c.problem)
		}
	}
}

func spellLine(l commandLine) string {
	words := []string{l.Name}
	if l.JSON {
		words = append(words, "json")
	}
	for _, d := range l.Dirs {
		words = append(words, "C="+d)
	}
	if l.Color != "" {
		words = append(words, "color="+l.Color)
	}
	for _, s := range l.Flags {
		words = append(words, s.name+"="+s.value)
	}
	return strings.Join(slices.Concat(words, l.Args), " ")
}

// FuzzParse: no line makes the parser fail, lose an argument after "--" or
// answer help together with a problem.
func FuzzParse(f *testing.F) {
	f.Add("work\n--why\nx\n--\n-C")
	f.Add("-C\n\n--json=maybe\n-\nsource\nmark")
	f.Fuzz(func(t *testing.T, text string) {
		args := strings.Split(text, "\n")
		line, problem := parse(table(), args)
		if problem != nil && line.Help {
			t.Errorf("%q: help and %v", args, problem)
		}
		if problem != nil || line.Help || line.Command == nil {
			return
		}
		i := slices.Index(args, "--")
		if before, _ := parse(table(), args[:max(i, 0)]); before.Command == nil || before.Command.Verbatim {
			return
		}
		if after := args[i+1:]; !slices.Equal(line.Args[max(0, len(line.Args)-len(after)):], after) {
			t.Errorf("%q: arguments are %q", args, line.Args)
		}
	})
}

func TestHelpIsAskedFor(t *testing.T) {
	for _, line := range []string{"", "-h", "--help", "work -h", "work dir --help", "source -h", "later -h"} {
		if l, problem := parse(table(), strings.Fields(line)); problem != nil || !l.Help {
			t.Errorf("%q: help %v, problem %v", line, l.Help, problem)
		}
	}
}

func TestSettingsAreTyped(t *testing.T) {
	line, problem := parse(table(), []string{"work", "--limit", "7", "--check=a", "--check", "b", "-y", "why"})
	if problem != nil {
		t.Fatal(problem)
	}
	flags, err := line.settings()
	if err != nil {
		t.Fatal(err)
	}
	if flags.Int("limit") != 7 || flags.String("why") != "why" || !slices.Equal(flags.StringSlice("check"), []string{"a", "b"}) || flags.IsSet("force") {
		t.Errorf("limit %d, why %q, check %q, force set %v", flags.Int("limit"), flags.String("why"), flags.StringSlice("check"), flags.IsSet("force"))
	}
	line, _ = parse(table(), []string{"work", "--limit", "many"})
	if _, err := line.settings(); err == nil || err.Error() != `usage: --limit needs a whole number, not "many"` {
		t.Errorf("a number that is none: %v", err)
	}
}

func TestArgBounds(t *testing.T) {
	for _, c := range []struct {
		args        string
		least, most int
	}{
		{"", 0, 0}, {"<a>", 1, 1}, {"[<a>]", 0, 1}, {"[<a> | <b>]", 0, 1}, {"<a> [<b>]", 1, 2}, {"<a> | <b>", 1, 1}, {"<a>...", 1, -1}, {"<name> [<args>]...", 1, -1},
	} {
		if least, most := argBounds(c.args); least != c.least || most != c.most {
			t.Errorf("%q: %d to %d, want %d to %d", c.args, least, most, c.least, c.most)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"compile", "status", "scope", "close", "ci"}
	for word, want := range map[string]string{"comple": "compile", "sttaus": "status", "nope": "", "xyz": "", "": "", "cl": "ci", "clsoe": "close"} {
		if got := nearest(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
