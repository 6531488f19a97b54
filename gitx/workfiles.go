package gitx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// WorkFile is a file the work tree would commit. Mode is one of the tree
// modes; the executable bit of a tracked file is the index's. OID is what the
// index holds, "" when it holds nothing or several versions. Problem is as of
// WorkFiles.Problem.
type WorkFile struct {
	Path    string
	Mode    Mode
	OID     OID
	Problem string
}

// WorkFiles is what the work tree would commit if everything tracked and
// everything untracked that is not ignored were added: files deleted from it
// are left out, files a sparse checkout left out are in. It writes nothing
// into the repository. Close it.
type WorkFiles struct {
	repo    *Repo
	disk    *disk
	entries []WorkFile
	at      map[string]int
	absent  map[string]bool // left out by sparse checkout
	clean   *cleaner
}

// fewPaths is how many paths go to git one by one; beyond, it lists all.
const fewPaths = 200

// WorkFiles lists the work tree with one git child, which sees the index that
// the environment names. Naming a few paths spares the listing of all others.
func (r *Repo) WorkFiles(ctx context.Context, only ...string) (*WorkFiles, error) {
	if r.Top == "" {
		return nil, fmt.Errorf("%s is a bare repository and has no work tree", r.GitDir)
	}
	if len(only) > fewPaths {
		only = nil
	}
	list, err := listFiles(ctx, r.here, only...)
	if err != nil {
		return nil, err
	}
	w := &WorkFiles{repo: r, disk: newDisk(r.Top), at: make(map[string]int, len(list)),
		absent: make(map[string]bool), clean: &cleaner{repo: r}}
	for _, l := range list {
		w.add(l)
	}
	slices.SortFunc(w.entries, func(a, b WorkFile) int { return strings.Compare(a.Path, b.Path) })
	for i, e := range w.entries {
		w.at[e.Path] = i
	}
	return w, nil
}

// add takes a record as entry, unless the file is gone or of a kind git does
// not store. Of an unmerged path the first stage stands for all.
func (w *WorkFiles) add(l listed) {
	if _, again := w.at[l.path]; again {
		return
	}
	e := WorkFile{Path: l.path, Mode: l.mode, OID: l.oid}
	if l.unmerged {
		e.OID = ""
	}
	info, there := w.disk.stat(l.path)
	switch {
	case !there && l.skipped:
		w.absent[l.path] = true
	case !there:
		return
	case l.mode == ModeSubmodule && info.IsDir():
	default:
		onDisk := modeOf(info)
		if onDisk == 0 {
			return
		}
		if l.untracked || onDisk == ModeSymlink || l.mode != ModeFile && l.mode != ModeExec {
			e.Mode = onDisk
		}
		e.Problem = problemOf(info)
	}
	w.at[l.path] = len(w.entries)
	w.entries = append(w.entries, e)
}

// Entries are the files sorted by the bytes of their paths. The caller must
// not change them.
func (w *WorkFiles) Entries() []WorkFile { return w.entries }

// Problem tells why what the work tree has at a path cannot be trusted to stay
// what it is: "symlink" (itself or a directory above it), "hardlink",
// "not_regular", "outside_repository", "unreadable", or "" for a plain file
// and for nothing at all.
func (w *WorkFiles) Problem(path string) string {
	if leavesRepository(path) {
		return "outside_repository"
	}
	for i, c := range path + "/" {
		if c != '/' {
			continue
		}
		info, err := os.Lstat(w.disk.full(path[:i]))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return ""
		case err != nil:
			return "unreadable"
		case i < len(path) && info.IsDir():
		case i < len(path) && info.Mode()&os.ModeSymlink == 0:
			return "" // a file where the path needs a directory
		default:
			return w.problemAt(path[:i], info)
		}
	}
	return ""
}

func (w *WorkFiles) problemAt(path string, info os.FileInfo) string {
	p := problemOf(info)
	if p != "" && p != "hardlink" {
		return p
	}
	f, err := os.Open(w.disk.full(path))
	if err != nil {
		return "unreadable"
	}
	f.Close()
	return p
}

func leavesRepository(path string) bool {
	if path == "" || strings.HasPrefix(path, "/") || strings.ContainsRune(path, 0) {
		return true
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == ".." || part == "." || part == "" || strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}

func problemOf(info os.FileInfo) string {
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		return "symlink"
	case !info.Mode().IsRegular():
		return "not_regular"
	case linkCount(info) > 1:
		return "hardlink"
	}
	return ""
}

// Read gives the bytes git would store for an entry: after line ending
// conversion and filters; for a symlink its target. Errors: ErrNotFound when
// the path is no entry.
func (w *WorkFiles) Read(ctx context.Context, path string) ([]byte, error) {
	i, ok := w.at[path]
	if !ok {
		return nil, fmt.Errorf("%q in the work tree: %w", path, ErrNotFound)
	}
	e := w.entries[i]
	switch {
	case w.absent[path] && e.Mode != ModeSubmodule:
		obj, err := w.repo.Read(ctx, string(e.OID))
		return obj.Data, err
	case e.Mode == ModeSubmodule:
		return nil, fmt.Errorf("%q is a submodule, not a file", path)
	case e.Mode == ModeSymlink:
		target, err := os.Readlink(w.disk.full(path))
		return []byte(target), err
	}
	if p := w.Problem(path); p != "" && p != "hardlink" {
		return nil, fmt.Errorf("%q cannot be read as a plain file: %s", path, p)
	}
	return w.stored(ctx, path)
}

// stored finds the bytes whose id git names for a file. Most often they are
// the file's own or those without carriage returns, or the repository has
// them; only what a filter made anew has to be written somewhere.
func (w *WorkFiles) stored(ctx context.Context, path string) ([]byte, error) {
	raw, err := os.ReadFile(w.disk.full(path))
	if err != nil {
		return nil, err
	}
	oid, err := w.clean.hash(ctx, path)
	if err != nil {
		return nil, err
	}
	if blobID(w.repo.Format, raw) == oid {
		return raw, nil
	}
	if lf := bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")); blobID(w.repo.Format, lf) == oid {
		return lf, nil
	}
	if obj, err := w.repo.Read(ctx, string(oid)); err == nil {
		return obj.Data, nil
	}
	return w.clean.content(ctx, path)
}

// Close ends the children and removes what they wrote.
func (w *WorkFiles) Close() error { return w.clean.close() }
