package gitx

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Change is one path that differs between two states. A side without the path
// has mode 0 and a zero id. Status is git's letter: A, D, M, T (another kind of
// file) or U (unmerged); a rename is a D and an A.
type Change struct {
	Path             string
	OldMode, NewMode Mode
	OldOID, NewOID   OID
	Status           byte
}

var diffFlags = []string{"--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=none"}

// EmptyTree is the id of the tree without entries, which git knows in every
// repository: the base of a branch that has no commit yet.
func (r *Repo) EmptyTree() OID {
	if r.Format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

func (r *Repo) orEmpty(treeish OID) OID {
	if treeish.IsZero() {
		return r.EmptyTree()
	}
	return treeish
}

// DiffIndex tells how the index differs from a commit or tree; a zero base is
// the empty tree. In a hook it is the index of the commit being made, also for
// commit -a and commit <path>.
func (r *Repo) DiffIndex(ctx context.Context, base OID) ([]Change, error) {
	args := append([]string{"diff-index", "--cached", "--ita-invisible-in-index"}, diffFlags...)
	out, err := r.here.run(ctx, nil, append(args, string(r.orEmpty(base)), "--")...)
	if err != nil {
		return nil, fmt.Errorf("index against %s: %w", base.Short(), err)
	}
	return parseChanges(string(out))
}

// DiffTrees tells how commit or tree b differs from a; a zero id is the empty
// tree.
func (r *Repo) DiffTrees(ctx context.Context, a, b OID) ([]Change, error) {
	args := append([]string{"diff-tree", "-r"}, diffFlags...)
	out, err := r.here.run(ctx, nil, append(args, string(r.orEmpty(a)), string(r.orEmpty(b)), "--")...)
	if err != nil {
		return nil, fmt.Errorf("%s against %s: %w", b.Short(), a.Short(), err)
	}
	return parseChanges(string(out))
}

// parseChanges reads raw diff records: ":100644 100755 <old> <new> M" and a
// path, each ended by NUL.
func parseChanges(out string) ([]Change, error) {
	var changes []Change
	for len(out) > 0 {
		meta, rest, _ := strings.Cut(out, "\x00")
		path, rest, ok := strings.Cut(rest, "\x00")
		field := strings.Split(strings.TrimPrefix(meta, ":"), " ")
		if !ok || len(field) != 5 || field[4] == "" {
			return nil, fmt.Errorf("unexpected diff record %q", meta)
		}
		oldMode, errOld := parseMode(field[0])
		newMode, errNew := parseMode(field[1])
		if errOld != nil || errNew != nil || !isHex(field[2]) || !isHex(field[3]) {
			return nil, fmt.Errorf("unexpected diff record %q", meta)
		}
		changes = append(changes, Change{Path: path, OldMode: oldMode, NewMode: newMode,
			OldOID: OID(field[2]), NewOID: OID(field[3]), Status: field[4][0]})
		out = rest
	}
	return changes, nil
}

func parseMode(s string) (Mode, error) {
	m, err := strconv.ParseUint(s, 8, 32)
	return Mode(m), err
}
