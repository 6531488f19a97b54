package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// findingsPage is docs/findings.md.
func findingsPage(t *testing.T) string {
	var b strings.Builder
	b.WriteString(`# Findings and errors

Generated from the source: go test ./cmd/git-longtask -run Generated -update

Every code that an answer can carry, what it says happened, and what to do. "…" stands for what is filled in. A finding of level error
or decision_required refuses (exit 1), a warning never does; errors of the command line mean that nothing could be decided (exit 2).
`)
	codes := explainedCodes(t)
	for _, room := range []struct{ name, title string }{
		{"contract", "Contract and source"}, {"gate", "Checks, gate, authority, sharing"}, {"hooks", "Hooks"}, {"cmd", "Command line"}} {
		fmt.Fprintf(&b, "\n## %s\n\n| code | what happened | what to do |\n|---|---|---|\n", room.title)
		for _, code := range slices.Sorted(maps.Keys(codes)) {
			if use := codes[code]; use.room == room.name {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", code, cell(use.causes), cell(use.remedies))
			}
		}
	}
	return b.String()
}

func cell(texts []string) string {
	joined := strings.Join(texts, "<br>")
	return strings.NewReplacer("|", `\|`, "\n", "<br>").Replace(strings.TrimSpace(joined))
}
