package evidence

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

const head = `{"schema_version":"long-task-check-result-v2","execution_status":`

func TestParseLine(t *testing.T) {
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	for _, c := range []struct{ name, out, problem string }{
		{"good", head + `"completed","observations":{}}`, ""},
		{"further keys", head + `"completed","observations":{},"more":1}` + "\n", ""},
		{"logs before, blanks after", "log\r\n" + head + `"completed","observations":{}}` + "\r\n \n\n", ""},
		{"blocked", head + `"blocked_external","reason":"no device"}`, ""},
		{"blocked without a reason", head + `"blocked_external"}`, ""},
		{"nothing", " \n\n", "stdout is empty"},
		{"garbage", "ok", "not valid JSON"},
		{"half", head, "not valid JSON"},
		{"trailing garbage", head + `"completed","observations":{}} x`, "not valid JSON"},
		{"byte order mark", "\ufeff" + head + `"completed","observations":{}}`, "not valid JSON"},
		{"an array", `[]`, "not a JSON object but an array"},
		{"another schema", `{"schema_version":"v1","execution_status":"completed","observations":{}}`, "schema_version"},
		{"another status", head + `"skipped","observations":{}}`, "execution_status"},
		{"status of another type", head + `true,"observations":{}}`, "execution_status"},
		{"observations are a list", head + `"completed","observations":[]}`, "observations"},
		{"observations are absent", head + `"completed"}`, "observations"},
		{"duplicate key", head + `"completed","observations":{"a":1,"a":1}}`, `"a" occurs twice`},
		{"duplicate key, escaped", head + `"completed","observations":{"a":1,"\u0061":2}}`, `"a" occurs twice`},
		{"not UTF-8", head + "\"completed\",\"observations\":{\"a\":\"\xff\"}}", "UTF-8"},
		{"lone surrogate", head + `"completed","observations":{"a":"\ud800"}}`, "surrogate"},
		{"low surrogate first", head + `"completed","observations":{"a":"\udc00\ud800"}}`, "surrogate"},
		{"surrogate pair", head + `"completed","observations":{"a":"\ud83d\ude00"}}`, ""},
		{"escaped backslash before u", head + `"completed","observations":{"a":"\\ud800"}}`, ""},
		{"not a number", head + `"completed","observations":{"a":NaN}}`, "not valid JSON"},
		{"out of range", head + `"completed","observations":{"a":1e999}}`, "out of range"},
		{"long number", head + `"completed","observations":{"a":` + strings.Repeat("1", 500) + `}}`, "longer than"},
		{"deep", head + `"completed","observations":{"a":` + deep + `}}`, "deeper than"},
	} {
		_, err := ParseLine([]byte(c.out))
		switch {
		case (err == nil) != (c.problem == ""):
			t.Errorf("%s: %v", c.name, err)
		case err != nil && !strings.Contains(err.Error(), c.problem):
			t.Errorf("%s: %v, want %q in it", c.name, err, c.problem)
		}
	}
}

func TestParseFileWantsTheNonce(t *testing.T) {
	good := head + `"completed","observations":{},"nonce":"N"}`
	if _, err := ParseFile([]byte(good+"\n"), "N"); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", head + `"completed","observations":{}}`, strings.Replace(good, `"N"`, `"M"`, 1), "log\n" + good} {
		if _, err := ParseFile([]byte(bad), "N"); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

// FuzzParseJSON: what is accepted is what encoding/json reads, it survives its
// own canonical form, and nothing panics.
func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.50,-0,1e5,null,true,"\u00e9\ud83d\ude00"]}`, `{"a":1,"a":2}`, `"\ud800"`, `1e999`, "[[[", ``, `"\\ud800"`, `123456789012345678901234567890`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := parseJSON(data)
		_, _ = ParseLine(data)
		if err != nil {
			return
		}
		text := Canonical(v)
		again, err := parseJSON([]byte(text))
		if err != nil {
			t.Fatalf("%q: canonical form %q: %v", data, text, err)
		}
		if Canonical(again) != text {
			t.Fatalf("%q: %q is not stable", data, text)
		}
		var ours, theirs any
		if json.Unmarshal(data, &theirs) != nil || json.Unmarshal([]byte(text), &ours) != nil {
			t.Fatalf("%q: encoding/json disagrees", data)
		}
		if !reflect.DeepEqual(ours, theirs) {
			t.Fatalf("%q: %v, encoding/json reads %v", data, ours, theirs)
		}
	})
}
