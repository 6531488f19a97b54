package hooks

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

func TestScriptRemembersWhatItWasMadeWith(t *testing.T) {
	for _, binary := range []string{"/usr/bin/git-longtask", `/it's "a" $HOME/ü \ @HOOK@/x`, "/'"} {
		for _, previous := range []bool{true, false} {
			who, said := recognise(script("pre-push", binary, previous))
			if who != ours || said != (recorded{binary, previous}) {
				t.Errorf("%q %v: %v %+v", binary, previous, who, said)
			}
		}
	}
}

func TestScriptIsValidInEveryShell(t *testing.T) {
	for _, shell := range shells(t) {
		cmd := exec.Command(shell[0], append(shell[1:], "-n")...)
		cmd.Stdin = strings.NewReader(string(script("pre-push", "/it's/x", true)))
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v: %v %s", shell, err, out)
		}
	}
	if strings.Contains(scriptBody, "2>") || strings.Contains(scriptBody, "\r") {
		t.Error("the script hides errors or has carriage returns")
	}
}

func FuzzRecognise(f *testing.F) {
	whole := script("pre-commit", "/bin/git-longtask", true)
	version := bytes.Index(whole, []byte(" v1 ")) + 2
	f.Add(whole, 0, byte('x'))
	f.Add(whole, 14, byte('\r'))
	f.Add([]byte("#!/bin/sh\n# git-longtask hook v1 "), 3, byte(0))
	f.Fuzz(func(t *testing.T, data []byte, at int, b byte) {
		recognise(data)
		if at < 0 || at >= len(whole) || whole[at] == b {
			return
		}
		changed := bytes.Clone(whole)
		changed[at] = b
		if who, _ := recognise(changed); who == ours && at != version {
			t.Errorf("byte %d changed to %q and still ours", at, b)
		}
	})
}
