package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

// Codes that more than one place branches on or uses.
const (
	codeInterrupted = "interrupted"
	codeNotBuilt    = "not_supported_yet"

	codeOtherWorkdir = "active_task_workdir_mismatch"
)

// decideError says why nothing could be decided: exit 2, or 130 with the code
// "interrupted". Message is one sentence; Hint says what to do, one or more
// lines; Next is a command the reader can paste. Findings and Fields are shown
// as in a report.
type decideError struct {
	Code     string
	Message  string
	Hint     string
	Next     string
	Findings []contract.Finding
	Fields   any
}

// finding says the same as a reason to refuse, for commands that fail closed.
func (e *decideError) finding() contract.Finding {
	return contract.Finding{Code: e.Code, Level: contract.LevelError, Message: e.Message, RepairHint: e.Hint, Next: e.Next}
}

func (e *decideError) Error() string { return e.Code + ": " + e.Message }

// usageError is a command line that cannot be understood; c may be nil.
func usageError(c *command, format string, args ...any) *decideError {
	help := "git longtask -h"
	if c != nil {
		help = "git longtask " + c.Name + " -h"
	}
	return &decideError{Code: "usage", Message: fmt.Sprintf(format, args...), Next: help}
}

func notBuilt(c *command) *decideError {
	return &decideError{Code: codeNotBuilt, Message: fmt.Sprintf("the command %q is planned, but this version cannot do it yet", c.Name),
		Hint: "nothing was read or changed; what is built: git longtask -h"}
}

// gitErrors gives the sentinels of gitx their public codes.
var gitErrors = []struct {
	is         error
	code, hint string
}{
	{gitx.ErrGitMissing, "git_missing", "install Git 2.36 or later, or put it on PATH"},
	{gitx.ErrGitTooOld, "git_too_old", "install Git 2.36 or later"},
	{gitx.ErrUnsafe, "unsafe_repository", "the repository belongs to another user; if you trust it, do what git says above"},
	{gitx.ErrNotRepository, "not_a_repository", "change to a directory inside a Git repository, or name one: git longtask -C <dir> ..."},
	{gitx.ErrLocked, "locked", "wait for the other process to end, then run the same command again"},
	{gitx.ErrStale, "ref_moved", "another process was faster; run the same command again"},
	{gitx.ErrNoCache, "cache_unusable", "set XDG_CACHE_HOME or HOME to a directory outside the repository that you can write"},
	{fullDisk, "disk_full", "make room, then run the same command again; nothing is half written"},
	{fs.ErrPermission, "not_writable", "give yourself the right to write there, then run the same command again; nothing is half written"},
}

// explain gives an error the code and the remedy people see.
func explain(ctx context.Context, err error) *decideError {
	var known *decideError
	switch {
	case ctx.Err() != nil:
		return &decideError{Code: codeInterrupted, Message: "interrupted, nothing was decided"}
	case errors.As(err, &known):
		return known
	}
	for _, row := range gitErrors {
		if errors.Is(err, row.is) {
			return &decideError{Code: row.code, Message: err.Error(), Hint: row.hint}
		}
	}
	return &decideError{Code: "internal_error", Message: err.Error()}
}
