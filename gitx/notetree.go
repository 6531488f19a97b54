package gitx

import (
	"context"
	"slices"
	"strings"
)

// maxFlat is how many notes one flat tree takes before it is fanned out.
const maxFlat = 250

// noteDir is one level of a notes tree. git spreads the digits of an annotated
// id over directories of two digits, to any depth, and so do we read it.
type noteDir struct {
	stored OID                  // as read, "" when made or changed by us
	leaves map[string]TreeEntry // by name: notes, and whatever else is there; nil before load
	dirs   map[string]*noteDir
}

func newNoteDir() *noteDir {
	return &noteDir{leaves: map[string]TreeEntry{}, dirs: map[string]*noteDir{}}
}

// noteDirOf sorts the entries of a tree where rest digits of the annotated id
// are still to come.
func noteDirOf(stored OID, entries []TreeEntry, rest int) *noteDir {
	d := newNoteDir()
	d.stored = stored
	for _, e := range entries {
		if e.Mode == ModeTree && len(e.Path) == 2 && rest > 2 && isDigits(e.Path) {
			d.dirs[e.Path] = &noteDir{stored: e.OID}
		} else {
			d.leaves[e.Path] = e
		}
	}
	return d
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// load reads a level that was only known by its id.
func (d *noteDir) load(ctx context.Context, r *Repo, rest int) error {
	if d.leaves != nil {
		return nil
	}
	entries, err := r.ReadTree(ctx, d.stored)
	if err == nil {
		*d = *noteDirOf(d.stored, entries, rest)
	}
	return err
}

func (d *noteDir) note(rest string) (OID, bool) {
	e, ok := d.leaves[rest]
	return e.OID, ok && e.Mode != ModeTree && e.Mode != ModeSubmodule
}

// find collects the notes of one id; more than one when the tree has it in
// several shapes.
func (d *noteDir) find(ctx context.Context, r *Repo, rest string) ([]OID, error) {
	if err := d.load(ctx, r, len(rest)); err != nil {
		return nil, err
	}
	var found []OID
	if oid, ok := d.note(rest); ok {
		found = append(found, oid)
	}
	if sub := d.dirs[rest[:2]]; sub != nil {
		deeper, err := sub.find(ctx, r, rest[2:])
		if err != nil {
			return nil, err
		}
		found = append(found, deeper...)
	}
	return found, nil
}

// put makes blob the only note of one id, keeping the shape around it.
func (d *noteDir) put(ctx context.Context, r *Repo, rest string, blob OID) error {
	if err := d.load(ctx, r, len(rest)); err != nil {
		return err
	}
	d.stored = ""
	if len(d.dirs) == 0 {
		d.leaves[rest] = TreeEntry{Mode: ModeFile, Path: rest, OID: blob}
		return nil
	}
	if _, ok := d.note(rest); ok {
		delete(d.leaves, rest)
	}
	sub := d.dirs[rest[:2]]
	if sub == nil {
		sub = newNoteDir()
		d.dirs[rest[:2]] = sub
	}
	return sub.put(ctx, r, rest[2:], blob)
}

// fanOut moves the notes of a flat tree that grew too long into directories.
// It is for the outermost, loaded level.
func (d *noteDir) fanOut(digits int) {
	var flat []string
	for name := range d.leaves {
		if _, ok := d.note(name); ok && len(name) == digits && isDigits(name) {
			flat = append(flat, name)
		}
	}
	if len(d.dirs) > 0 || len(flat) <= maxFlat {
		return
	}
	d.stored = ""
	for _, name := range flat {
		sub := d.dirs[name[:2]]
		if sub == nil {
			sub = newNoteDir()
			d.dirs[name[:2]] = sub
		}
		e := d.leaves[name]
		e.Path = name[2:]
		sub.leaves[e.Path] = e
		delete(d.leaves, name)
	}
}

// all collects every note below, by annotated id.
func (d *noteDir) all(ctx context.Context, r *Repo, prefix string, digits int, into map[OID][]OID) error {
	rest := digits - len(prefix)
	if err := d.load(ctx, r, rest); err != nil {
		return err
	}
	for name := range d.leaves {
		if oid, ok := d.note(name); ok && len(name) == rest && isDigits(name) {
			into[OID(prefix+name)] = append(into[OID(prefix+name)], oid)
		}
	}
	for name, sub := range d.dirs {
		if err := sub.all(ctx, r, prefix+name, digits, into); err != nil {
			return err
		}
	}
	return nil
}

// write adds the changed levels to o and returns the id of this one.
func (d *noteDir) write(o *Objects) OID {
	if d.stored != "" {
		return d.stored
	}
	entries := make([]TreeEntry, 0, len(d.leaves)+len(d.dirs))
	for _, e := range d.leaves {
		entries = append(entries, e)
	}
	for name, sub := range d.dirs {
		entries = append(entries, TreeEntry{Mode: ModeTree, Path: name, OID: sub.write(o)})
	}
	return o.Tree(entries)
}

// union is the canonical text of several notes: every line once, in byte
// order, without empty lines.
func union(texts ...[]byte) []byte {
	var lines []string
	for _, text := range texts {
		for line := range strings.SplitSeq(string(text), "\n") {
			if line != "" {
				lines = append(lines, line+"\n")
			}
		}
	}
	slices.Sort(lines)
	return []byte(strings.Join(slices.Compact(lines), ""))
}
