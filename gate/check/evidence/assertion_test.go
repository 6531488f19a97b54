package evidence

import (
	"encoding/json"
	"testing"

	"github.com/git-longtask/git-longtask/contract"
)

func parsed(t *testing.T, text string) any {
	t.Helper()
	v, err := parseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestOperators(t *testing.T) {
	const ok, no, odd = "", ValueMismatch, TypeMismatch
	for _, c := range []struct{ actual, operator, expected, want string }{
		{`1`, "equals", `1.0`, ok},
		{`10`, "equals", `1e1`, ok},
		{`-0`, "equals", `0`, ok},
		{`0.1`, "equals", `0.10000000000000000555`, ok},
		{`1e400000`, "equals", `1`, "refused"},
		{`9007199254740993`, "equals", `9007199254740992`, no},
		{`9007199254740993`, "equals", `9007199254740993.0`, ok},
		{`1e300`, "equals", `1.0e300`, ok},
		{`1e-400`, "equals", `0`, ok},
		{`"1"`, "equals", `1`, odd},
		{`null`, "equals", `null`, ok},
		{`null`, "equals", `false`, odd},
		{`true`, "equals", `false`, no},
		{`{"a":1,"b":[2]}`, "equals", `{"b":[2.0],"a":1}`, ok},
		{`[1,2]`, "equals", `[2,1]`, no},
		{`"\u00e9"`, "equals", `"é"`, ok},
		{`"e\u0301"`, "equals", `"\u00e9"`, no}, // no Unicode normalisation
		{`1`, "not_equals", `2`, ok},
		{`1`, "not_equals", `1.0`, no},
		{`1`, "not_equals", `"2"`, odd},
		{`"banana"`, "contains", `"nan"`, ok},
		{`"banana"`, "contains", `""`, ok},
		{`"banana"`, "contains", `1`, odd},
		{`[1,"a",null]`, "contains", `null`, ok},
		{`[1.0]`, "contains", `1`, ok},
		{`[[1]]`, "contains", `1`, no},
		{`{"a":1}`, "contains", `"a"`, odd},
		{`"banana"`, "not_contains", `"x"`, ok},
		{`[1]`, "not_contains", `1`, no},
		{`1`, "not_contains", `1`, odd},
		{`"v1.22"`, "matches", `"^v[0-9]+\\."`, ok},
		{`"v1"`, "matches", `"w"`, no},
		{`"x"`, "matches", `"("`, odd},
		{`1`, "matches", `"1"`, odd},
		{`"v1"`, "not_matches", `"w"`, ok},
		{`1`, "not_matches", `"w"`, odd},
		{`2`, "greater_than", `1`, ok},
		{`2`, "greater_than", `2.0`, no},
		{`9007199254740993`, "greater_than", `9007199254740992`, ok},
		{`2`, "greater_or_equal", `2`, ok},
		{`1.5`, "less_than", `2`, ok},
		{`-1`, "less_or_equal", `-1`, ok},
		{`"2"`, "less_than", `3`, odd},
		{`2`, "less_than", `null`, odd},
		{`[1,2,2]`, "set_equals", `[2,1]`, ok},
		{`[1]`, "set_equals", `[1,2]`, no},
		{`[]`, "subset_of", `[1]`, ok},
		{`[1,3]`, "subset_of", `[1,2]`, no},
		{`[1,2,3]`, "superset_of", `[3,1.0]`, ok},
		{`[1]`, "superset_of", `[1,2]`, no},
		{`{}`, "set_equals", `[]`, odd},
		{`null`, "exists", ``, ok},
		{`""`, "truthy", ``, no},
		{`0.0`, "truthy", ``, no},
		{`[]`, "truthy", ``, ok},
		{`"false"`, "truthy", ``, ok},
		{`null`, "falsy", ``, ok},
		{`{}`, "falsy", ``, no},
		{`1`, "approximates", `1`, odd},
	} {
		actual, err := parseJSON([]byte(c.actual))
		if c.want == "refused" {
			if err == nil {
				t.Errorf("%s was read as %v", c.actual, actual)
			}
			continue
		}
		a := contract.Assertion{Observation: "o", Operator: c.operator}
		if c.expected != "" {
			a.Expected = parsed(t, c.expected)
		}
		if got := Evaluate(a, map[string]any{"o": actual}); got.Code != c.want {
			t.Errorf("%s %s %s: code %q, want %q", c.actual, c.operator, c.expected, got.Code, c.want)
		}
		if got := Evaluate(a, map[string]any{}); got.Code != Missing || got.Present {
			t.Errorf("%s on nothing: %+v", c.operator, got)
		}
	}
}

// TestExpectedOfAnyGoType: the compiler may hold a number in any of these.
func TestExpectedOfAnyGoType(t *testing.T) {
	for _, expected := range []any{42, int64(42), uint64(42), 42.0, json.Number("42"), json.Number("4.2e1")} {
		a := contract.Assertion{Observation: "o", Operator: "equals", Expected: expected}
		if got := Evaluate(a, map[string]any{"o": json.Number("42.0")}); got.Code != "" {
			t.Errorf("%T: %+v", expected, got)
		}
	}
}

func TestLookup(t *testing.T) {
	observations := parsed(t, `{"a.b":1,"a":{"b":2,"c":{"d":3}},"list":[{"x":4}],"n":null}`).(map[string]any)
	for name, want := range map[string]string{"a.b": "1", "a.c.d": "3", "a.c": `{"d":3}`, "n": "null", "list.0": "", "a.x": "", "n.x": "", "": "", "a.": ""} {
		got := ""
		if v, ok := Lookup(observations, name); ok {
			got = Canonical(v)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
