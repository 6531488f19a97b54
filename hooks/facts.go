package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/git-longtask/git-longtask/gitx"
)

// Names beside a hook of ours.
const (
	savedSuffix  = ".longtask-saved"  // the hook that was there before, called by ours
	editedSuffix = ".longtask-edited" // a hook of ours that was edited and taken over by force
	legacySuffix = ".legacy"          // where the pre-commit program keeps the hook it found and calls
)

type kind int

const (
	absent kind = iota
	regular
	other // a directory, a device: nothing to rename and nothing to run
)

// file is one file as the plan sees it; a symbolic link is what it leads to, or
// an empty regular file when it leads nowhere.
type file struct {
	kind kind
	data []byte
	exec bool
}

func (f file) same(g file) bool {
	return f.kind == g.kind && f.exec == g.exec && bytes.Equal(f.data, g.data)
}

// hookFacts is everything about one hook that decides what happens to it.
type hookFacts struct {
	name                           string
	current, saved, edited, legacy file
	tracked                        bool // by Git, in the index
}

// facts is everything the plan depends on besides its options.
type facts struct {
	dir      gitx.HooksDir
	usable   bool              // the directory is one, or nothing is there yet
	inTree   string            // the directory relative to the top of the work tree, "" when it is elsewhere
	shared   bool              // it belongs neither to the work tree nor to the git directory
	hooks    []hookFacts       // in the order of Names
	configs  map[string][]byte // configuration of hook managers, by path relative to the work tree
	onPath   bool              // a git-longtask is on PATH
	programs map[string]bool   // recorded programs that can be run
}

// look reads the facts of one hooks directory and changes nothing.
func look(ctx context.Context, repo *gitx.Repo, dir gitx.HooksDir) (facts, error) {
	f := facts{dir: dir, configs: map[string][]byte{}, programs: map[string]bool{}}
	info, err := os.Stat(dir.Path)
	disabled := dir.Scope != "" && dir.Value == ""
	f.usable = !disabled && (errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir())
	if !f.usable {
		for _, name := range Names {
			f.hooks = append(f.hooks, hookFacts{name: name})
		}
		return f, nil
	}
	f.inTree, f.shared = locate(repo, dir.Path)
	for _, name := range Names {
		h, err := lookAtHook(ctx, repo, dir.Path, name, f.inTree)
		if err != nil {
			return f, err
		}
		f.hooks = append(f.hooks, h)
		if who, said := recognise(h.current.data); who == ours {
			f.programs[said.binary] = runnable(said.binary)
		}
		if m, ok := managerOf(h.current.data); ok {
			for _, rel := range m.config(name) {
				if data, err := os.ReadFile(filepath.Join(repo.Top, filepath.FromSlash(rel))); err == nil {
					f.configs[rel] = data
				}
			}
		}
	}
	_, err = exec.LookPath("git-longtask")
	f.onPath = err == nil
	return f, nil
}

func lookAtHook(ctx context.Context, repo *gitx.Repo, dir, name, inTree string) (hookFacts, error) {
	h := hookFacts{name: name}
	at := filepath.Join(dir, name)
	// The hook first: another install saves before it writes, so whoever sees
	// its hook sees what it saved.
	var errs [4]error
	h.current, errs[0] = readFile(at)
	h.saved, errs[1] = readFile(at + savedSuffix)
	h.edited, errs[2] = readFile(at + editedSuffix)
	h.legacy, errs[3] = readFile(at + legacySuffix)
	if err := errors.Join(errs[:]...); err != nil {
		return h, fmt.Errorf("hook %s: %w", name, err)
	}
	if inTree == "" || h.current.kind == absent {
		return h, nil
	}
	_, _, _, err := repo.Info(ctx, ":0:"+filepath.ToSlash(filepath.Join(inTree, name)))
	if err != nil && !errors.Is(err, gitx.ErrNotFound) {
		return h, fmt.Errorf("hook %s: %w", name, err)
	}
	h.tracked = err == nil
	return h, nil
}

func readFile(path string) (file, error) {
	link, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file{}, nil
	}
	if err != nil {
		return file{}, err
	}
	info, err := os.Stat(path)
	if err != nil && link.Mode()&fs.ModeSymlink != 0 {
		return file{kind: regular}, nil
	}
	if err != nil {
		return file{}, err
	}
	if !info.Mode().IsRegular() {
		return file{kind: other}, nil
	}
	data, err := os.ReadFile(path)
	return file{kind: regular, data: data, exec: executable(info)}, err
}

// locate finds out whether a hooks directory is part of the work tree, with
// every symbolic link followed: .git/hooks may lead to tracked files.
func locate(repo *gitx.Repo, dir string) (inTree string, shared bool) {
	real := resolved(dir)
	for _, gitDir := range []string{repo.CommonDir, repo.GitDir} {
		if _, ok := within(resolved(gitDir), real); ok {
			return "", false
		}
	}
	if rel, ok := within(resolved(repo.Top), real); ok {
		return rel, false
	}
	return "", true
}

// resolved follows the links of the part of a path that exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(resolved(parent), filepath.Base(path))
}

func within(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
