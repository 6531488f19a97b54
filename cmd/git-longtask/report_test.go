package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

func TestEnvelopeWinsOverFields(t *testing.T) {
	var out, diag bytes.Buffer
	inv := &invocation{Name: "work", JSON: true, Stdio: stdio{out: &out, err: &diag}}
	code := inv.answer(&report{Status: "refused", Exit: exitRefused, Fields: map[string]any{"ok": true, "status": "fine", "text": "a<b"}})
	want := fmt.Sprintf(`{"tool":"git-longtask","version":%q,"command":"work","ok":false,"status":"refused","findings":[],"text":"a<b"}`+"\n", version())
	if code != exitRefused || out.String() != want || diag.Len() > 0 {
		t.Errorf("exit %d\n%s%swant\n%s", code, out.String(), diag.String(), want)
	}
}

func TestFailures(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		code string
		exit int
	}{
		{context.Background(), fmt.Errorf("x: %w", gitx.ErrNotRepository), "not_a_repository", exitUndecided},
		{context.Background(), fmt.Errorf("x: %w", gitx.ErrGitMissing), "git_missing", exitUndecided},
		{context.Background(), fmt.Errorf("x: %w", gitx.ErrGitTooOld), "git_too_old", exitUndecided},
		{context.Background(), fmt.Errorf("x: %w", gitx.ErrUnsafe), "unsafe_repository", exitUndecided},
		{context.Background(), fmt.Errorf("x: %w", &decideError{Code: "own"}), "own", exitUndecided},
		{context.Background(), errors.New("else"), "internal_error", exitUndecided},
		{gone, errors.New("whatever"), "interrupted", exitInterrupted},
	} {
		var out bytes.Buffer
		inv := &invocation{Name: "work", JSON: true, Stdio: stdio{out: &out, err: io.Discard}}
		exit := inv.fail(explain(c.ctx, c.err))
		var got struct {
			OK       bool
			Findings []any
			Error    struct{ Code string }
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if exit != c.exit || got.OK || got.Findings == nil || got.Error.Code != c.code {
			t.Errorf("%v: exit %d, %s", c.err, exit, out.String())
		}
	}
}

// brokenWriter fails like a stream whose reader went away, or a full disk.
type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestAnswerThatCannotBeWritten(t *testing.T) {
	for err, want := range map[error]int{syscall.EPIPE: exitOK, syscall.ENOSPC: exitUndecided} {
		std := stdio{out: brokenWriter{err}, err: io.Discard}
		if got := emit(std.out, []byte("x"), std, exitOK); got != want {
			t.Errorf("%v: exit %d, want %d", err, got, want)
		}
	}
}

func TestFindingsForPeople(t *testing.T) {
	fs := []contract.Finding{
		{Code: "claim_unproved", Message: "nothing proves it", Path: "a b.yaml", Line: 3, Column: 9, RepairHint: "add an assertion"},
		{Code: "odd", Level: contract.LevelWarning, Message: "a\x1b[2Jb\n\xff", Path: "x\ty"},
	}
	for i := range 12 {
		fs = append(fs, contract.Finding{Code: "scope_escape", Message: "outside the scope", Path: fmt.Sprintf("p%02d", i)})
	}
	var out strings.Builder
	(&printer{w: &out}).findings(fs)
	want := `a b.yaml:3:9: claim_unproved: nothing proves it
    add an assertion
"x\ty": odd (warning): a\x1b[2Jb\n\xff
`
	for i := range 10 {
		want += fmt.Sprintf("p%02d: scope_escape: outside the scope\n", i)
	}
	want += "... and 2 more scope_escape (--json lists all)\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestNoReportSaysNothing(t *testing.T) {
	var out bytes.Buffer
	inv := &invocation{Stdio: stdio{out: &out, err: &out}}
	if code := inv.answer(nil); code != exitOK || out.Len() > 0 {
		t.Errorf("exit %d, %q", code, out.String())
	}
}
