package pathglob

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestGrammar(t *testing.T) {
	file := func(s string) (string, *Error) { return File(s) }
	for _, test := range []struct {
		parse      func(string) (string, *Error)
		in, want   string
		code, name string
	}{
		{file, "a/b.c", "a/b.c", "", "plain"},
		{file, `.\a\b`, "a/b", "", "backslashes"},
		{file, "./a", "a", "", "one leading dot"},
		{file, "././a", "", CodeDotSegment, "only one is stripped"},
		{file, "a/./b", "", CodeDotSegment, "inner dot"},
		{file, "", "", CodeUnsafe, "empty"},
		{file, "./", "", CodeUnsafe, "nothing after the dot"},
		{file, "/a", "", CodeUnsafe, "absolute"},
		{file, `\\server\x`, "", CodeUnsafe, "share"},
		{file, "c:/x", "", CodeUnsafe, "drive"},
		{file, "a//b", "", CodeUnsafe, "empty segment"},
		{file, "a/", "", CodeUnsafe, "trailing slash"},
		{file, "../a", "", CodeUnsafe, "parent"},
		{file, "a/../b", "", CodeUnsafe, "inner parent"},
		{file, "a\tb", "", CodeUnsafe, "tab"},
		{file, "a\x00", "", CodeUnsafe, "NUL"},
		{file, "a*", "", CodePathSyntax, "wildcard in a file"},
		{file, "a(1)", "", CodePathSyntax, "parenthesis in a file"},
		{file, "!a b\x01", "!a b\x01", "", "odd characters are ordinary"},
		{Cwd, ".", ".", "", "the root"},
		{Cwd, "./", "", CodeUnsafe, "not the root"},
		{Glob, "src/**/*.g?", "src/**/*.g?", "", "pattern"},
		{Glob, "a/**b", "", CodePatternSyntax, "glued stars"},
		{Glob, "a/***", "", CodePatternSyntax, "three stars"},
		{Glob, "a/{b,c}", "", CodePatternSyntax, "braces"},
		{Glob, "[a]", "", CodePatternSyntax, "brackets"},
	} {
		got, err := test.parse(test.in)
		code := ""
		if err != nil {
			code, got = err.Code, ""
		}
		if got != test.want || code != test.code {
			t.Errorf("%s: %q gives %q, %q; want %q, %q", test.name, test.in, got, code, test.want, test.code)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"src/**", "src", true}, {"src/**", "src/a/b", true}, {"src/**", "srcs/a", false},
		{"**", "a/b", true}, {"**/x", "x", true}, {"**/x", "a/b/x", true}, {"a/**/b", "a/b", true}, {"a/**/b", "a/x/y/b", true},
		{"a/*/b", "a/b", false}, {"*", "a/b", false}, {"a*b.c", "axxb.c", true}, {"a?", "aé", true}, {"a?", "a", false}, {"A", "a", false},
		{"**/a/**/b", "a/x/a/b/c/b", true}, {"*a*a*", "xaya", true}, {"e\u0301", "é", false},
	} {
		if got := Match(test.pattern, test.path); got != test.want {
			t.Errorf("%q on %q is %v", test.pattern, test.path, got)
		}
	}
}

func TestRelations(t *testing.T) {
	for _, test := range []struct {
		a, b             string
		within, disjoint bool
	}{
		{"src/a", "src/**", true, false}, {"src/a/**", "src/**", true, false}, {"src/**", "src/**", true, false}, {"src/**", "src/a/**", false, false},
		{"x/*.json", "x/*", true, false}, {"x/*.a.json", "x/*.json", true, false}, {"x/*.json", "x/*.a.json", false, false}, {"x/*.json", "x/*.md", false, true},
		{"src/repor?/*.json", "src/report*/**", false, false}, {"src/**/impl.json", "src/*/**/impl.json", false, false}, {"src/**/impl.json", "src/report/**", false, false},
		{"src/report/a*b.json", "src/report/x*y.json", false, false}, {"src/**", "lib/**", false, true}, {"src/a", "src/b", false, true}, {"anything/**", "**", true, false},
		{"src/x", "src/*/**", true, false}, {"a/*", "a/*/*", false, true}, {"a/**/b/c", "a/*", false, true}, {"src", "src/**", true, false},
	} {
		a, b := Parse(test.a), Parse(test.b)
		if got := a.Within(b); got != test.within {
			t.Errorf("%q within %q is %v", test.a, test.b, got)
		}
		if a.Disjoint(b) != test.disjoint || b.Disjoint(a) != test.disjoint {
			t.Errorf("%q and %q disjoint is %v and %v", test.a, test.b, a.Disjoint(b), b.Disjoint(a))
		}
	}
}

// reference is the same language as a regular expression.
func reference(pattern string) *regexp.Regexp {
	var b strings.Builder
	segments := strings.Split(pattern, "/")
	for _, s := range segments {
		if s == "**" {
			b.WriteString(`(?:/[^/]*)*`)
			continue
		}
		q := strings.ReplaceAll(strings.ReplaceAll(regexp.QuoteMeta(s), `\*`, `[^/]*`), `\?`, `[^/]`)
		b.WriteString("/" + q)
	}
	return regexp.MustCompile(`^(?s:` + b.String() + `)$`)
}

// FuzzPatterns holds matching against regular expressions, and what is proved
// about two patterns against a path.
func FuzzPatterns(f *testing.F) {
	f.Add("src/**", "src/*/x?", "src/a/xb")
	f.Add("**/a/**/b", "*/**/b", "a/a/b")
	f.Add("x/*.json", "x/*.md", "x/a.json")
	f.Fuzz(func(t *testing.T, first, second, path string) {
		path, err := File(path)
		if err != nil || len(first)+len(second)+len(path) > 200 || !utf8.ValidString(first) || !utf8.ValidString(second) || !utf8.ValidString(path) {
			return
		}
		var patterns []Pattern
		for _, s := range []string{first, second} {
			s, err := Glob(s)
			if err != nil {
				return
			}
			p := Parse(s)
			if got, want := p.Match(path), reference(s).MatchString("/"+path); got != want {
				t.Fatalf("%q on %q is %v, as a regular expression %v", s, path, got, want)
			}
			patterns = append(patterns, p)
		}
		a, b := patterns[0], patterns[1]
		if a.Within(b) && a.Match(path) && !b.Match(path) {
			t.Errorf("%q is not within %q: %q", first, second, path)
		}
		if a.Disjoint(b) && a.Match(path) && b.Match(path) {
			t.Errorf("%q and %q share %q", first, second, path)
		}
	})
}
