package check

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/git-longtask/git-longtask/gate/check/evidence"
	"github.com/git-longtask/git-longtask/gate/check/process"
)

// tail is the end of what a run printed, for a finding about a run that went
// wrong; nil when there is nothing to show, a secret is in it, or it was cut
// and half a secret may be.
func tail(place Place, ex execution, secret map[string]string) map[string]any {
	const lines, most = 8, 800
	out := bytes.TrimSpace(ex.exit.Stderr)
	if len(out) == 0 {
		out = bytes.TrimSpace(ex.exit.Stdout)
		if spoken := bytes.TrimSpace(evidence.GoOutput(out)); len(spoken) > 0 {
			out = spoken
		}
	}
	if _, leaked := leakedInBytes(secret, ex.exit.Stdout, ex.exit.Stderr); leaked || len(out) == 0 || ex.exit.Cause == process.TooLong {
		return nil
	}
	out = out[max(len(out)-8*most, 0):]
	text := strings.ToValidUTF8(string(out), "?")
	text = strings.ReplaceAll(text, place.Dir+"/", "")
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	list := strings.Split(text, "\n")
	text = strings.Join(list[max(len(list)-lines, 0):], "\n")
	if len(text) > most {
		text = strings.ToValidUTF8(text[len(text)-most:], "")
	}
	if _, leaked := leakedInBytes(secret, []byte(text)); leaked {
		return nil // the control characters between its parts are gone
	}
	return map[string]any{"output": text}
}
