package gitx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// wantDir is what a directory of a checkout holds, by name.
type wantDir struct {
	dirs  map[string]*wantDir
	files map[string]*wantFile
}

// wantFile is one file of it, and how it looked when its bytes were last seen
// to be right.
type wantFile struct {
	TreeEntry
	seen look
}

func newWantDir() *wantDir {
	return &wantDir{dirs: make(map[string]*wantDir), files: make(map[string]*wantFile)}
}

// wantedTree orders the files of a tree by directory, and refuses trees that
// git would not check out: what they name could lie elsewhere. files are the
// same in the order of the list.
func wantedTree(list []TreeEntry) (top *wantDir, files []*wantFile, err error) {
	top, files = newWantDir(), make([]*wantFile, len(list))
	for i, e := range list {
		files[i] = &wantFile{TreeEntry: e}
		if err := top.add(files[i]); err != nil {
			return nil, nil, err
		}
	}
	return top, files, nil
}

func (d *wantDir) add(e *wantFile) error {
	parts := strings.Split(e.Path, "/")
	for i, name := range parts {
		if !safeName(name) {
			return fmt.Errorf("the tree holds %q, a path that no checkout may write", e.Path)
		}
		_, isFile := d.files[name]
		sub, isDir := d.dirs[name]
		leaf := i == len(parts)-1 && e.Mode != ModeSubmodule
		if isFile || leaf && isDir || i == len(parts)-1 && isDir {
			return fmt.Errorf("the tree holds %q twice", strings.Join(parts[:i+1], "/"))
		}
		if leaf {
			d.files[name] = e
			return nil
		}
		if !isDir {
			sub = newWantDir()
			d.dirs[name] = sub
		}
		d = sub
	}
	return nil
}

// safeName refuses the names that stand for other directories, and every
// spelling some file system takes for ".git".
func safeName(name string) bool {
	if name == "" || name == "." || name == ".." || strings.ContainsRune(name, filepath.Separator) || strings.ContainsRune(name, 0) {
		return false
	}
	visible := strings.Map(dropInvisible, name)
	folded := strings.ToLower(strings.TrimRight(visible, ". "))
	stream, _, _ := strings.Cut(folded, ":")
	return strings.TrimRight(stream, ". ") != ".git" && folded != "git~1"
}

// dropInvisible drops the characters HFS+ passes over in names.
func dropInvisible(c rune) rune {
	switch {
	case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
		return -1
	}
	return c
}

// sub is the directory at a path below, nil when the tree has none there.
func (d *wantDir) sub(path string) *wantDir {
	if path == "." {
		return d
	}
	for name := range strings.SplitSeq(path, "/") {
		if d = d.dirs[name]; d == nil {
			return nil
		}
	}
	return d
}

// each calls visit for every file at and below a directory.
func (d *wantDir) each(visit func(*wantFile)) {
	for _, e := range d.files {
		visit(e)
	}
	for _, sub := range d.dirs {
		sub.each(visit)
	}
}

// perm are the rights of a file, the same whatever the umask.
func (e TreeEntry) perm() os.FileMode {
	if e.Mode&0o100 != 0 {
		return 0o755
	}
	return 0o644
}
