package gitx

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Mode is the mode of a tree entry, one of the five that git tells apart.
type Mode uint32

const (
	ModeTree      Mode = 0o040000
	ModeFile      Mode = 0o100644
	ModeExec      Mode = 0o100755
	ModeSymlink   Mode = 0o120000
	ModeSubmodule Mode = 0o160000
)

// String is the mode as git prints it, six octal digits.
func (m Mode) String() string { return fmt.Sprintf("%06o", uint32(m)) }

// canonicalMode is what git takes any stored mode for.
func canonicalMode(stored uint64) Mode {
	switch stored & 0o170000 {
	case 0o100000:
		if stored&0o100 != 0 {
			return ModeExec
		}
		return ModeFile
	case 0o120000:
		return ModeSymlink
	case 0o040000:
		return ModeTree
	}
	return ModeSubmodule
}

// TreeEntry is one entry of a tree. Path is bytes, not necessarily UTF-8.
type TreeEntry struct {
	Mode Mode
	Path string
	OID  OID
}

// trees remembered for Entry; a tree never changes, so only size limits it.
const maxTrees = 4096

// ReadTree lists one level of a tree, or of the tree of a commit or tag, in
// git's order. The caller must not change the result. Errors: ErrMissing,
// never ErrNotFound, so that a tree left out of a partial clone is not taken
// for one that lacks a path.
func (r *Repo) ReadTree(ctx context.Context, treeish OID) ([]TreeEntry, error) {
	r.treesMu.Lock()
	entries, ok := r.trees[treeish]
	r.treesMu.Unlock()
	if ok {
		return entries, nil
	}
	if !isHex(string(treeish)) {
		return nil, fmt.Errorf("tree %q: not a full object id", treeish)
	}
	a, err := r.ask(ctx, "contents", string(treeish)+"^{tree}")
	if err != nil {
		return nil, err
	}
	if a.oid == "" {
		return nil, fmt.Errorf("tree %s: %w", treeish, ErrMissing)
	}
	if entries, err = decodeTree(a.data, len(a.oid)/2); err != nil {
		return nil, fmt.Errorf("tree %s: %w", a.oid, err)
	}
	r.treesMu.Lock()
	defer r.treesMu.Unlock()
	if r.trees == nil || len(r.trees) >= maxTrees {
		r.trees = make(map[OID][]TreeEntry)
	}
	r.trees[treeish] = entries
	return entries, nil
}

// Entry finds one path in a tree, level by level, so any bytes may be in its
// names; Path of the result is the whole path. Errors: ErrNotFound when the
// tree has no such path, ErrMissing when that could not be seen.
func (r *Repo) Entry(ctx context.Context, treeish OID, path string) (TreeEntry, error) {
	at, rest := treeish, path
	for {
		name, below, deeper := strings.Cut(rest, "/")
		entries, err := r.ReadTree(ctx, at)
		if err != nil {
			return TreeEntry{}, err
		}
		found, ok := findEntry(entries, name)
		if !ok || deeper && found.Mode != ModeTree {
			return TreeEntry{}, fmt.Errorf("%w: %q in tree %s", ErrNotFound, path, treeish)
		}
		if !deeper {
			found.Path = path
			return found, nil
		}
		at, rest = found.OID, below
	}
}

func findEntry(entries []TreeEntry, name string) (TreeEntry, bool) {
	for _, e := range entries {
		if e.Path == name {
			return e, true
		}
	}
	return TreeEntry{}, false
}

// ListTree lists every file, symlink and submodule below a tree or commit
// with full paths, by one git child. Errors: a *GitError when a tree is
// missing.
func (r *Repo) ListTree(ctx context.Context, treeish OID) ([]TreeEntry, error) {
	if !isHex(string(treeish)) {
		return nil, fmt.Errorf("tree %q: not a full object id", treeish)
	}
	out, err := r.here.run(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", string(treeish))
	if err != nil {
		return nil, err
	}
	var list []TreeEntry
	for record := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if record == "" {
			continue
		}
		meta, path, ok := strings.Cut(record, "\t")
		field := strings.Split(meta, " ")
		if !ok || len(field) != 3 {
			return nil, fmt.Errorf("unexpected ls-tree record %q", record)
		}
		mode, err := strconv.ParseUint(field[0], 8, 32)
		if err != nil || !isHex(field[2]) {
			return nil, fmt.Errorf("unexpected ls-tree record %q", record)
		}
		list = append(list, TreeEntry{Mode: Mode(mode), Path: path, OID: OID(field[2])})
	}
	return list, nil
}

var errTree = errors.New("malformed tree")

// decodeTree reads a tree object whose ids have idSize raw bytes. A name git
// would not write (empty, or with a slash) is refused: a walk by path could
// not see it.
func decodeTree(data []byte, idSize int) ([]TreeEntry, error) {
	var entries []TreeEntry
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		if !ok || len(rest) < idSize {
			return nil, errTree
		}
		digits, name, ok := bytes.Cut(head, []byte{' '})
		if !ok || len(name) == 0 || bytes.IndexByte(name, '/') >= 0 || len(digits) > 7 {
			return nil, errTree
		}
		mode, err := strconv.ParseUint(string(digits), 8, 32)
		if err != nil {
			return nil, errTree
		}
		entries = append(entries, TreeEntry{Mode: canonicalMode(mode), Path: string(name), OID: OID(hex.EncodeToString(rest[:idSize]))})
		data = rest[idSize:]
	}
	return entries, nil
}
