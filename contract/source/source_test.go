package source

import (
	"reflect"
	"strings"
	"testing"
)

const good = "<!-- ty-source-item:start key=a kind=requirement -->\ntext\n<!-- ty-source-item:end -->\n"

func TestScanRefuses(t *testing.T) {
	mark := func(attributes string) string {
		return "<!-- ty-source-item:start " + attributes + " -->\ntext\n<!-- ty-source-item:end -->\n"
	}
	for _, test := range []struct {
		name, text string
		want       []string // code:line
	}{
		{"no item", "# Title\n", []string{"source_file_material_item_required:1"}},
		{"nested", "<!-- ty-source-item:start key=a kind=control -->\nx\n" + good, []string{"source_item_nested_or_overlapping:3", "source_item_key_duplicate:3"}},
		{"unclosed", "<!-- ty-source-item:start key=a kind=control -->\nx\n", []string{"source_item_unclosed:1"}},
		{"end first", "<!-- ty-source-item:end -->\n" + good, []string{"source_item_end_without_start:1"}},
		{"empty", "<!-- ty-source-item:start key=a kind=control -->\n \t\n<!-- ty-source-item:end -->\n", []string{"source_item_empty:1"}},
		{"duplicate key", good + good, []string{"source_item_key_duplicate:4"}},
		{"prose beside the marker", "see <!-- ty-source-item:start key=a kind=control -->\nx\n<!-- ty-source-item:end -->\n", []string{"source_item_marker_invalid:1"}},
		{"quoted value", mark(`key="a" kind=control`), []string{"source_item_marker_invalid:1"}},
		{"two signs", mark("key=a=b kind=control"), []string{"source_item_marker_invalid:1", "source_item_marker_invalid:1"}},
		{"unknown kind", mark("key=a kind=wish"), []string{"source_item_marker_invalid:1"}},
		{"unknown attribute", mark("key=a kind=control why=x"), []string{"source_item_marker_attribute_unknown:1"}},
		{"attribute twice", mark("key=a kind=control key=b"), []string{"source_item_marker_attribute_duplicate:1"}},
		{"fact elsewhere", mark("key=a kind=control fact=data_migration"), []string{"source_item_marker_attributes_forbidden:1"}},
		{"fact missing", mark("key=a kind=risk_fact"), []string{"source_item_risk_semantics_required:1"}},
		{"fact unknown", mark("key=a kind=risk_fact fact=x outcome=UP"), []string{"source_item_risk_fact_invalid:1", "source_item_risk_outcome_invalid:1"}},
		{"end with attributes", "<!-- ty-source-item:start key=a kind=control -->\nx\n<!-- ty-source-item:end key=a -->\n", []string{"source_item_marker_invalid:3"}},
		{"in a code fence", "```\n<!-- ty-source-item:end -->\n```\n" + good, []string{"source_item_end_without_start:2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Scanner
			s.Scan("s.md", []byte(test.text))
			var got []string
			for _, f := range s.Findings {
				got = append(got, f.Code+":"+string(rune('0'+f.Line)))
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestScanNormalises(t *testing.T) {
	var s Scanner
	s.Scan("s.md", []byte("  <!--  ty-source-item:start\tkey=a  kind=risk_fact fact=data_migration outcome=o -->  \r\n\r\n  One,  \t\r\n\r\n- two\r\n \r\n<!--ty-source-item:end-->\r\n"))
	if len(s.Findings) > 0 {
		t.Fatal(s.Findings)
	}
	item := s.Items[0]
	if item.Text != "  One,\n\n- two" || item.Fact != "data_migration" || item.Outcome != "o" || item.Line != 1 || item.Broken {
		t.Errorf("%+v", item)
	}
	if Normalise("\n  One,  \r\n\n- two\n\n") != item.Text {
		t.Error("statements are normalised differently")
	}
}

func TestAnchors(t *testing.T) {
	got := Anchors([]byte("# A & B -- Été (v2.0)!\n## Same ##\n## Same\nx {#own} <a name=\"old\" id=\"new\">\n####### seven\n    # code\n"))
	want := map[string]bool{"a-b-été-v20": true, "same": true, "same-1": true, "own": true, "old": true, "new": true}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(good + good))
	f.Add([]byte("<!-- ty-source-item:start key=a kind=risk_fact fact=x outcome=- -->\r\n<!-- ty-source-item:start -->\n\nx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Scanner
		s.Scan("s.md", data)
		if len(s.Items)+len(s.Findings) == 0 {
			t.Error("neither an item nor a finding")
		}
		for _, x := range s.Findings {
			if x.Line < 1 || x.Line > strings.Count(string(data), "\n")+1 {
				t.Errorf("line %d", x.Line)
			}
		}
		for _, item := range s.Items {
			if !item.Broken && (item.Text == "" || Normalise(item.Text) != item.Text) {
				t.Errorf("%q is not normalised", item.Text)
			}
		}
		Anchors(data)
	})
}
