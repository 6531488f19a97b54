package projectcontext

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-longtask/git-longtask/contract/model"
)

const manifest = `
[[areas]]
id = "core"
root = "."
context = "project_context/areas/core.md"
default = true

[[areas]]
id = "ledger-book"
root = "src/ledger"
context = "project_context/areas/ledger.md"

[[context]]
path = "project_context/areas/ledger/sums.md"
role = "guide"

[[context]]
path = "project_context/rounding.md"
role = "decision"
triggers = ["rounding", "exchange rate"]
default_children = ["project_context/banks.md"]

[[context]]
path = "project_context/style.md"
role = "guide"
read_policy = "default"
`

const long = "This paragraph is long enough that nobody writes it twice word for word without copying it.\n"

// texts is a tree in memory.
func texts(files map[string]string) *model.Tree {
	tree := &model.Tree{Read: func(_ context.Context, path string) ([]byte, error) { return []byte(files[path]), nil }}
	for path := range files {
		tree.Entries = append(tree.Entries, model.Entry{Path: path, Mode: 0o100644})
	}
	return tree
}

func project(t *testing.T, change map[string]string) *Context {
	t.Helper()
	files := map[string]string{
		ManifestPath: manifest, GlobalPath: "# Global\n", ArchitecturePath: "# Parts\n", "src/ledger/a.go": "x",
		Dir + "/areas/core.md": "core\n", Dir + "/areas/ledger.md": "ledger\n", Dir + "/areas/ledger/sums.md": "sums\n",
		Dir + "/rounding.md": "round\n", Dir + "/banks.md": "banks and rates\n", Dir + "/style.md": "style\n", Dir + "/old.md": "old rounding\n",
	}
	for path, text := range change {
		files[path] = text
	}
	c, err := Open(t.Context(), texts(files))
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	return c
}

func shown(entries []Entry) string {
	var lines []string
	for _, e := range entries {
		lines = append(lines, strings.TrimPrefix(e.Path, Dir+"/")+": "+e.Why)
	}
	return strings.Join(lines, "\n")
}

const everybody = "context.toml: core\nglobal.md: core\narchitecture.md: core\nareas/core.md: default area core\nstyle.md: default"

func TestRoute(t *testing.T) {
	c := project(t, nil)
	for words, want := range map[string]string{
		"":               "",
		"Rounding":       "\nrounding.md: trigger rounding\nbanks.md: child of project_context/rounding.md",
		"exchange":       "",
		"rate exchange":  "\nrounding.md: trigger exchange rate\nbanks.md: child of project_context/rounding.md",
		"ledger book":    "\nareas/ledger.md: area ledger-book\nareas/ledger/sums.md: area ledger-book",
		"src/ledger/new": "\nareas/ledger.md: area ledger-book\nareas/ledger/sums.md: area ledger-book",
		"guide":          "\nareas/ledger/sums.md: role guide",
	} {
		route, err := c.Route(t.Context(), strings.Fields(words))
		if err != nil || shown(route.Read) != everybody+want {
			t.Errorf("%q: %v\n%s", words, err, shown(route.Read))
		}
	}
	route, _ := c.Route(t.Context(), []string{"rounding"})
	if want := []Match{{Dir + "/old.md", 1, "old rounding"}}; !slices.Equal(route.Search.Matches, want) || !route.Search.Complete {
		t.Errorf("search: %+v", route.Search)
	}
}

func TestSearchIsBounded(t *testing.T) {
	c := project(t, map[string]string{Dir + "/big.md": strings.Repeat("word "+strings.Repeat("ü", 300)+"\n", 4000), Dir + "/zoo.md": "word\n"})
	s, err := c.Search(t.Context(), []string{"WORD"})
	if err != nil || s.ReadBytes != SearchBytes || s.Complete || len(s.Matches) != fileLines {
		t.Errorf("%v, %d bytes, %v, %d matches", err, s.ReadBytes, s.Complete, len(s.Matches))
	}
	if n := len(s.Matches[0].Text); n > lineBytes+4 {
		t.Errorf("a line of %d bytes", n)
	}
}

func TestStaleTexts(t *testing.T) {
	c := project(t, nil)
	findings, unowned := c.Stale([]string{"src/ledger/a.go", "src/ledgers", "project_context/areas/core.md"})
	if len(findings) != 1 || findings[0].Path != Dir+"/areas/ledger.md" || findings[0].Level != model.LevelWarning || len(unowned) != 0 {
		t.Errorf("%+v, %v", findings, unowned)
	}
	c.Manifest.Areas = c.Manifest.Areas[1:]
	if findings, unowned = c.Stale([]string{"README", "src/ledger/a.go", Dir + "/areas/ledger.md"}); len(findings) > 0 || !slices.Equal(unowned, []string{"README"}) {
		t.Errorf("%+v, %v", findings, unowned)
	}
}

func TestExamination(t *testing.T) {
	big := strings.Repeat("x", FileLimit+1)
	c := project(t, map[string]string{
		ManifestPath: manifest + "[[context]]\npath = \"project_context/gone.md\"\nrole = \"guide\"\n",
		GlobalPath:   big, Dir + "/old.md": "round\n", Dir + "/areas/core.md": "# Core\n\n" + long + "\nend\n", Dir + "/areas/ledger.md": "a\n\n" + long,
	})
	x, err := c.Examine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range x.Findings {
		got = append(got, fmt.Sprintf("%s:%d %s", strings.TrimPrefix(f.Path, Dir+"/"), f.Line, f.Code))
	}
	want := []string{"context.toml:1 context_file_missing", "global.md:0 context_file_large", "areas/ledger.md:3 context_duplicate", "rounding.md:0 context_duplicate"}
	if !slices.Equal(got, want) || shown(x.Read) != everybody || x.Bytes < FileLimit {
		t.Errorf("%d bytes\n%s\n%s", x.Bytes, strings.Join(got, "\n"), shown(x.Read))
	}
}

func TestManifestProblemsHaveLines(t *testing.T) {
	for text, line := range map[string]int{"[[areas]]\nid = \"a\"\n": 1, "x = 1\n": 1, "[[context]]\npath = \"a\"\nrole = \"r\"\nnew = 1\n": 4, "\n\na = [": 3} {
		_, findings := ParseManifest([]byte(text))
		if len(findings) != 1 || findings[0].Line != line || findings[0].Code != "context_manifest_invalid" {
			t.Errorf("%q: %+v", text, findings)
		}
	}
	if _, findings := ParseManifest([]byte(starterManifest)); len(findings) > 0 {
		t.Error(findings)
	}
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(manifest))
	f.Add([]byte(starterManifest))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, findings := ParseManifest(data)
		for _, x := range findings {
			if x.Line < 1 || x.Column < 1 {
				t.Errorf("%+v has no place", x)
			}
		}
		m.owner("a/b")
		m.nodes()
	})
}
