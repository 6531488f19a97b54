package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

const contractPath = "work/task/" + FileName

func compile(repo *memory) Result {
	return Compile(context.Background(), repo.tree(), Options{Workdir: "work/task"})
}

// edit replaces text in the contract of a repository.
func (m *memory) edit(t *testing.T, old, new string) *memory {
	t.Helper()
	if !bytes.Contains(m.files[contractPath], []byte(old)) {
		t.Fatalf("the contract has no %q", old)
	}
	m.files[contractPath] = bytes.Replace(m.files[contractPath], []byte(old), []byte(new), 1)
	return m
}

func codesOf(r Result) []string {
	var codes []string
	for _, f := range r.Findings {
		codes = append(codes, f.Code)
	}
	return codes
}

func TestCompiledFormIsDeterministicAndDecodes(t *testing.T) {
	repo := manyOutcomes(7)
	first := compile(repo)
	if len(first.Findings) > 0 {
		t.Fatal(summary(first.Findings))
	}
	data, err := first.Compiled.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	tree := repo.tree()
	rand.Shuffle(len(tree.Entries), func(i, j int) { tree.Entries[i], tree.Entries[j] = tree.Entries[j], tree.Entries[i] })
	again, err := Compile(context.Background(), tree, Options{Workdir: "./work/task"}).Compiled.Canonical()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("another order of entries gives another form: %v", err)
	}
	decoded, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if decoded.ContractSHA256 != first.Compiled.ContractSHA256 || len(decoded.Files) != 9 {
		t.Errorf("decoded %+v", decoded.Files)
	}
}

func TestDecodeRefuses(t *testing.T) {
	data, _ := compile(manyOutcomes(1)).Compiled.Canonical()
	for name, bad := range map[string]string{
		"another format":      strings.Replace(string(data), `"format":1`, `"format":2`, 1),
		"an unknown field":    strings.Replace(string(data), `"format":1`, `"extra":0,"format":1`, 1),
		"blanks":              string(data) + "\n",
		"another value twice": strings.Replace(string(data), `"format":1`, `"format":1,"format":1`, 1),
		"half":                string(data[:len(data)/2]),
		"nothing":             "",
	} {
		_, err := Decode([]byte(bad))
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
		if (name == "another format") != errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	data, err := compile(manyOutcomes(1)).Compiled.Canonical()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"format":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Decode(data)
		if err != nil {
			return
		}
		again, err := c.Canonical()
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("%q decodes, and encodes to %q", data, again)
		}
		c.Scope().Allows("a/b")
	})
}

// FuzzCompile compiles any contract text.
func FuzzCompile(f *testing.F) {
	repo := manyOutcomes(2)
	f.Add(repo.files[contractPath])
	f.Add([]byte("schema_version: long-task-delivery-v2\noutcomes: [{}, 1, [], {acceptance: {checks: [{runner: {type: command}}]}}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		repo := &memory{files: map[string][]byte{contractPath: data, "docs/request.md": repo.files["docs/request.md"], "src/o0/impl.json": nil, "verify/o0.mjs": nil}}
		r := compile(repo)
		if r.Compiled == nil && !Refuses(r.Findings) {
			t.Error("no compiled form and no finding")
		}
		for _, x := range r.Findings {
			if x.Path == "" || x.Message == "" {
				t.Errorf("%+v", x)
			}
		}
		if r.Compiled != nil {
			data, err := r.Compiled.Canonical()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Decode(data); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestShapeErrorLeavesOtherPartsJudged: one misshapen outcome does not hide
// what is wrong with another, and nothing is concluded from the broken one.
func TestShapeErrorLeavesOtherPartsJudged(t *testing.T) {
	repo := manyOutcomes(3).edit(t, "  title: A report\n", "  titel: A report\n").edit(t, `expected_change_paths: ["src/o1/**"]`, `expected_change_paths: ["lib/**"]`)
	r := compile(repo)
	want := []string{"missing_field", "unknown_field", "path_outside_owner_boundary", "binding_carrier_outside_change_paths"}
	if got := codesOf(r); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v%s", got, want, summary(r.Findings))
	}
	if f := r.Findings[1]; f.Line == 0 || !strings.Contains(f.RepairHint, `"title"`) {
		t.Errorf("%+v", f)
	}
	if r.Compiled != nil {
		t.Error("a misshapen contract has an identity")
	}
}

func TestPosition(t *testing.T) {
	r := compile(manyOutcomes(2))
	for ref, line := range map[string]int{
		"outcome:o0": 9, "claim:o0.requirement.sum": 15, "claim:o0.result": 12, "check:o0.run": 22, "assertion:o0.run.total": 28,
		"binding:o1.carrier": 46, "counterfactual:o1.without": 57, "source_claim:sum-1": 5, "outcome:none": 0,
	} {
		path, got, _ := r.Position(ref)
		if got != line || line > 0 && path != contractPath {
			t.Errorf("%s stands at %s:%d, want line %d", ref, path, got, line)
		}
	}
}

func TestScope(t *testing.T) {
	repo := manyOutcomes(2).edit(t, "global: {}", "global: {technical: {forbidden_paths: [{key: keys, path: \"**/*.pem\"}]}}")
	repo.files[ConfigPath] = []byte("version: 1\n")
	r := compile(repo)
	c := r.Compiled
	if c == nil {
		t.Fatal(summary(r.Findings))
	}
	s := c.Scope()
	for path, want := range map[string]string{"src/o0/a": "allowed", "src/o0": "allowed", "src/o2/a": "", "src/o0/a.pem": "allowed forbidden", "verify/o1.mjs": "exempt", contractPath: "exempt", "docs/request.md": "exempt", ConfigPath: "exempt", "work/task/x": ""} {
		var got []string
		if s.Allows(path) {
			got = append(got, "allowed")
		}
		if by, is := s.Forbidden(path); is {
			got = append(got, "forbidden")
			if !strings.Contains(by, "keys") {
				t.Errorf("forbidden by %s", by)
			}
		}
		if s.Exempt(path) {
			got = append(got, "exempt")
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if got := s.Patterns(); !slices.Equal(got, []string{"src/o0/**", "src/o1/**"}) {
		t.Errorf("patterns %q", got)
	}
}

func TestConfig(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string // code:line
	}{
		{"version: 1\nenv: [TOKEN]\nintegration: origin/main\nruntime_check: null\n", nil},
		{"version: 2\n", []string{"bad_value:1"}},
		{"env: [GIT_DIR, A=b, NODE_OPTIONS]\n", []string{"missing_field:1", "bad_value:1", "bad_value:1", "bad_value:1"}},
		{"version: 1\nprepare: []\nshare: [x]\nsnapshot: {}\n\ndocs: []\ndesign: {}\n", []string{"not_supported_yet:2", "not_supported_yet:3", "not_supported_yet:4", "not_supported_yet:6", "not_supported_yet:7"}},
		{"version: 1\nextra: 1\n", []string{"unknown_field:2"}},
		{"version: [\n", []string{"yaml_syntax:1"}},
	} {
		repo := manyOutcomes(1)
		repo.files[ConfigPath] = []byte(test.text)
		r := compile(repo)
		var got []string
		for _, f := range r.Findings {
			got = append(got, fmt.Sprintf("%s:%d", f.Code, f.Line))
			if f.Path != ConfigPath {
				t.Errorf("%+v", f)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q gives %v, want %v", test.text, got, test.want)
		}
		if test.want == nil && (r.Compiled.Config.Integration != "origin/main" || !slices.Equal(r.Compiled.Config.Env, []string{"TOKEN"})) {
			t.Errorf("%+v", r.Compiled.Config)
		}
	}
}

func TestUnsupportedSchemaIsRefused(t *testing.T) {
	r := compile(manyOutcomes(1).edit(t, "long-task-delivery-v2", SchemaGoals))
	if got := codesOf(r); !slices.Equal(got, []string{"not_supported_yet"}) || r.Findings[0].Line != 1 {
		t.Error(summary(r.Findings))
	}
}

func TestRiskSurfaces(t *testing.T) {
	repo := manyOutcomes(1)
	repo.files["project_context/risk-surfaces.yaml"] = []byte("- {risk: data_migration, paths: [db/**]}\n- {risk: classification_required, paths: [new/**]}\n")
	for changed, want := range map[string]string{"src/x": "", "db/x": "risk_fact_underdeclared", "new/x": "risk_classification_required"} {
		r := Compile(context.Background(), repo.tree(), Options{Workdir: "work/task", Changed: []string{changed}})
		if got := strings.Join(codesOf(r), " "); got != want {
			t.Errorf("a change of %s gives %q, want %q", changed, got, want)
		}
	}
}

func TestCompareValue(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"a: 1\nb: [x]\n", "# note\nb:\n- 'x'\na: 1.0\n", true},
		{"a: 1\n", "a: '1'\n", false},
		{"a: [1, 2]\n", "a: [2, 1]\n", false},
		{"a: [\n", "a: [\n", false},
		{"no\n", "'no'\n", true},
	} {
		if got := CompareValue([]byte(test.a), []byte(test.b)); got != test.want {
			t.Errorf("%q and %q: %v", test.a, test.b, got)
		}
	}
}

func TestFindContracts(t *testing.T) {
	repo := newMemory()
	for _, p := range []string{"b/c/" + FileName, "a/" + FileName, FileName, "a/x" + FileName} {
		repo.files[p] = nil
	}
	if got := FindContracts(repo.tree()); !slices.Equal(got, []string{"a", "b/c"}) {
		t.Errorf("got %q", got)
	}
}

func TestWorkdirRefused(t *testing.T) {
	for workdir, want := range map[string]string{".": "long_task_workdir_must_not_be_repository_root", "": "long_task_workdir_must_not_be_repository_root", "../x": "unsafe_path", "none": "protected_input_not_found"} {
		r := Compile(context.Background(), newMemory().tree(), Options{Workdir: workdir})
		if got := codesOf(r); !slices.Equal(got, []string{want}) {
			t.Errorf("%q gives %v", workdir, got)
		}
	}
}

// hostileFiles are contracts made to take long. An answer that grows faster than
// they do runs into the time limit of the test.
func hostileFiles() map[string]string {
	bomb := "a: &a [x]\n"
	for c := 'b'; c <= 'z'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9))
	}
	var keys strings.Builder
	for i := 0; i < 100_000; i++ {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
	}
	return map[string]string{
		"100,000 keys": keys.String(), "equal keys": strings.Repeat("a: 1\n", 100_000), "aliases": bomb, "open lists": strings.Repeat("[", 1<<20),
		"a long line": "{" + strings.Repeat("a: b!, ", 200_000) + "}", "tags": strings.Repeat("- !x\n", 200_000), "a huge text": "a: " + strings.Repeat("x", 10<<20),
		"comments": "a:\n" + strings.Repeat("# x\n- b\n", 100_000), "documents": strings.Repeat("---\n", 200_000), "questions": strings.Repeat("? ", 500_000),
	}
}

func TestHostileFilesAreAnswered(t *testing.T) {
	for name, text := range hostileFiles() {
		repo := newMemory()
		repo.files[contractPath] = []byte(text)
		if r := compile(repo); !Refuses(r.Findings) || len(r.Findings) > 200 {
			t.Errorf("%s: %d findings", name, len(r.Findings))
		}
	}
}

// BenchmarkHostileFiles tells how long each takes; the aim is a second.
func BenchmarkHostileFiles(b *testing.B) {
	for name, text := range hostileFiles() {
		b.Run(name, func(b *testing.B) {
			repo := newMemory()
			repo.files[contractPath] = []byte(text)
			b.ReportAllocs()
			for b.Loop() {
				compile(repo)
			}
		})
	}
}

// TestTextsAreTakenFromTheSource: left out or written, the identity is one.
func TestTextsAreTakenFromTheSource(t *testing.T) {
	acceptance := func(m *memory, statement, criterion string) *memory {
		m.files["docs/request.md"] = append(m.files["docs/request.md"], "<!-- ty-source-item:start key=right kind=acceptance -->\nThe total is right.\n<!-- ty-source-item:end -->\n"...)
		m.edit(t, "risk: {facts: {}}", "- {key: right, source_ref: docs/request.md,"+statement+" disposition: {type: acceptance, refs: [o0.run.total]}}\nrisk: {facts: {}}")
		return m.edit(t, "criterion: The total is right., ", criterion)
	}
	written := compile(acceptance(manyOutcomes(1), " statement: The total is right.,", "criterion: The total is right., "))
	short := compile(acceptance(manyOutcomes(1), "", "").
		edit(t, "statement: Report 0 adds lines., disp", "disp").edit(t, "statement: Report 0 adds lines., req", "req"))
	if Refuses(written.Findings) || Refuses(short.Findings) {
		t.Fatal(summary(append(written.Findings, short.Findings...)))
	}
	a, _ := written.Compiled.Canonical()
	b, _ := short.Compiled.Canonical()
	if !bytes.Equal(a, b) {
		t.Errorf("written:\n%s\nleft out:\n%s", a, b)
	}
}

func TestTextsThatTheSourceDoesNotGive(t *testing.T) {
	second := "<!-- ty-source-item:start key=more kind=requirement -->\nMore.\n<!-- ty-source-item:end -->\n"
	twice := manyOutcomes(1).edit(t, "statement: Report 0 adds lines., req", "req").edit(t, "risk: {facts: {}}", "- {key: more, source_ref: docs/request.md, disposition: {type: claim, refs: [o0.requirement.sum]}}\nrisk: {facts: {}}")
	twice.files["docs/request.md"] = append(twice.files["docs/request.md"], second...)
	for name, test := range map[string]struct {
		repo *memory
		want string
	}{
		"several items":  {twice, "several source items are mapped to it: sum-0, more"},
		"no item":        {manyOutcomes(1).edit(t, "statement: Report 0 adds lines., req", "req").edit(t, "o0.requirement.sum]", "o0.requirement.none]"), "no source item is mapped to it"},
		"no item of key": {manyOutcomes(1).edit(t, "statement: Report 0 adds lines., disp", "disp").edit(t, "key: sum-0", "key: other"), "no source item has its key"},
	} {
		r := compile(test.repo)
		i := slices.Index(codesOf(r), "missing_field")
		if i < 0 || !strings.Contains(r.Findings[i].Message, test.want) || r.Compiled != nil {
			t.Errorf("%s: %s", name, summary(r.Findings))
		}
	}
}
