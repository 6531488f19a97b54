package projectcontext

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
)

// Context is the project context of one tree.
type Context struct {
	Manifest Manifest
	Findings []model.Finding // of the manifest

	tree  *model.Tree
	files map[string]bool // plain files below Dir
}

// Entry is a text to read, and why.
type Entry struct {
	Path  string `json:"path"`
	Why   string `json:"why"`   // "core", "default", "area ledger", "trigger rounding", ...
	Bytes int    `json:"bytes"` // as Git would store it
}

// Open reads the manifest of a tree. Without one there is no context: nil.
func Open(ctx context.Context, tree *model.Tree) (*Context, error) {
	c := &Context{tree: tree, files: map[string]bool{}}
	for _, e := range tree.Entries {
		if strings.HasPrefix(e.Path, Dir+"/") && e.Problem == "" && e.Mode != model.ModeSymlink && e.Mode != model.ModeSubmodule {
			c.files[e.Path] = true
		}
	}
	if !c.files[ManifestPath] {
		return nil, nil
	}
	data, err := tree.Read(ctx, ManifestPath)
	if err != nil {
		return nil, fmt.Errorf("project context: %w", err)
	}
	c.Manifest, c.Findings = ParseManifest(data)
	return c, nil
}

// paths are the context's files, sorted.
func (c *Context) paths() []string {
	paths := make([]string, 0, len(c.files))
	for p := range c.files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

// reading collects texts in the order in which they are to be read.
type reading struct {
	*Context
	entries []Entry
	seen    map[string]bool
}

// add takes a text once, with the first reason, and only where it exists.
func (r *reading) add(ctx context.Context, path, why string) error {
	if r.seen[path] || !r.files[path] {
		return nil
	}
	data, err := r.tree.Read(ctx, path)
	if err != nil {
		return fmt.Errorf("project context: %w", err)
	}
	r.seen[path] = true
	r.entries = append(r.entries, Entry{path, why, len(data)})
	return nil
}

// Default is what everybody reads: the core files, the texts of default areas
// and those whose read_policy is default or always, with their children.
func (c *Context) Default(ctx context.Context) ([]Entry, error) {
	r, err := c.byDefault(ctx)
	return r.entries, err
}

func (c *Context) byDefault(ctx context.Context) (*reading, error) {
	r := &reading{Context: c, seen: map[string]bool{}}
	for _, core := range []string{ManifestPath, GlobalPath, ArchitecturePath} {
		if err := r.add(ctx, core, "core"); err != nil {
			return r, err
		}
	}
	for _, a := range c.Manifest.Areas {
		if a.Default {
			if err := r.add(ctx, a.Context, "default area "+a.ID); err != nil {
				return r, err
			}
		}
	}
	for _, n := range c.Manifest.Context {
		if n.always() {
			if err := r.add(ctx, n.Path, "default"); err != nil {
				return r, err
			}
		}
	}
	return r, r.children(ctx)
}

// children follows default_children of what was added.
func (r *reading) children(ctx context.Context) error {
	nodes := r.Manifest.nodes()
	for i := 0; i < len(r.entries); i++ {
		for _, child := range nodes[r.entries[i].Path].Children {
			if err := r.add(ctx, child, "child of "+r.entries[i].Path); err != nil {
				return err
			}
		}
	}
	return nil
}
