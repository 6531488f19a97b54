package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/git-longtask/git-longtask"

// allowed is who may import whom; sub-packages count as their room, and a room
// may import its own sub-packages.
var allowed = map[string][]string{
	"contract": {},
	"gitx":     {},
	"gate":     {"contract", "gitx"},
	"hooks":    {"gate", "contract", "gitx"},
	"loop":     {"gate", "contract", "gitx"},
	"cmd":      {"contract", "gitx", "gate", "hooks", "loop"},
}

func TestImportDirection(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		from := room(fields[0])
		if _, known := allowed[from]; !known {
			t.Errorf("%s is in no room of the architecture", fields[0])
		}
		for _, imported := range fields[1:] {
			to := room(imported)
			if to != "" && to != from && !slices.Contains(allowed[from], to) {
				t.Errorf("%s must not import %s", fields[0], imported)
			}
			if strings.HasPrefix(imported, "github.com/go-git/go-git/") && from != "gitx" {
				t.Errorf("%s must not import go-git: only gitx knows Git", fields[0])
			}
		}
	}
}

// room is the first directory of one of our packages, "" for others.
func room(path string) string {
	rest, ours := strings.CutPrefix(path, module+"/")
	if !ours {
		return ""
	}
	first, _, _ := strings.Cut(rest, "/")
	return first
}
