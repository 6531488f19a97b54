package hooks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-longtask/git-longtask/gitx"
)

var (
	a40, z40 = gitx.OID(strings.Repeat("a", 40)), gitx.OID(strings.Repeat("0", 40))
	a64, z64 = gitx.OID(strings.Repeat("a", 64)), gitx.OID(strings.Repeat("0", 64))
)

func (l PushLine) line() string {
	return fmt.Sprintf("%s %s %s %s\n", l.LocalRef, l.LocalOID, l.RemoteRef, l.RemoteOID)
}

func TestParsePushLines(t *testing.T) {
	lines := []PushLine{
		{"refs/heads/main", a40, "refs/heads/main", a40},
		{"HEAD~1", a40, "refs/heads/x", z40},
		{"main@{0 seconds ago}", a40, "refs/heads/x", a40},
		{"(delete)", z40, "refs/heads/gone", a40},
		{"refs/heads/main", a64, "refs/heads/main", z64},
	}
	var input string
	for _, l := range lines {
		input += l.line()
	}
	got, err := ParsePushLines([]byte(input))
	if err != nil || fmt.Sprint(got) != fmt.Sprint(lines) {
		t.Fatalf("%v %v", got, err)
	}
	if !got[3].Deletes() || got[0].Deletes() || !got[1].Creates() || !got[4].Creates() || got[0].Creates() {
		t.Errorf("deletes and creates: %v", got)
	}
	if got, err := ParsePushLines(nil); got != nil || err != nil {
		t.Errorf("a push of nothing: %v %v", got, err)
	}
}

func TestParsePushLinesRefusesWhatGitNeverWrites(t *testing.T) {
	good := lineOf(a40, a40)
	for _, bad := range []string{"\n", "x\n", "a b c\n", lineOf(a40, a64), lineOf(a40[1:], a40), lineOf("A"+a40[1:], a40), " " + string(a40) + " r " + string(a40) + "\n"} {
		if _, err := ParsePushLines([]byte(good + bad)); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func lineOf(local, remote gitx.OID) string {
	return PushLine{"refs/heads/l", local, "refs/heads/r", remote}.line()
}

func FuzzParsePushLines(f *testing.F) {
	f.Add([]byte(lineOf(a40, z40) + lineOf(z40, a40)))
	f.Add([]byte("main@{0 seconds ago} " + string(a64) + " refs/heads/x " + string(z64)))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, input []byte) {
		lines, err := ParsePushLines(input)
		if err != nil {
			return
		}
		var again string
		for _, l := range lines {
			again += l.line()
		}
		if strings.TrimSuffix(again, "\n") != strings.TrimSuffix(string(input), "\n") {
			t.Errorf("%q became %q", input, again)
		}
	})
}
