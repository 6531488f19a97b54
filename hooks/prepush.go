package hooks

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/git-longtask/git-longtask/gitx"
)

// PushLine is one ref update of a push as Git tells it to pre-push. LocalRef is
// whatever the person typed: a ref, an expression with spaces, or "(delete)".
type PushLine struct {
	LocalRef  string
	LocalOID  gitx.OID
	RemoteRef string
	RemoteOID gitx.OID
}

// Deletes tells whether the push removes the remote ref.
func (l PushLine) Deletes() bool { return l.LocalOID.IsZero() }

// Creates tells whether the remote does not have the ref yet.
func (l PushLine) Creates() bool { return l.RemoteOID.IsZero() }

// ParsePushLines reads the standard input of pre-push. Nothing at all is a push
// that updates nothing. The error names the line that is not a ref update.
func ParsePushLines(input []byte) ([]PushLine, error) {
	var lines []PushLine
	for raw := range bytes.Lines(input) {
		line, err := parsePushLine(strings.TrimSuffix(string(raw), "\n"))
		if err != nil {
			return nil, fmt.Errorf("pre-push input, line %d: %w", len(lines)+1, err)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// parsePushLine cuts from the right, since only the local ref may hold spaces.
func parsePushLine(s string) (PushLine, error) {
	var fields [3]string
	rest := s
	for i := range fields {
		cut := strings.LastIndexByte(rest, ' ')
		if cut < 0 {
			return PushLine{}, fmt.Errorf("%q is not <local ref> <local id> <remote ref> <remote id>", s)
		}
		fields[i], rest = rest[cut+1:], rest[:cut]
	}
	line := PushLine{LocalRef: rest, LocalOID: gitx.OID(fields[2]), RemoteRef: fields[1], RemoteOID: gitx.OID(fields[0])}
	switch {
	case line.LocalRef == "" || line.RemoteRef == "":
		return PushLine{}, fmt.Errorf("%q lacks a ref", s)
	case !isOID(line.LocalOID) || !isOID(line.RemoteOID) || len(line.LocalOID) != len(line.RemoteOID):
		return PushLine{}, fmt.Errorf("%q lacks a full object id", s)
	}
	return line, nil
}

func isOID(o gitx.OID) bool {
	return (len(o) == 40 || len(o) == 64) && strings.Trim(string(o), "0123456789abcdef") == ""
}
