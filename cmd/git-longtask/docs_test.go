package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGenerated compares the pages that are made from the source with those in
// docs; with -update it writes them.
func TestGenerated(t *testing.T) {
	for name, want := range map[string]string{
		"findings.md":    findingsPage(t),
		"json.md":        jsonPage(t),
		"git-longtask.1": manPage(),
	} {
		path := filepath.Join("..", "..", "docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("docs/%s is not what the source says (%v): go test ./cmd/git-longtask -run Generated -update", name, err)
		}
	}
}
