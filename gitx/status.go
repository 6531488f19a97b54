package gitx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// StatusEntry is one path of the work tree that is not as in HEAD. XY is
// git's pair of letters for index and work tree, "??" when untracked. An
// untracked repository inside the work tree is one entry ending in a slash.
type StatusEntry struct {
	Path      string
	XY        string
	Unmerged  bool
	Untracked bool
}

// Status lists what is staged, changed and untracked, ignored files left out.
// An edit hidden by assume-unchanged or skip-worktree is not seen; Snapshot
// sees it.
func (r *Repo) Status(ctx context.Context) ([]StatusEntry, error) {
	out, err := r.here.run(ctx, nil, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=none", "--no-renames")
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	return parseStatus(string(out))
}

// statusFields counts what stands before the path in a record of each kind.
var statusFields = map[byte]int{'1': 8, 'u': 10, '?': 1}

func parseStatus(out string) ([]StatusEntry, error) {
	var list []StatusEntry
	for record := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if record == "" || record[0] == '#' {
			continue
		}
		n := statusFields[record[0]]
		field := strings.SplitN(record, " ", n+1)
		if n == 0 || len(field) != n+1 {
			return nil, fmt.Errorf("unexpected status record %q", record)
		}
		e := StatusEntry{Path: field[n], XY: "??", Unmerged: field[0] == "u", Untracked: field[0] == "?"}
		if !e.Untracked {
			e.XY = field[1]
		}
		list = append(list, e)
	}
	return list, nil
}

// MergeHeads are the commits a merge that is not finished yet brings in, none
// when there is no merge.
func (r *Repo) MergeHeads(_ context.Context) ([]OID, error) {
	text, err := os.ReadFile(filepath.Join(r.GitDir, "MERGE_HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("merge heads: %w", err)
	}
	var heads []OID
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); !isHex(line) {
			return nil, fmt.Errorf("merge heads: %s holds %q", filepath.Join(r.GitDir, "MERGE_HEAD"), line)
		}
		heads = append(heads, OID(line))
	}
	return heads, nil
}

// GitHeads are the commits a merge brings in, as git names them to
// pre-merge-commit, where MERGE_HEAD is not written yet: by variables
// GITHEAD_<id>. The order is by id.
func GitHeads(environ []string) []OID {
	var heads []OID
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if id, ok := strings.CutPrefix(name, "GITHEAD_"); ok && isHex(id) {
			heads = append(heads, OID(id))
		}
	}
	slices.Sort(heads)
	return slices.Compact(heads)
}
