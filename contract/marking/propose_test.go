package marking

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-longtask/git-longtask/contract/source"
)

const plan = `# Ledger export

Some words about why.

## Goals

Accountants export the ledger as CSV.
It is one file.

A second paragraph of the goals.

## Requirements

1. The file starts with a header row.
2. Amounts must keep two decimals:
   - negative ones too
   - zero is 0.00
3. Rows are sorted:
   - by date
4. Formats:
   - CSV as in RFC 4180

Prose about it. The export must not lock the ledger.

Prose without it.

## Non-goals

- No Excel.
- [ ] No scheduling.

## Background

- We used to do this by hand.
- Whoever exports must be logged.

## Done when

Given a ledger with two lines
When it is exported
Then the file has three lines

- Given an empty ledger
- when it is exported
- **Then** only the header is there
- The tests pass.

## Open questions

- Which separator?

## Notes

Decision: TBD is the time zone.

` + "```sh\n- a thing that must not be marked\n```\n" + `
> - it must not be marked

| must | not |
|---|---|
| must | not |

<!-- it must
not -->

    it must not
`

func TestProposals(t *testing.T) {
	var got []string
	for _, p := range Propose("plan.md", []byte(plan)).Proposals {
		got = append(got, fmt.Sprintf("%d-%d %s %s", p.FirstLine, p.LastLine, p.Kind, p.Key))
	}
	want := []string{
		"7-8 outcome_result accountants-export-ledger-csv-one",
		"14-14 requirement file-starts-header-row",
		"15-17 requirement amounts-keep-two-decimals-negative",
		"18-19 requirement rows-sorted-date",
		"21-21 requirement csv-rfc-4180",
		"23-23 requirement prose-about-export-not-lock",
		"29-29 non_goal no-excel",
		"30-30 non_goal no-scheduling",
		"35-35 requirement whoever-exports-logged",
		"39-41 acceptance ledger-two-lines-exported-file",
		"43-45 acceptance empty-ledger-exported-only-header",
		"46-46 acceptance tests-pass",
		"50-50 decision separator",
		"54-54 decision decision-tbd-time-zone",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func checkMarked(t *testing.T, data []byte) {
	t.Helper()
	r := Propose("plan.md", data)
	if !bytes.Equal(Unmark(r.Marked), Unmark(data)) {
		t.Errorf("the text changed: %q gave %q", data, r.Marked)
	}
	if len(r.Findings) > 0 || len(r.Proposals) == 0 {
		if !bytes.Equal(r.Marked, data) || r.Diff != "" {
			t.Errorf("without proposals the text became %q", r.Marked)
		}
		return
	}
	var before, after source.Scanner
	before.Scan("plan.md", data)
	after.Scan("plan.md", r.Marked)
	if len(after.Findings) > 0 || len(after.Items) != len(before.Items)+len(r.Proposals) {
		t.Errorf("%q: %d items, %v", r.Marked, len(after.Items), after.Findings)
	}
	texts := map[string]string{}
	for _, item := range after.Items {
		texts[item.Key] = item.Kind + " " + item.Text
	}
	for _, p := range r.Proposals {
		if texts[p.Key] != p.Kind+" "+p.Text {
			t.Errorf("%s reads %q, proposed %q", p.Key, texts[p.Key], p.Text)
		}
	}
	if again := Propose("plan.md", r.Marked); len(again.Proposals) > 0 {
		t.Errorf("%q: a second run proposes %v", r.Marked, again.Proposals)
	}
}

func TestMarkedText(t *testing.T) {
	for _, text := range []string{
		plan, strings.ReplaceAll(plan, "\n", "\r\n"), strings.TrimSpace(plan), "- a", "- a\r", "- a\r\n- b", "- a\n\t- b\n\t- c\n",
		"- a\n```\n- b\n```\n- c\n", "- a\n  <!-- ty-source-item:start key=b kind=requirement -->\n  - b\n  <!-- ty-source-item:end -->\n  - c\n",
		"It must.\n<!-- ty-source-item:start key=b kind=requirement -->\nIt must too.\n<!-- ty-source-item:end -->",
		"\ufeff- a\n- b\n", "- ü\n- ä\n", "# A\n## Goals\nx\n\n- y\n",
	} {
		checkMarked(t, []byte(text))
	}
}

func TestBrokenMarkersAreReported(t *testing.T) {
	for text, code := range map[string]string{
		"- a\n<!-- ty-source-item:end -->\n": "source_item_end_without_start",
		"- a\xff":                            "source_file_not_text",
	} {
		r := Propose("plan.md", []byte(text))
		if len(r.Findings) != 1 || r.Findings[0].Code != code || len(r.Proposals) > 0 || string(r.Marked) != text {
			t.Errorf("%q: %v", text, r.Findings)
		}
	}
}

func TestKeysDependOnTheirTextOnly(t *testing.T) {
	want := keysOf(Propose("", []byte("- The sum is right.\n- It says why, in one line of text that is long.\n- ü\n- ä\n- The sum is right\n")))
	if got := strings.Join(want, " "); got != "sum-right says-why-one-line-text requirement requirement-2 sum-right-2" {
		t.Error(got)
	}
	if got := keysOf(Propose("", []byte("- New.\n- The sum is right.\n"))); got[1] != "sum-right" {
		t.Error(got)
	}
}

func keysOf(r Result) []string {
	var keys []string
	for _, p := range r.Proposals {
		keys = append(keys, p.Key)
	}
	return keys
}

// BenchmarkLargeTexts tells what 64 KiB take that repeat one construct.
func BenchmarkLargeTexts(b *testing.B) {
	for _, unit := range []string{"- a\n", "a\n", "- when it must\n", "- a:\n  - b\n", "# must\n", "<!--", "|-|\n"} {
		b.Run(unit, func(b *testing.B) {
			text := bytes.Repeat([]byte(unit), (64<<10)/len(unit))
			for b.Loop() {
				Propose("plan.md", text)
			}
		})
	}
}

func FuzzPropose(f *testing.F) {
	f.Add([]byte(plan))
	f.Add([]byte("- a\r\n- Given a\n  when b\n- then c\n***\nDone when:\n1) x\n   1. y?\n===\n~~~\n"))
	f.Add([]byte("---\na: b\n---\n<pre>\n- a\n</pre>\na|b\n-|-\n\f- \v\r\r\n- x must <!-- y\n-->"))
	f.Fuzz(func(t *testing.T, data []byte) { checkMarked(t, data) })
}
