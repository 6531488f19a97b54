package draft_test

import (
	"bytes"
	"context"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/contract/draft"
	"github.com/git-longtask/git-longtask/contract/marking"
	"github.com/git-longtask/git-longtask/contract/source"
)

const plan = `# Ledger export

## Goals

- Accountants export the ledger as CSV.
- Auditors see who exported.

## Requirements

- Rows are sorted by date:
  - "oldest" first
- It must keep two decimals: 1 # 2 \ %

## Do not

- Do not call the old exporter.

## Non-goals

- No Excel.

## Done when

Given a ledger with two lines
When it is exported
Then the file has three lines

## Technical constraints

- One pass over the data.

## Sign-off

- The auditors agree.

## Open questions

- Which separator?
`

func compiled(t *testing.T, text string) (string, []contract.Finding) {
	t.Helper()
	marked := marking.Propose("plan.md", []byte(text)).Marked
	var s source.Scanner
	s.Scan("plan.md", marked)
	yaml, err := draft.Contract(draft.Task{ID: "export", Title: "The export", Source: "plan.md"}, s.Items)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"plan.md": string(marked), "work/delivery-contract.yaml": string(yaml)}
	tree := &contract.Tree{Problem: func(string) string { return "" }, Read: func(_ context.Context, path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}}
	for path := range files {
		tree.Entries = append(tree.Entries, contract.Entry{Path: path, Mode: 0o100644})
	}
	slices.SortFunc(tree.Entries, func(a, b contract.Entry) int { return strings.Compare(a.Path, b.Path) })
	return string(yaml), contract.Compile(t.Context(), tree, contract.Options{Workdir: "work"}).Findings
}

// TestDraftNamesWhatIsToDecide: nothing but decisions is left, and each is one
// finding at its place.
func TestDraftNamesWhatIsToDecide(t *testing.T) {
	yaml, findings := compiled(t, plan)
	lines := strings.Split(yaml, "\n")
	var got []string
	for _, f := range findings {
		got = append(got, f.Code+": "+strings.TrimSpace(lines[f.Line-1]))
	}
	want := []string{
		`source_claim_acceptance_result_only: disposition: { type: acceptance, refs: ["accountants-export-ledger-csv.acceptance.ledger-two-lines-exported-file"] }`,
		`source_claim_decision_required: disposition: { type: decision_required, reason: "it is not decided yet" }`,
		`bad_value: owner: "" # TODO: who confirms it`,
		`product_claim_uncovered: observable_result: "- Accountants export the ledger as CSV."`,
		`owner_path_globs_empty: path_globs: [] # TODO: where this part of the product lives`,
		`product_claim_uncovered: - key: auditors-see-who-exported`,
		`product_claim_uncovered: - key: rows-sorted-date-oldest-first`,
		`product_claim_uncovered: - key: keep-two-decimals-1-2`,
		`expected_change_paths_empty: expected_change_paths: [] # TODO: what the work may change`,
		`product_claim_uncovered: - key: one-pass-over-data`,
		`product_claim_uncovered: - key: not-call-old-exporter`,
		`binding_carrier_outside_change_paths: carrier_paths: [TODO/implementation] # the same, and others that do`,
		`binding_carrier_outside_owner_boundary: carrier_paths: [TODO/implementation] # the same, and others that do`,
		`project_binary_path_not_found: target: TODO/check # the program that checks it`,
		`verification_inputs_empty: verification_inputs: [] # TODO: that program, and what it reads to check`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nof\n%s", strings.Join(got, "\n"), yaml)
	}
}

// TestOneRequirementLeavesNoClaimToChoose: with a single claim the assertions
// and the counterfactual name it.
func TestOneRequirementLeavesNoClaimToChoose(t *testing.T) {
	yaml, findings := compiled(t, "# Goal\n\nIt sums.\n\n# Requirements\n\n- 12\n\n# Done when\n\n- true\n")
	if !strings.Contains(yaml, "claims: [result, requirement.12]\n") || !strings.Contains(yaml, `key: "12"`) || !strings.Contains(yaml, `expected_assertion_failures: ["true"]`) {
		t.Error(yaml)
	}
	for _, f := range findings {
		if strings.Contains(f.Code, "claim") {
			t.Errorf("%s: %s", f.Code, f.Message)
		}
	}
}

// decision tells about findings about what a person decides or names.
func decision(f contract.Finding) bool {
	for _, word := range []string{"_empty", "uncovered", "_not_found", "decision_required", "binding_carrier_outside", "atomic_claim_required", "acceptance_result_only", "bad_value",
		"counterfactual_", "strict_", "risk_", "multi_repository", "source_backed", "control", "not_supported_yet"} {
		if strings.Contains(f.Code, word) {
			return true
		}
	}
	return false
}

func FuzzDraft(f *testing.F) {
	f.Add(plan)
	f.Add("- a: b\n- 'x' # y\n  \tz\n- \u2028\ufeff\x7f q\n- key \u0085\n\nDone when \"x\\y\"\n\n## Sign-off\n- - x\n")
	f.Add("<!-- ty-source-item:start key=r kind=risk_fact fact=data_migration outcome=o -->\nx\n<!-- ty-source-item:end -->\n<!-- ty-source-item:start key=c kind=control -->\n %YAML 1\n<!-- ty-source-item:end -->\n")
	f.Fuzz(func(t *testing.T, text string) {
		if r := marking.Propose("plan.md", []byte(text)); len(r.Findings) > 0 || bytes.Equal(r.Marked, marking.Unmark(r.Marked)) {
			t.Skip("no source")
		}
		yaml, findings := compiled(t, text)
		for _, x := range findings {
			if !decision(x) {
				t.Errorf("%d: %s: %s\n%s", x.Line, x.Code, x.Message, yaml)
			}
		}
	})
}
