package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/contract/marking"
	"github.com/git-longtask/git-longtask/gitx"
)

func sourceMarkCommand() *command {
	return &command{
		Name:  "source mark",
		Group: groupAuthor,
		Args:  "<file>",
		Usage: "propose markers for what a plan states",
		Description: "Reads a Markdown plan and proposes a marker for each result, requirement, criterion and limit it states: by its headings, lists, " +
			"lines with \"must\", \"Done when\" and Given/When/Then. Shows them as a difference; --write adds them. Nothing but marker lines is added, " +
			"code is passed over, and what is marked already stays as it is. Proposals are guesses: read them, and correct kinds by hand.",
		Examples: []string{"git longtask source mark plans/export.md", "git longtask source mark plans/export.md --write", "git longtask source mark plans/export.md | git apply  # the same"},
		Flags:    []cli.Flag{&cli.BoolFlag{Name: "write", Usage: "write the markers into the file"}},
		JSON:     markFields{},
		Run:      runSourceMark,
	}
}

type markFields struct {
	Path      string             `json:"path"`
	Proposals []marking.Proposal `json:"proposals"`
	Diff      string             `json:"diff,omitempty"` // unified, from the file as it was
	Written   bool               `json:"written"`
}

func runSourceMark(ctx context.Context, inv *invocation) (*report, error) {
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil, err
	}
	name, full, err := inv.ownFile(ctx, repo, inv.arg(0))
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return nil, &decideError{Code: "source_not_readable", Message: fmt.Sprintf("the file cannot be read: %v", err), Hint: "make it readable, or name another file"}
	}
	found := marking.Propose(name, data)
	fields := markFields{Path: name, Proposals: append([]marking.Proposal{}, found.Proposals...), Diff: found.Diff}
	if contract.Refuses(found.Findings) {
		return &report{Status: "refused", Exit: exitRefused, Findings: found.Findings, Fields: fields, Text: func(p *printer) {
			p.line("%s: %s has %s, so nothing is proposed", p.red("refused"), quotePath(name), count(len(found.Findings), "problem"))
			p.findings(found.Findings)
			p.next("git longtask source mark " + quotePath(name))
		}}, nil
	}
	if len(found.Proposals) > 0 && inv.Flags.Bool("write") {
		if err := replaceFile(full, data, found.Marked); err != nil {
			return nil, err
		}
		fields.Written = true
	}
	return markReport(fields), nil
}

func markReport(f markFields) *report {
	switch {
	case len(f.Proposals) == 0:
		return &report{Status: "nothing_to_mark", Fields: f, Text: func(p *printer) {
			p.line("nothing to mark in %s: all that looks like an item is marked", quotePath(f.Path))
		}}
	case f.Written:
		return &report{Status: "marked", Fields: f, Text: func(p *printer) {
			p.line("marked: %s in %s", count(len(f.Proposals), "item"), quotePath(f.Path))
			for _, m := range f.Proposals {
				p.line("%s:%d: %s %s", quotePath(f.Path), m.FirstLine, m.Kind, m.Key)
			}
			p.next("git longtask init <workdir> --source " + quotePath(f.Path))
		}}
	}
	return &report{Status: "proposed", Fields: f, Text: func(p *printer) {
		for line := range strings.Lines(f.Diff) {
			p.diffLine(line)
		}
	}}
}

// diffLine writes a line of a difference as it is, since git may apply it, and
// in colour on a terminal.
func (p *printer) diffLine(line string) {
	text := strings.TrimSuffix(line, "\n")
	if p.color {
		text = printable(text)
		if strings.HasPrefix(text, "+") {
			text = p.paint("32", text)
		}
	}
	p.line("%s", text)
}

// ownFile is a plain file of the work tree as typed: its repository path and
// where it is on disk. Links are refused: what they lead to can change.
func (inv *invocation) ownFile(ctx context.Context, repo *gitx.Repo, typed string) (name, full string, err error) {
	dir, err := inv.inRepo(repo, filepath.Dir(typed))
	if err != nil {
		return "", "", err
	}
	name = path.Join(dir, filepath.Base(typed))
	full = filepath.Join(repo.Top, filepath.FromSlash(name))
	info, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", &decideError{Code: "file_missing", Message: fmt.Sprintf("there is no file %s", typed), Hint: "name a file of this repository"}
	case err != nil:
		return "", "", err
	case name == ".git" || strings.HasPrefix(name, ".git/"):
		return "", "", &decideError{Code: "path_outside_repository", Message: fmt.Sprintf("%s belongs to Git, not to the work tree", typed), Hint: "name a file of the work tree"}
	}
	files, err := repo.WorkFiles(ctx)
	if err != nil {
		return "", "", err
	}
	defer files.Close()
	if problem := files.Problem(name); problem != "" || !info.Mode().IsRegular() {
		return "", "", &decideError{Code: "not_a_plain_file", Message: fmt.Sprintf("%s is no plain file of its own (%s)", typed, strings.ReplaceAll(cmp.Or(problem, "not_regular"), "_", " ")),
			Hint: "name the file itself; links, hard links and directories are not taken"}
	}
	return name, full, nil
}

// replaceFile puts new content into a file in one step and keeps its mode. A
// file that is no longer as it was read is left alone.
func replaceFile(name string, before, after []byte) error {
	info, err := os.Lstat(name)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(name), ".longtask-*")
	if err != nil {
		return fmt.Errorf("temporary file beside %s: %w", name, err)
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(after)
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Chmod(temp.Name(), info.Mode().Perm())
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", temp.Name(), err)
	}
	if now, err := os.ReadFile(name); err != nil || string(now) != string(before) {
		return &decideError{Code: "file_changed_meanwhile", Message: fmt.Sprintf("%s was changed while it was read", name), Hint: "nothing was written; run the same command again"}
	}
	return os.Rename(temp.Name(), name)
}
