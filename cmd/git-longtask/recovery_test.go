package main

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var recoveryRow = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|.*\\| ([^|]+) \\|$")

// TestEveryFindingOfDoctorHasItsRow holds docs/recovery.md against the source:
// one row for each code doctor can show, and a repair exactly where one is.
func TestEveryFindingOfDoctorHasItsRow(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "recovery.md"))
	if err != nil {
		t.Fatal(err)
	}
	codes := doctorCodes(t)
	for _, row := range recoveryRow.FindAllStringSubmatch(string(page), -1) {
		repairs, known := codes[row[1]]
		if !known {
			t.Errorf("%s has a row (or two), and doctor shows no such finding", row[1])
		}
		if says := row[2] != "nothing"; says != repairs {
			t.Errorf("%s: the row says that repair does %q, and the source has a repair: %v", row[1], row[2], repairs)
		}
		delete(codes, row[1])
	}
	for code := range codes {
		t.Errorf("%s has no row in docs/recovery.md", code)
	}
}

// doctorCodes are the codes of doctor's findings, and whether each has a repair.
func doctorCodes(t *testing.T) map[string]bool {
	t.Helper()
	codes := map[string]bool{"hook_edited": false, "hook_saved_missing": false, // made in hooks/findings.go, for install too
		"authority_corrupt": false, "authority_format_unsupported": false, "authority_missing": true, "authority_rewritten": false} // sentinels
	root := filepath.Join("..", "..")
	for _, pattern := range []string{"gate/doctor*.go", "hooks/inspect.go", "hooks/config.go"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range files {
			f, err := goparser.ParseFile(token.NewFileSet(), path, nil, goparser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				addDoctorCode(codes, n)
				return true
			})
		}
	}
	return codes
}

// addDoctorCode takes the code out of a Finding literal and of a call of
// finding; the repair is the second argument of add around the literal.
func addDoctorCode(codes map[string]bool, n ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		if spell(n.Fun) == "finding" {
			if code, ok := literal(n.Args[0]); ok {
				codes[code] = false
			}
		}
		if strings.HasSuffix(spell(n.Fun), ".add") && len(n.Args) == 2 {
			if lit, ok := n.Args[0].(*ast.CompositeLit); ok && spell(n.Args[1]) != "nil" {
				if code := codeOf(lit); code != "" {
					codes[code] = true
				}
			}
		}
	case *ast.CompositeLit:
		if code := codeOf(n); code != "" && !codes[code] {
			codes[code] = false
		}
	}
}

func codeOf(lit *ast.CompositeLit) string {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok && spell(kv.Key) == "Code" {
			code, _ := literal(kv.Value)
			return code
		}
	}
	return ""
}
