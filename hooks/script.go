package hooks

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed script.sh
var scriptBody string

const shebang = "#!/bin/sh\n"

var markerLine = regexp.MustCompile(`^# git-longtask hook v[0-9]+ ([0-9a-f]{64})$`)

// script is the whole text of one hook of ours. The digest in its second line
// covers everything after that line, so that an edit shows.
func script(name, binary string, previous bool) []byte {
	said := "no"
	if previous {
		said = "yes"
	}
	body := strings.NewReplacer("@HOOK@", name, "@BINARY@", shellQuote(filepath.ToSlash(binary)), "@PREVIOUS@", said).Replace(scriptBody)
	sum := sha256.Sum256([]byte(body))
	return []byte(shebang + "# git-longtask hook v1 " + hex.EncodeToString(sum[:]) + "\n" + body)
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// origin tells whose a hook file is.
type origin int

const (
	nobodys origin = iota // not ours, or no file at all
	ours                  // byte for byte what some version of us wrote
	edited                // carries our marker, but not our bytes
)

// recorded is what a hook of ours remembers of its installation.
type recorded struct {
	binary   string
	previous bool
}

// recognise reads whose file this is. Only the exact second line counts: a hook
// that merely mentions git-longtask belongs to its author.
func recognise(data []byte) (origin, recorded) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	second, body, _ := bytes.Cut(rest, []byte("\n"))
	mark := markerLine.FindSubmatch(bytes.TrimSuffix(second, []byte("\r")))
	if mark == nil {
		return nobodys, recorded{}
	}
	sum := sha256.Sum256(body)
	if string(first)+"\n" != shebang || bytes.HasSuffix(second, []byte("\r")) || hex.EncodeToString(sum[:]) != string(mark[1]) {
		return edited, recorded{}
	}
	return ours, recorded{binary: assigned(body, "recorded"), previous: assigned(body, "previous") == "yes"}
}

// assigned reads back a variable that script wrote.
func assigned(body []byte, name string) string {
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			value = strings.TrimSuffix(value, "\n")
			if quoted, ok := strings.CutPrefix(value, "'"); ok {
				value = strings.ReplaceAll(strings.TrimSuffix(quoted, "'"), `'\''`, "'")
			}
			return value
		}
	}
	return ""
}

func isOurs(f file) bool {
	who, _ := recognise(f.data)
	return who == ours
}
