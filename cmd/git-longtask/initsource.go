package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/git-longtask/git-longtask/cmd/git-longtask/scaffold"
	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/contract/draft"
	"github.com/git-longtask/git-longtask/contract/source"
	"github.com/git-longtask/git-longtask/gitx"
)

// initFromSource writes the contract that a marked file calls for. What no text
// can say is left to decide.
func (inv *invocation) initFromSource(ctx context.Context, repo *gitx.Repo, top *os.Root, task scaffold.Task) (*report, error) {
	name, full, err := inv.ownFile(ctx, repo, inv.Flags.String("source"))
	if err != nil {
		return nil, err
	}
	fields := initFields{TaskID: task.ID, Title: task.Title, Workdir: task.Workdir, Source: name, Written: []string{}, Kept: []string{}, Next: []string{}}
	items, findings, err := itemsOf(name, full)
	if err != nil {
		return nil, err
	}
	if contract.Refuses(findings) {
		return nothingWritten(fields, findings, "mark what must become true, then run this again; proposals: git longtask source mark "+shellQuote(inv.Flags.String("source"))), nil
	}
	text, err := draft.Contract(draft.Task{ID: task.ID, Title: task.Title, Source: name}, items)
	if err != nil {
		return nil, err
	}
	file := scaffold.File{Path: path.Join(task.Workdir, contract.FileName), Data: text}
	return inv.writeDraft(ctx, repo, top, file, fields)
}

// itemsOf are the marked items of a file.
func itemsOf(name, full string) ([]source.Item, []contract.Finding, error) {
	data, err := os.ReadFile(full)
	if err != nil {
		return nil, nil, fmt.Errorf("source %s: %w", name, err)
	}
	if !utf8.Valid(data) {
		return nil, []contract.Finding{contract.Place{Path: name, Line: 1, Column: 1}.Errorf("source_file_not_text", "save it as UTF-8", "the file is not UTF-8 text")}, nil
	}
	var s source.Scanner
	s.Scan(name, data)
	return s.Items, s.Findings, nil
}

// writeDraft writes the contract, unless one is there or Git would not keep it,
// and says what is left to decide.
func (inv *invocation) writeDraft(ctx context.Context, repo *gitx.Repo, top *os.Root, file scaffold.File, fields initFields) (*report, error) {
	files := []scaffold.File{file}
	there, err := scaffold.Existing(top, files)
	if err != nil {
		return nil, err
	}
	if len(there) > 0 {
		return nothingWritten(fields, inTheWay(there), "move away what is there, or choose another workdir and --id"), nil
	}
	undo, err := scaffold.Write(top, files)
	if err != nil {
		return nil, fmt.Errorf("nothing was written: %w", err)
	}
	found, err := contractFindings(ctx, repo, fields.Workdir)
	lost := slices.ContainsFunc(found, func(f contract.Finding) bool { return f.Path == file.Path && f.Line == 0 })
	if err != nil || ctx.Err() != nil || lost {
		err = errors.Join(err, ctx.Err(), undo())
		return nothingWritten(fields, found, "Git does not keep a file there; the findings say why"), err
	}
	fields.Written, fields.ToDecide = []string{file.Path}, found
	fields.Next = []string{"git longtask preflight " + shellQuote(inv.fromHere(repo, fields.Workdir))}
	return &report{Status: "written", Fields: fields, Text: func(p *printer) {
		p.line("%s: task %s in %s, from %s", p.bold("written"), fields.TaskID, quotePath(file.Path), quotePath(fields.Source))
		p.line("")
		p.line("%s, marked TODO there or named here:", count(problems(found), "decision")+" left")
		p.findings(found)
		p.line("")
		p.next(fields.Next[0])
	}}, nil
}
