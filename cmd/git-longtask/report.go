package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/git-longtask/git-longtask/contract"
)

// report is a command's answer. Exit is 0 or 1. Fields is a struct or map
// whose JSON members stand beside the envelope; the envelope's own names win.
// Text is the whole rendering for people; without it they see the status and
// the findings. Hooks set Stderr, since that is where git shows them.
type report struct {
	Status   string
	Exit     int
	Findings []contract.Finding
	Fields   any
	Text     func(p *printer)
	Stderr   bool
	Paged    bool // long: on a terminal it goes through the user's pager
}

// envelope is what every JSON answer has.
type envelope struct {
	Tool     string             `json:"tool"`     // "git-longtask"
	Version  string             `json:"version"`  // of the program
	Command  string             `json:"command"`  // its first name, or the word that is no command
	OK       bool               `json:"ok"`       // the exit code is 0
	Status   string             `json:"status"`   // one word of the command's own, "error" or "interrupted"
	Findings []contract.Finding `json:"findings"` // reasons to refuse, and warnings
	Error    *Failure           `json:"error,omitempty"`
}

var envelopeNames = []string{"tool", "version", "command", "ok", "status", "findings", "error"}

// Failure says why nothing could be decided.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`        // one sentence
	Hint    string `json:"hint,omitempty"` // what to do
	Next    string `json:"next,omitempty"` // a command to paste
}

// answer prints a report and gives the exit code. No report means that there
// was nothing to say.
func (inv *invocation) answer(rep *report) int {
	if rep == nil {
		rep = &report{Status: "ok", Text: func(*printer) {}}
	}
	if inv.JSON {
		return inv.answerJSON(envelope{Status: rep.Status, Findings: rep.Findings}, rep.Fields, rep.Exit)
	}
	var out bytes.Buffer
	p := &printer{w: &out, color: inv.Color}
	if rep.Text != nil {
		rep.Text(p)
	} else {
		p.line("%s", rep.Status)
		p.findings(rep.Findings)
	}
	if rep.Stderr {
		return emit(inv.Stdio.err, out.Bytes(), inv.Stdio, rep.Exit)
	}
	if rep.Paged && inv.page(context.Background(), out.Bytes()) {
		return rep.Exit
	}
	return emit(inv.Stdio.out, out.Bytes(), inv.Stdio, rep.Exit)
}

// fail prints why nothing could be decided and gives the exit code.
func (inv *invocation) fail(e *decideError) int {
	code, status := exitUndecided, "error"
	if e.Code == codeInterrupted {
		code, status = exitInterrupted, codeInterrupted
	}
	if inv.JSON {
		body := &Failure{e.Code, e.Message, e.Hint, e.Next}
		return inv.answerJSON(envelope{Status: status, Findings: e.Findings, Error: body}, e.Fields, code)
	}
	var out bytes.Buffer
	p := &printer{w: &out, color: inv.Color && isTerminal(inv.Stdio.err)}
	p.line("%s: %s", p.red(e.Code), e.Message)
	p.findings(e.Findings)
	p.text(e.Hint)
	p.next(e.Next)
	return emit(inv.Stdio.err, out.Bytes(), inv.Stdio, code)
}

func (inv *invocation) answerJSON(env envelope, fields any, code int) int {
	env.Tool, env.Version, env.Command, env.OK = "git-longtask", version(), inv.Name, code == exitOK
	if inv.Command != nil {
		env.Command = inv.Command.Name
	}
	if env.Findings == nil {
		env.Findings = []contract.Finding{}
	}
	out, err := merged(env, fields)
	if err != nil {
		fmt.Fprintf(inv.Stdio.err, "internal_error: %v\n", err)
		return exitUndecided
	}
	return emit(inv.Stdio.out, append(out, '\n'), inv.Stdio, code)
}

// merged is one JSON object: the envelope, then the members of fields.
func merged(env envelope, fields any) ([]byte, error) {
	head, err := plainJSON(env)
	if err != nil || fields == nil {
		return head, err
	}
	raw, err := plainJSON(fields)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, fmt.Errorf("the fields of %s are no object: %w", env.Command, err)
	}
	for _, name := range envelopeNames {
		delete(members, name)
	}
	if len(members) == 0 {
		return head, nil
	}
	tail, err := plainJSON(members)
	if err != nil {
		return nil, err
	}
	return append(append(head[:len(head)-1], ','), tail[1:]...), nil
}

// plainJSON leaves <, > and & as they are: the reader is no browser.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
