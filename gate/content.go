package gate

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/git-longtask/git-longtask/gitx"
)

// content is what the work tree would commit now: the tree of HEAD and what
// differs from it in tracked files and in untracked ones that belong to the
// work. Nothing is written, unlike a snapshot, and nothing is listed that
// nobody asks for.
type content struct {
	task  *Task
	head  gitx.OID // tree
	over  map[string]gitx.TreeEntry
	gone  map[string]bool
	fresh map[gitx.OID][]byte // bytes that are stored nowhere yet

	changes map[gitx.OID][]gitx.Change
	entries []gitx.TreeEntry
}

// contentNow reads the changes that git status named.
func (t *Task) contentNow(ctx context.Context, head gitx.OID, dirty []gitx.StatusEntry) (*content, error) {
	c := &content{task: t, head: head, over: map[string]gitx.TreeEntry{}, gone: map[string]bool{},
		fresh: map[gitx.OID][]byte{}, changes: map[gitx.OID][]gitx.Change{}}
	var paths []string
	for _, d := range dirty {
		if !d.Untracked || t.inScope(d.Path) {
			paths = append(paths, d.Path)
			c.gone[d.Path] = true
		}
	}
	if len(paths) == 0 {
		return c, nil
	}
	files, err := t.Repo.WorkFiles(ctx, paths...)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	for _, e := range files.Entries() {
		if !c.gone[e.Path] {
			continue
		}
		delete(c.gone, e.Path)
		if c.over[e.Path], err = c.entry(ctx, files, e); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *content) entry(ctx context.Context, files *gitx.WorkFiles, f gitx.WorkFile) (gitx.TreeEntry, error) {
	e := gitx.TreeEntry{Path: f.Path, Mode: f.Mode, OID: f.OID}
	if f.Mode == gitx.ModeSubmodule {
		return e, nil
	}
	data, err := files.Read(ctx, f.Path)
	if err != nil {
		return e, fmt.Errorf("%s: %w", f.Path, err)
	}
	e.OID = c.task.Repo.NewObjects().Blob(data)
	c.fresh[e.OID] = data
	return e, nil
}

// at is the lookup of this content.
func (c *content) at(ctx context.Context, path string) (gitx.TreeEntry, bool, error) {
	if e, ok := c.over[path]; ok || c.gone[path] {
		return e, ok, nil
	}
	return inTree(c.task.Repo, c.head)(ctx, path)
}

// read is the reader of this content.
func (c *content) read(ctx context.Context, oid gitx.OID) ([]byte, error) {
	if data, ok := c.fresh[oid]; ok {
		return data, nil
	}
	return c.task.stored(ctx, oid)
}

// since are the changes from a commit or tree to this content.
func (c *content) since(ctx context.Context, base gitx.OID) ([]gitx.Change, error) {
	if known, ok := c.changes[base]; ok {
		return known, nil
	}
	committed, err := c.task.Repo.DiffTrees(ctx, base, c.head)
	if err != nil {
		return nil, err
	}
	changes := make([]gitx.Change, 0, len(committed))
	for _, ch := range committed {
		if _, over := c.over[ch.Path]; !over && !c.gone[ch.Path] {
			changes = append(changes, ch)
		}
	}
	for _, path := range c.touched() {
		ch, differs, err := c.compare(ctx, base, path)
		if err != nil {
			return nil, err
		}
		if differs {
			changes = append(changes, ch)
		}
	}
	c.changes[base] = changes
	return changes, nil
}

// touched are the paths that are not as in HEAD, sorted.
func (c *content) touched() []string {
	var paths []string
	for p := range c.over {
		paths = append(paths, p)
	}
	for p := range c.gone {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	return paths
}

func (c *content) compare(ctx context.Context, base gitx.OID, path string) (gitx.Change, bool, error) {
	old, had, err := inTree(c.task.Repo, base)(ctx, path)
	if err != nil {
		return gitx.Change{}, false, err
	}
	now, has := c.over[path]
	ch := gitx.Change{Path: path, Status: 'M', OldMode: old.Mode, OldOID: old.OID, NewMode: now.Mode, NewOID: now.OID}
	switch {
	case !had && !has:
		return ch, false, nil
	case !had:
		ch.Status = 'A'
	case !has:
		ch.Status = 'D'
	}
	return ch, old.OID != now.OID || old.Mode != now.Mode, nil
}

// readsSame tells whether a check would read now what it read then. The tree
// of then answers with one comparison; without it every entry is looked at.
func (c *content) readsSame(ctx context.Context, u unit, then checkEnded) (bool, error) {
	if _, err := c.task.Repo.ReadTree(ctx, then.Tree); then.Tree != "" && err == nil {
		changes, err := c.since(ctx, then.Tree)
		for _, ch := range changes {
			if u.reads(ch.Path) {
				return false, err
			}
		}
		return err == nil, err
	} else if then.Tree != "" && !errors.Is(err, gitx.ErrNotFound) && !errors.Is(err, gitx.ErrMissing) {
		return false, err
	}
	entries, err := c.all(ctx)
	return err == nil && inputs(u, entries) == then.Inputs, err
}

// all lists every entry.
func (c *content) all(ctx context.Context) ([]gitx.TreeEntry, error) {
	if c.entries != nil {
		return c.entries, nil
	}
	committed, err := c.task.Repo.ListTree(ctx, c.head)
	if err != nil {
		return nil, err
	}
	for _, e := range committed {
		if _, over := c.over[e.Path]; !over && !c.gone[e.Path] {
			c.entries = append(c.entries, e)
		}
	}
	for _, e := range c.over {
		c.entries = append(c.entries, e)
	}
	sort.Slice(c.entries, func(i, j int) bool { return c.entries[i].Path < c.entries[j].Path })
	return c.entries, nil
}
