package check

import (
	"strings"
	"testing"
)

// TestOutputInFindings: the reader sees why, with paths of the tree, without
// terminal sequences and without secrets.
func TestOutputInFindings(t *testing.T) {
	t.Setenv("TOKEN", "hunter22")
	for _, c := range []struct{ name, body, want string }{
		{"stderr first", `echo out; echo "at $PWD/src/a.js:3" >&2`, "at src/a.js:3"},
		{"stdout otherwise", `echo out`, "out"},
		{"last lines", `seq 1 1000`, "993\n994\n995\n996\n997\n998\n999\n1000"},
		{"no terminal sequences", `printf '\033[31mred\033[0m\n'`, "[31mred[0m"},
		{"no secret in pieces", `printf 'hunt\033er22\n'`, ""},
		{"nothing", `:`, ""},
	} {
		p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\n" + c.body + "\nexit 1\n"})
		p.PassEnv = []string{"TOKEN"}
		r := Run(t.Context(), p, script())
		if got, _ := r.Findings[0].Refs["output"].(string); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\nhead -c 90000 /dev/zero | tr '\\0' 'é' >&2\nexit 1\n"})
	r := Run(t.Context(), p, script())
	if got := r.Findings[0].Refs["output"].(string); len(got) > 800 || strings.ContainsRune(got, '\uFFFD') {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}
