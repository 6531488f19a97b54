package gate

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

// listing is the content of one commit: every entry by path.
type listing struct {
	entries []gitx.TreeEntry
	byPath  map[string]int
}

// list reads all entries of a commit's tree with one git child.
func list(ctx context.Context, repo *gitx.Repo, tree gitx.OID) (*listing, error) {
	entries, err := repo.ListTree(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", tree.Short(), err)
	}
	return index(entries), nil
}

func index(entries []gitx.TreeEntry) *listing {
	l := &listing{entries: entries, byPath: make(map[string]int, len(entries))}
	for i, e := range entries {
		l.byPath[e.Path] = i
	}
	return l
}

// lookup is one way to ask what stands at a path.
type lookup func(ctx context.Context, path string) (gitx.TreeEntry, bool, error)

func (l *listing) lookup(_ context.Context, path string) (gitx.TreeEntry, bool, error) {
	i, ok := l.byPath[path]
	if !ok {
		return gitx.TreeEntry{}, false, nil
	}
	return l.entries[i], true, nil
}

// inTree looks paths up in a tree level by level, for callers that need few.
func inTree(repo *gitx.Repo, tree gitx.OID) lookup {
	return func(ctx context.Context, path string) (gitx.TreeEntry, bool, error) {
		e, err := repo.Entry(ctx, tree, path)
		if errors.Is(err, gitx.ErrNotFound) {
			return e, false, nil
		}
		return e, err == nil, err
	}
}

// over looks at changes first, then at what they were made to.
func over(base lookup, changes []gitx.Change) lookup {
	changed := make(map[string]gitx.Change, len(changes))
	for _, c := range changes {
		changed[c.Path] = c
	}
	return func(ctx context.Context, path string) (gitx.TreeEntry, bool, error) {
		c, ok := changed[path]
		if !ok {
			return base(ctx, path)
		}
		if c.Status == 'D' {
			return gitx.TreeEntry{}, false, nil
		}
		return gitx.TreeEntry{Path: path, Mode: c.NewMode, OID: c.NewOID}, true, nil
	}
}

// contractTree offers a commit's content to the contract compiler.
func (l *listing) contractTree(repo *gitx.Repo) *contract.Tree {
	t := &contract.Tree{Entries: make([]contract.Entry, len(l.entries))}
	for i, e := range l.entries {
		t.Entries[i] = contract.Entry{Path: e.Path, Mode: uint32(e.Mode), Problem: modeProblem(e.Mode)}
	}
	sort.Slice(t.Entries, func(i, j int) bool { return t.Entries[i].Path < t.Entries[j].Path })
	t.Read = func(ctx context.Context, path string) ([]byte, error) {
		e, ok, err := l.lookup(ctx, path)
		if err != nil || !ok {
			return nil, fmt.Errorf("%s: %w", path, gitx.ErrNotFound)
		}
		o, err := repo.Read(ctx, string(e.OID))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return o.Data, nil
	}
	t.Problem = func(path string) string {
		if e, ok, _ := l.lookup(context.Background(), path); ok {
			return modeProblem(e.Mode)
		}
		return l.around(path)
	}
	return t
}

// around says why a path without an entry cannot be a file: it is a directory
// or lies below a symlink.
func (l *listing) around(path string) string {
	i := sort.Search(len(l.entries), func(i int) bool { return l.entries[i].Path >= path+"/" })
	if i < len(l.entries) && len(l.entries[i].Path) > len(path) && l.entries[i].Path[:len(path)+1] == path+"/" {
		return "not_regular"
	}
	for j := len(path) - 1; j > 0; j-- {
		if path[j] != '/' {
			continue
		}
		if k, ok := l.byPath[path[:j]]; ok && l.entries[k].Mode == gitx.ModeSymlink {
			return "symlink"
		}
	}
	return ""
}

func modeProblem(m gitx.Mode) string {
	switch m {
	case gitx.ModeSymlink:
		return "symlink"
	case gitx.ModeSubmodule:
		return "not_regular"
	}
	return ""
}

// WorkTree offers what the work tree would commit to the contract compiler.
// The caller closes the files.
func WorkTree(files *gitx.WorkFiles) *contract.Tree {
	entries := files.Entries()
	t := &contract.Tree{Entries: make([]contract.Entry, len(entries)), Read: files.Read, Problem: files.Problem}
	for i, e := range entries {
		t.Entries[i] = contract.Entry{Path: e.Path, Mode: uint32(e.Mode), Problem: e.Problem}
	}
	sort.Slice(t.Entries, func(i, j int) bool { return t.Entries[i].Path < t.Entries[j].Path })
	return t
}
