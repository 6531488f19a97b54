package canonical

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/gowebpki/jcs"
)

func TestJSON(t *testing.T) {
	for _, test := range []struct {
		name string
		in   any
		want string
	}{
		{"keys by UTF-16, not by UTF-8", map[string]any{"\ue000": 1, "\U0001f600": 2, "é": 3, "a": 4}, "{\"a\":4,\"é\":3,\"\U0001f600\":2,\"\ue000\":1}"},
		{"escaped keys by their meaning", map[string]any{"a\nb": 1, "a b": 2, "a\"": 3, "a\\": 4}, `{"a\nb":1,"a b":2,"a\"":3,"a\\":4}`},
		{"nothing escaped for HTML", []any{"<a & b>\u2028\u2029"}, "[\"<a & b>\u2028\u2029\"]"},
		{"control characters", []any{"\b\f\n\r\t\x01\x1f\x7f"}, "[\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"]"},
		{"numbers as ES6 writes them", []any{1e21, 1e20, 1e-7, 0.1, math.Copysign(0, -1), 9007199254740993.0, 5e-324}, `[1e+21,100000000000000000000,1e-7,0.1,0,9007199254740992,5e-324]`},
		{"a nested marshaller", map[string]any{"x": json.RawMessage(`{"b":"\u003c","a":[{}]}`)}, `{"x":{"a":[{}],"b":"<"}}`},
		{"a word alone", nil, "null"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := JSON(test.in)
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v; want %s", got, err, test.want)
			}
		})
	}
}

func TestJSONRefusesWhatHasNoForm(t *testing.T) {
	for _, v := range []any{math.NaN(), math.Inf(1), func() {}} {
		if _, err := JSON([]any{v}); err == nil {
			t.Errorf("%v has no JSON form", v)
		}
	}
}

// FuzzJSON compares with another implementation of the RFC.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"b":1,"a":[1e3,-0.0,"é\u2028<"]}`, `[{"\ud83d\ude00":null,"\ue000":true}]`, `{"":{},"\\":[],"\"":"\u0000"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v any
		if json.Unmarshal(data, &v) != nil {
			return
		}
		got, err := JSON([]any{v})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal([]any{v})
		if err != nil {
			t.Fatal(err)
		}
		want, err := jcs.Transform(plain)
		if err != nil {
			t.Skip("the other implementation refuses it")
		}
		if !bytes.Equal(got, want) {
			t.Errorf("got %s, the other implementation writes %s", got, want)
		}
	})
}
