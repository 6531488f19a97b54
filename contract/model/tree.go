package model

import (
	"context"
	"fmt"
)

// Entry is one file of the content a contract is compiled against. Problem is
// set where the work tree offers the path in a way that cannot be frozen:
// "symlink", "hardlink", "not_regular", "outside_repository", "unreadable".
type Entry struct {
	Path    string
	Mode    uint32 // 0o100644, 0o100755, 0o120000 or 0o160000
	Problem string
}

// Modes of the entries that are no regular file.
const (
	ModeSymlink   = 0o120000
	ModeSubmodule = 0o160000
)

// Tree is the repository content a contract is compiled against, either a
// commit's tree or what the work tree would commit. Entries hold every tracked
// and every untracked, not ignored file, sorted by path. Read gives a file's
// bytes as Git would store them. Problem classifies a path that is not among
// the entries ("" when there is simply nothing).
type Tree struct {
	Entries []Entry
	Read    func(ctx context.Context, path string) ([]byte, error)
	Problem func(path string) string
}

// Place is a position in a text file. Line and Column start at 1.
type Place struct {
	Path         string
	Line, Column int
}

// Error makes the finding that refuses at a place.
func (p Place) Error(code, message, hint string) Finding {
	return Finding{Code: code, Level: LevelError, Message: message, Path: p.Path, Line: p.Line, Column: p.Column, RepairHint: hint}
}

// Errorf is Error with the message formatted.
func (p Place) Errorf(code, hint, format string, args ...any) Finding {
	return p.Error(code, fmt.Sprintf(format, args...), hint)
}

// File kinds of the compiled form.
const (
	FileContract = "contract"
	FileFragment = "fragment"
	FileSource   = "source"
	FileContext  = "context"
	FileConfig   = "config"   // .longtask.yaml
	FileVerifier = "verifier" // verification input, runner target, lock file
)

// Frozen is one file whose bytes belong to the authority. A path that serves
// several purposes is listed once for each kind. Checks names the internal ids
// (CHECK.<outcome>.<check>) that freeze a verifier file.
type Frozen struct {
	Path        string   `json:"path"`
	Kind        string   `json:"kind"`
	SHA256      string   `json:"sha256,omitempty"` // of the bytes; absent for contract and fragment, whose value counts
	Checks      []string `json:"checks,omitempty"`
	Controlling bool     `json:"controlling,omitempty"` // context only
}

// SourceItem is one marked item of a source file.
type SourceItem struct {
	Key     string `json:"key"`
	Kind    string `json:"kind"`
	Path    string `json:"path"`
	Text    string `json:"text"`
	Fact    string `json:"fact,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	Line    int    `json:"-"` // of the start marker
}

// Config is the frozen meaning of .longtask.yaml : what its keys froze.
type Config struct {
	Env         []string `json:"env,omitempty"`
	Integration string   `json:"integration,omitempty"`
}
