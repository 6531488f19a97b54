package gitx

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Commit is one commit. Subject is the first paragraph of Message on one
// line, Message the bytes as stored, When the committer's time.
type Commit struct {
	OID     OID
	Tree    OID
	Parents []OID
	Subject string
	Message string
	When    time.Time
}

var errCommit = errors.New("malformed commit")

// decodeCommit reads a commit object. Tree and parents must be well formed and
// come first; an unreadable date is the zero time, as old tools wrote such.
func decodeCommit(data []byte) (Commit, error) {
	var c Commit
	head, message, _ := bytes.Cut(data, []byte("\n\n"))
	lines := strings.Split(strings.TrimSuffix(string(head), "\n"), "\n")
	tree, ok := strings.CutPrefix(lines[0], "tree ")
	if !ok || !isHex(tree) {
		return c, errCommit
	}
	c.Tree, lines = OID(tree), lines[1:]
	for len(lines) > 0 && strings.HasPrefix(lines[0], "parent ") {
		parent := lines[0][len("parent "):]
		if !isHex(parent) || len(parent) != len(tree) {
			return c, errCommit
		}
		c.Parents, lines = append(c.Parents, OID(parent)), lines[1:]
	}
	for _, line := range lines {
		if who, ok := strings.CutPrefix(line, "committer "); ok {
			c.When = signatureTime(who)
			break
		}
	}
	c.Message = string(message)
	c.Subject = subject(c.Message)
	return c, nil
}

// signatureTime reads the end of "name <email> seconds zone".
func signatureTime(who string) time.Time {
	field := strings.Fields(who[strings.LastIndexByte(who, '>')+1:])
	if len(field) != 2 {
		return time.Time{}
	}
	seconds, err := strconv.ParseInt(field[0], 10, 64)
	zone, zerr := strconv.Atoi(field[1])
	if err != nil || zerr != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0).In(time.FixedZone(field[1], (zone/100*60+zone%100)*60))
}

func subject(message string) string {
	var lines []string
	for line := range strings.Lines(message) {
		line = strings.TrimRight(line, " \t\r\n\v\f")
		if line == "" && len(lines) > 0 {
			break
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " ")
}
