package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/git-longtask/git-longtask/contract/shape"
)

const corpusDir = "../testdata/contract"

// Cases that are not about the contract compiler: the recording program's own
// storage, host profile and npm look-up, and those where the specification
// decides otherwise or leaves the choice.
var otherCases = func() map[int]bool {
	m := map[int]bool{}
	for _, n := range []int{54, 183, 285, 373, 375, 376, 377, 485, 486, 487, 523, 533, 534, 538, 539, 540, 541, 542, 543} {
		m[n] = true
	}
	return m
}()

type corpusCase struct {
	Workdir        string           `json:"workdir"`
	Steps          []map[string]any `json:"steps"`
	NoFinalNewline []string         `json:"no_final_newline"`
}

type verdict struct {
	Command string   `json:"command"`
	OK      bool     `json:"ok"`
	Codes   []string `json:"codes"`
	Claims  *struct {
		Total int `json:"claims_total"`
	} `json:"claim_coverage"`
	Source      json.RawMessage `json:"source_coverage"`
	Risk        string          `json:"effective_risk"`
	Reasons     []string        `json:"risk_reasons"`
	Context     []string        `json:"context_files"`
	ClaimsTotal *int            `json:"claims_total"`
	Stable      struct {
		Contract string `json:"contract_sha256"`
	} `json:"stable_hashes"`
	Then []verdict `json:"then"`
}

// TestCorpus replays every recorded verdict about the text of a contract.
func TestCorpus(t *testing.T) {
	paths, _ := filepath.Glob(corpusDir + "/*.txtar")
	if len(paths) == 0 {
		t.Fatal("no cases in " + corpusDir)
	}
	different := readDifferences(t)
	for _, path := range paths {
		number, _ := strconv.Atoi(filepath.Base(path)[:3])
		if otherCases[number] || different[number] {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			replay(t, path)
		})
	}
}

func readDifferences(t *testing.T) map[int]bool {
	data, err := os.ReadFile(corpusDir + "/differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[int]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		n, err := strconv.Atoi(line[:3])
		if err != nil || len(line) < 10 {
			t.Errorf("not a number and a reason: %q", line)
		}
		numbers[n] = true
	}
	if len(numbers) > 15 {
		t.Errorf("%d differences, at most 15 are allowed", len(numbers))
	}
	return numbers
}

func replay(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var c corpusCase
	var first verdict
	files := map[string][]byte{}
	for _, f := range archive.Files {
		files[f.Name] = f.Data
	}
	for name, into := range map[string]any{"case.json": &c, "expected.json": &first} {
		if err := json.Unmarshal(files[name], into); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range c.NoFinalNewline {
		files[name] = bytes.TrimSuffix(files[name], []byte("\n"))
	}
	repo := newMemory()
	repo.overlay(files, "repo")
	verdicts := append([]verdict{first}, first.Then...)
	for _, step := range c.Steps {
		if !applyStep(repo, files, step) {
			return // a step about the recording program's own files
		}
		command, _ := step["run"].(string)
		if command == "" {
			continue
		}
		want := verdicts[0]
		verdicts = verdicts[1:]
		if dir, ok := step["workdir"].(string); ok && dir != c.Workdir {
			return
		}
		if command == "preflight" || command == "compile" && want.OK {
			compareVerdict(t, want, Compile(context.Background(), repo.tree(), Options{Workdir: c.Workdir}))
		}
		if command == "compile" && !want.OK {
			return
		}
	}
}

func applyStep(repo *memory, files map[string][]byte, step map[string]any) bool {
	for kind, arg := range step {
		switch kind {
		case "overlay":
			repo.overlay(files, arg.(string))
		case "delete":
			for _, p := range arg.([]any) {
				repo.remove(p.(string))
			}
		case "symlink", "hardlink":
			link := arg.(map[string]any)
			repo.link(kind, link["path"].(string), link["to"].(string))
		case "run", "commit", "workdir":
		default:
			return false
		}
	}
	return true
}

// prose are recorded codes that are the text or field path of a shape error.
var prose = regexp.MustCompile(`[ .\[$]|^(task|risk|global|outcomes|source_claims|schema_version|root|outcome_files)$`)

var shapeCodes = []string{"yaml_syntax", "yaml_feature", "unknown_field", "missing_field", "wrong_type", "bad_value"}

func compareVerdict(t *testing.T, want verdict, got Result) {
	t.Helper()
	var ours []Finding
	codes := map[string]bool{}
	for _, f := range got.Findings {
		if f.Code == shape.CodeUnsupported {
			continue // says what this version evaluates, not what is right
		}
		ours = append(ours, f)
		codes[f.Code] = true
		if f.Level == LevelError && f.Path == "" || slices.Contains(shapeCodes, f.Code) && f.Line == 0 {
			t.Errorf("finding without its place: %+v", f)
		}
		if f.Level == LevelError && f.RepairHint == "" {
			t.Errorf("finding without a hint: %+v", f)
		}
	}
	if ok := !Refuses(ours); ok != want.OK {
		t.Errorf("%s: ok is %v, recorded %v %v\nours: %s", want.Command, ok, want.OK, want.Codes, summary(ours))
	}
	for _, code := range want.Codes {
		code, _, _ = strings.Cut(code, ":")
		found := codes[code]
		if prose.MatchString(code) {
			found = slices.ContainsFunc(shapeCodes, func(c string) bool { return codes[c] })
		}
		if !found {
			t.Errorf("%s: recorded code %s is missing\nours: %s", want.Command, code, summary(ours))
		}
	}
	if want.OK {
		compareFields(t, want, got)
	}
}

func compareFields(t *testing.T, want verdict, got Result) {
	t.Helper()
	if want.Claims != nil && got.Coverage.ClaimsTotal != want.Claims.Total {
		t.Errorf("claims_total is %d, recorded %d", got.Coverage.ClaimsTotal, want.Claims.Total)
	}
	if want.ClaimsTotal != nil && got.Coverage.ClaimsTotal != *want.ClaimsTotal {
		t.Errorf("claims_total is %d, recorded %d", got.Coverage.ClaimsTotal, *want.ClaimsTotal)
	}
	if want.Source != nil {
		have, _ := json.Marshal(got.Source)
		var a, b map[string]any
		_ = json.Unmarshal(want.Source, &a)
		_ = json.Unmarshal(have, &b)
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if string(x) != string(y) {
			t.Errorf("source_coverage is %s, recorded %s", y, x)
		}
	}
	if got.Compiled == nil {
		return
	}
	if want.Stable.Contract != "" && got.Compiled.ContractSHA256 != want.Stable.Contract {
		t.Errorf("contract_sha256 is %s, recorded %s", got.Compiled.ContractSHA256, want.Stable.Contract)
	}
	if want.Risk != "" && got.Compiled.EffectiveRisk != want.Risk {
		t.Errorf("effective_risk is %s, recorded %s", got.Compiled.EffectiveRisk, want.Risk)
	}
	if want.Reasons != nil && !slices.Equal(want.Reasons, got.Compiled.RiskReasons) {
		t.Errorf("risk_reasons are %q, recorded %q", got.Compiled.RiskReasons, want.Reasons)
	}
	if want.Context != nil {
		have := []string{}
		for _, f := range got.Compiled.Files {
			if f.Kind == FileContext {
				have = append(have, f.Path)
			}
		}
		if !slices.Equal(want.Context, have) {
			t.Errorf("context files are %q, recorded %q", have, want.Context)
		}
	}
}

func summary(findings []Finding) string {
	var b strings.Builder
	for _, f := range findings {
		b.WriteString("\n  " + f.Path + ":" + strconv.Itoa(f.Line) + ":" + strconv.Itoa(f.Column) + ": " + f.Code + ": " + f.Message + " [" + f.RepairHint + "]")
	}
	return b.String()
}

// memory is a repository in memory.
type memory struct {
	files map[string][]byte
	links map[string]string // path -> problem
}

func newMemory() *memory { return &memory{files: map[string][]byte{}, links: map[string]string{}} }

func (m *memory) overlay(files map[string][]byte, dir string) {
	for name, data := range files {
		if p, ok := strings.CutPrefix(name, dir+"/"); ok {
			m.files[p] = data
			delete(m.links, p)
		}
	}
}

func (m *memory) remove(path string) {
	for p := range m.files {
		if p == path || strings.HasPrefix(p, path+"/") {
			delete(m.files, p)
		}
	}
}

func (m *memory) link(kind, path, to string) {
	m.files[path], m.links[path] = []byte(to), kind
	if kind == "hardlink" {
		m.files[path], m.links[to] = m.files[to], kind
	}
}

func (m *memory) tree() *Tree {
	tree := &Tree{Read: func(_ context.Context, p string) ([]byte, error) {
		data, ok := m.files[p]
		if !ok {
			return nil, os.ErrNotExist
		}
		return data, nil
	}}
	for p := range m.files {
		if strings.Contains(p, "node_modules/") {
			continue // ignored by Git in every case that has it
		}
		e := Entry{Path: p, Mode: 0o100644}
		switch m.links[p] {
		case "symlink":
			e.Mode = 0o120000
		case "hardlink":
			e.Problem = "hardlink"
		}
		tree.Entries = append(tree.Entries, e)
	}
	sort.Slice(tree.Entries, func(i, j int) bool { return tree.Entries[i].Path < tree.Entries[j].Path })
	return tree
}
