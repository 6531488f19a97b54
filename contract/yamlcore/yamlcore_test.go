package yamlcore

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestParseRefuses(t *testing.T) {
	for _, test := range []struct {
		name, text, code string
		line, column     int
	}{
		{"nothing", "", CodeSyntax, 1, 1},
		{"only comments", "# x\n", CodeSyntax, 1, 1},
		{"a broken mapping", "a: 1\n b: 2\n", CodeSyntax, 2, 1},
		{"an unclosed quote", "a: \"x\n", CodeSyntax, 2, 1},
		{"a tab as indentation", "a:\n\tb: 1\n", CodeSyntax, 2, 1},
		{"a duplicate key", "a: 1\nb: 2\na: 3\n", CodeSyntax, 3, 1},
		{"a duplicate key in another spelling", "{1: a, \"1\": b}", CodeSyntax, 1, 8},
		{"a byte order mark", "\ufeffa: 1", CodeFeature, 1, 1},
		{"bytes that are not UTF-8", "a: 1\nb: \xff\n", CodeSyntax, 2, 4},
		{"a control character", "a: 1\nb: \x01\n", CodeSyntax, 2, 4},
		{"a directive", "# c\n%YAML 1.2\n---\na: 1\n", CodeFeature, 2, 1},
		{"two documents", "a: 1\n---\nb: 2\n", CodeFeature, 2, 1},
		{"an anchor", "a: &x 1\n", CodeFeature, 1, 4},
		{"an alias", "a: &x 1\nb: *x\n", CodeFeature, 1, 4},
		{"an alias of nothing", "a: *x\n", CodeFeature, 1, 1},
		{"a tag", "a: !!str 1\n", CodeFeature, 1, 4},
		{"the tag !", "a: ! 1\n", CodeFeature, 1, 4},
		{"the tag ! in a flow list", "a: [b, ! c]\n", CodeFeature, 1, 8},
		{"a merge key", "a:\n  <<: {b: 1}\n", CodeFeature, 2, 3},
		{"a list as key", "? [a]\n: 1\n", CodeFeature, 1, 3},
		{"deep nesting", strings.Repeat("[", 300) + strings.Repeat("]", 300), CodeSyntax, 1, 102},
		{"too many bytes", "a: " + strings.Repeat("x", MaxBytes), CodeSyntax, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			node, findings := Parse("f.yaml", []byte(test.text))
			if node != nil || len(findings) == 0 {
				t.Fatal("accepted")
			}
			f := findings[0]
			if f.Code != test.code || f.Line != test.line || f.Column != test.column || f.Path != "f.yaml" {
				t.Errorf("got %s at %s:%d:%d (%s), want %s at %d:%d", f.Code, f.Path, f.Line, f.Column, f.Message, test.code, test.line, test.column)
			}
			if f.RepairHint == "" {
				t.Error("no hint")
			}
		})
	}
}

func TestParseReportsAllFeatures(t *testing.T) {
	_, findings := Parse("f", []byte("a: &x 1\nb: !!str 2\nc: 3\nc: 4\n<<: {}\n"))
	if len(findings) != 4 {
		t.Errorf("got %d findings, want 4: %+v", len(findings), findings)
	}
}

func TestParseAccepts(t *testing.T) {
	for name, text := range map[string]string{
		"a directive inside a text":    "a: |\n  %YAML 1.1\n  text\n",
		"an exclamation mark in texts": "a: \"! x\"\nb: really!\nc: x ! y\nd: |\n  ! x\n",
		"signs inside texts":           "a: 'x &y *z <<'\n\"<<\": 1\n",
		"CRLF":                         "a: 1\r\nb: [2]\r\n",
		"an explicit document":         "---\na: 1\n...\n",
	} {
		if _, findings := Parse("f", []byte(text)); len(findings) > 0 {
			t.Errorf("%s: %s", name, findings[0].Message)
		}
	}
}

// TestScalar follows the core schema of YAML 1.2, not what YAML 1.1 made of
// the same words.
func TestScalar(t *testing.T) {
	for text, want := range map[string]any{
		"no": "no", "yes": "yes", "on": "on", "off": "off", "y": "y", "Null": nil, "~": nil, "''": "", "True": true, "FALSE": false, "tRue": "tRue",
		"12": 12.0, "-0": math.Copysign(0, -1), "+7": 7.0, "0x1F": 31.0, "0o17": 15.0, "017": 17.0, "0b1": "0b1", "1_000": "1_000", "1e3": 1000.0, "1.": 1.0, ".5": 0.5, ".": ".", "-": nil,
		"1:30": "1:30", "2001-01-01": "2001-01-01", ".inf": math.Inf(1), "-.INF": math.Inf(-1), "+.Inf": math.Inf(1), "\"1\"": "1", "'no'": "no", "1e999": math.Inf(1), "0x": "0x", "-0x1": "-0x1",
	} {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte("["+text+"]"), &doc); err != nil || text == "-" {
			continue
		}
		if got := Scalar(doc.Content[0].Content[0]); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %#v, want %#v", text, got, want)
		}
	}
}

func TestValueRefusesWhatJSONLacks(t *testing.T) {
	root, _ := Parse("f", []byte("a: [1, .nan]\n"))
	if _, at, err := Value(root); err == nil || at.Column != 8 {
		t.Errorf("got %v at %+v", err, at)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1\n", "a: [b, {c: |\n x\n}]", "? a\n: - b\n", "%YAML\n---\n&a *b !c <<: {}", "a: \"\\u00e9\"", "- !\n- '\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		node, findings := Parse("f", data)
		if (node == nil) != (len(findings) > 0) {
			t.Fatalf("node %v and %d findings", node, len(findings))
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, x := range findings {
			if x.Line < 1 || x.Line > lines+1 || x.Column < 1 || x.RepairHint == "" {
				t.Errorf("%+v in a file of %d lines", x, lines)
			}
		}
		if node != nil {
			_, _, _ = Value(node)
		}
	})
}
