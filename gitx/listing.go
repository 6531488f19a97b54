package gitx

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// listed is one record of what index and work tree hold.
type listed struct {
	path      string
	mode      Mode // 0 when untracked
	oid       OID
	unmerged  bool
	untracked bool
	assumed   bool // assume-unchanged
	skipped   bool // skip-worktree
}

// listFiles lists the index of p, and the untracked files that are not
// ignored, with one child; only those named when there are any. An unmerged path comes once for every stage.
func listFiles(ctx context.Context, p place, only ...string) ([]listed, error) {
	args := []string{"ls-files", "-z", "-t", "-v", "-s", "-c", "-o", "--exclude-standard", "--"}
	out, err := p.run(ctx, nil, append(args, only...)...)
	if err != nil {
		return nil, fmt.Errorf("listing the work tree: %w", err)
	}
	var list []listed
	for record := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if record == "" {
			continue
		}
		l, err := parseListed(record)
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// parseListed reads "? path" or "H 100644 <id> <stage>\tpath", where a lower
// case tag says assume-unchanged and S skip-worktree.
func parseListed(record string) (listed, error) {
	tag, rest, _ := strings.Cut(record, " ")
	if tag == "?" {
		return listed{path: rest, untracked: true}, nil
	}
	meta, path, ok := strings.Cut(rest, "\t")
	field := strings.Split(meta, " ")
	if !ok || len(tag) != 1 || len(field) != 3 || !isHex(field[1]) {
		return listed{}, fmt.Errorf("unexpected ls-files record %q", record)
	}
	mode, err := parseMode(field[0])
	if err != nil {
		return listed{}, fmt.Errorf("unexpected ls-files record %q", record)
	}
	return listed{path: path, mode: mode, oid: OID(field[1]), unmerged: field[2] != "0",
		assumed: strings.ToUpper(tag) != tag, skipped: strings.ToUpper(tag) == "S"}, nil
}

// disk looks at files of a work tree the way git does: what lies behind a
// symlinked directory is not there.
type disk struct {
	top  string
	dirs map[string]bool // whether a directory is one, all the way down
}

func newDisk(top string) *disk { return &disk{top, map[string]bool{"": true, ".": true}} }

// full is the path of a work tree file for the operating system.
func (d *disk) full(path string) string {
	return filepath.Join(d.top, filepath.FromSlash(path))
}

// stat is lstat; ok is false when nothing is there for git.
func (d *disk) stat(path string) (info os.FileInfo, ok bool) {
	if !d.isDir(parent(path)) {
		return nil, false
	}
	info, err := os.Lstat(d.full(path))
	return info, err == nil
}

func (d *disk) isDir(dir string) bool {
	is, known := d.dirs[dir]
	if !known {
		if d.isDir(parent(dir)) {
			info, err := os.Lstat(d.full(dir))
			is = err == nil && info.IsDir()
		}
		d.dirs[dir] = is
	}
	return is
}

func parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return ""
}

// modeOf is the mode git would give a new file, 0 for what it cannot store.
func modeOf(info os.FileInfo) Mode {
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		return ModeSymlink
	case !info.Mode().IsRegular():
		return 0
	case info.Mode()&0o100 != 0:
		return ModeExec
	}
	return ModeFile
}
