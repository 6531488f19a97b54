package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/contract/projectcontext"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gitx"
)

func contextInitCommand() *command {
	return &command{
		Name:  "context init",
		Group: groupAuthor,
		Usage: "start the context of a repository",
		Description: "Writes project_context/context.toml, the manifest of what there is to read about the project, and global.md and architecture.md beside it. " +
			"Existing files are never overwritten: when there is one of the three, nothing is written.",
		Examples: []string{"git longtask context init"},
		JSON:     startedFields{},
		Run:      runContextInit,
	}
}

type startedFields struct {
	Written []string `json:"written"`
}

func runContextInit(ctx context.Context, inv *invocation) (*report, error) {
	repo, err := inv.workTree(ctx)
	if err != nil {
		return nil, err
	}
	findings, err := existingContext(repo)
	if err != nil {
		return nil, err
	}
	if len(findings) > 0 {
		return &report{Status: "refused", Exit: exitRefused, Findings: findings, Fields: startedFields{[]string{}}, Text: func(p *printer) {
			p.line("%s: this repository has a project context, and nothing of it is overwritten", p.red("refused"))
			p.findings(findings)
			p.next("git longtask context doctor")
		}}, nil
	}
	fields, err := writeStarter(repo)
	if err != nil {
		return nil, err
	}
	return &report{Status: "created", Fields: fields, Text: func(p *printer) {
		p.line("created: %s", count(len(fields.Written), "file"))
		for _, w := range fields.Written {
			p.line("  %s", w)
		}
		p.line("write into them what everybody must know, and name areas and other texts in context.toml")
		p.next("git longtask context doctor")
	}}, nil
}

// existingContext are files of the context that are there, or a directory that is not
// the repository's own.
func existingContext(repo *gitx.Repo) ([]contract.Finding, error) {
	info, err := os.Lstat(filepath.Join(repo.Top, projectcontext.Dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.IsDir():
		place := contract.Place{Path: projectcontext.Dir}
		return []contract.Finding{place.Errorf("context_exists", "remove it, or move it away", "is no directory of its own")}, nil
	}
	var findings []contract.Finding
	for _, f := range projectcontext.Starter() {
		_, err := os.Lstat(filepath.Join(repo.Top, filepath.FromSlash(f.Path)))
		if err == nil {
			findings = append(findings, contract.Place{Path: f.Path}.Errorf("context_exists", "keep it, and write the other files by hand where they are missing", "exists already"))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return findings, nil
}

// writeStarter writes the core files; none of them may exist.
func writeStarter(repo *gitx.Repo) (startedFields, error) {
	fields := startedFields{Written: []string{}}
	for _, f := range projectcontext.Starter() {
		full := filepath.Join(repo.Top, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			return fields, err
		}
		file, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return fields, fmt.Errorf("project context: %w", err)
		}
		_, err = file.WriteString(f.Text)
		if err = errors.Join(err, file.Close()); err != nil {
			return fields, fmt.Errorf("%s: %w", f.Path, err)
		}
		fields.Written = append(fields.Written, f.Path)
	}
	return fields, nil
}

// workTree is the repository, which must have files.
func (inv *invocation) workTree(ctx context.Context) (*gitx.Repo, error) {
	repo, err := inv.Repo(ctx)
	if err == nil && repo.Bare {
		return nil, &decideError{Code: "bare_repository", Message: "a bare repository has no work tree to read from or to write to", Hint: "run this in a clone with a work tree"}
	}
	return repo, err
}

// withContext opens the context of the work tree and asks it. A repository
// without one is no problem: context is optional.
func (inv *invocation) withContext(ctx context.Context, ask func(*gitx.Repo, *projectcontext.Context) (*report, error)) (*report, error) {
	repo, err := inv.workTree(ctx)
	if err != nil {
		return nil, err
	}
	files, err := repo.WorkFiles(ctx)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	c, err := projectcontext.Open(ctx, gate.WorkTree(files))
	if err != nil {
		return nil, err
	}
	if c == nil {
		return &report{Status: "no_context", Text: func(p *printer) {
			p.line("this repository has no %s", projectcontext.ManifestPath)
			p.next("git longtask context init")
		}}, nil
	}
	return ask(repo, c)
}
