// Package freeze asks the repository what a contract says about it: whether
// the files it names exist and can be frozen, and whether its paths keep
// implementation, verification and authority apart. It reads through the given
// tree only, and reports all it finds.
package freeze

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/pathglob"
	"github.com/git-longtask/git-longtask/contract/projectcontext"
)

// ContextDir holds the project context.
const ContextDir = projectcontext.Dir

// Repository is a tree prepared for many questions.
type Repository struct {
	tree     *model.Tree
	workdir  string
	entries  []model.Entry // sorted by path
	manifest []string      // paths that a contract may be about, sorted
	files    map[string]file
	matched  map[string][]string
}

type file struct {
	data    []byte
	problem *problem
}

// problem is why a file cannot be frozen.
type problem struct{ code, what, hint string }

// Open prepares a tree. Paths in the workdir, in the project context and in
// node_modules are not part of the manifest: no contract may be about them.
func Open(tree *model.Tree, workdir string) *Repository {
	r := &Repository{tree: tree, workdir: workdir, entries: tree.Entries, files: map[string]file{}, matched: map[string][]string{}}
	byPath := func(a, b model.Entry) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(r.entries, byPath) {
		r.entries = slices.Clone(r.entries)
		slices.SortFunc(r.entries, byPath)
	}
	for _, e := range r.entries {
		if !within(e.Path, workdir) && !within(e.Path, ContextDir) && !hasSegment(e.Path, "node_modules") {
			r.manifest = append(r.manifest, e.Path)
		}
	}
	return r
}

func within(p, dir string) bool {
	return strings.HasPrefix(p, dir) && (len(p) == len(dir) || p[len(dir)] == '/')
}

func hasSegment(p, segment string) bool {
	return strings.Contains(p, segment) && slices.Contains(strings.Split(p, "/"), segment)
}

func (r *Repository) entry(p string) *model.Entry {
	i := sort.Search(len(r.entries), func(i int) bool { return r.entries[i].Path >= p })
	if i < len(r.entries) && r.entries[i].Path == p {
		return &r.entries[i]
	}
	return nil
}

// isDir tells whether some entry lies below the path.
func (r *Repository) isDir(p string) bool {
	if p == "." {
		return true
	}
	i := sort.Search(len(r.entries), func(i int) bool { return r.entries[i].Path >= p+"/" })
	return i < len(r.entries) && strings.HasPrefix(r.entries[i].Path, p+"/")
}

func (r *Repository) inManifest(p string) bool {
	_, found := slices.BinarySearch(r.manifest, p)
	return found
}

// matches lists the manifest's files that a pattern covers, sorted. Only the
// stretch of the manifest that shares the pattern's literal start is looked at.
func (r *Repository) matches(pattern string) []string {
	if found, ok := r.matched[pattern]; ok {
		return found
	}
	literal := pattern
	if i := strings.IndexAny(pattern, "*?"); i >= 0 {
		literal = strings.TrimSuffix(pattern[:i], "/")
	}
	compiled := pathglob.Parse(pattern)
	var found []string
	for i := sort.SearchStrings(r.manifest, literal); i < len(r.manifest) && strings.HasPrefix(r.manifest[i], literal); i++ {
		if compiled.Match(r.manifest[i]) {
			found = append(found, r.manifest[i])
		}
	}
	r.matched[pattern] = found
	return found
}

// read returns a protected file's bytes, or why it cannot be protected.
func (r *Repository) read(ctx context.Context, p string) ([]byte, *problem) {
	f, known := r.files[p]
	if !known {
		f.data, f.problem = r.load(ctx, p)
		r.files[p] = f
	}
	return f.data, f.problem
}

func (r *Repository) load(ctx context.Context, p string) ([]byte, *problem) {
	if kind := r.problem(ctx, p); kind != "" {
		return nil, problemOf(kind)
	}
	data, err := r.tree.Read(ctx, p)
	if err != nil {
		return nil, &problem{"protected_input_unreadable", "cannot be read: " + err.Error(), "make it readable"}
	}
	return data, nil
}

// problem classifies a path; "" is a regular file.
func (r *Repository) problem(ctx context.Context, p string) string {
	e := r.entry(p)
	switch {
	case e == nil:
		return r.absence(ctx, p)
	case e.Problem != "":
		return e.Problem
	case e.Mode == model.ModeSymlink:
		return "symlink"
	case e.Mode == model.ModeSubmodule:
		return "not_regular"
	}
	return ""
}

// absence says what stands where no entry is.
func (r *Repository) absence(ctx context.Context, p string) string {
	if r.tree.Problem != nil {
		if kind := r.tree.Problem(p); kind != "" {
			return kind
		}
	}
	if r.isDir(p) {
		return "not_regular"
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if e := r.entry(dir); e != nil && e.Mode == model.ModeSymlink {
			if target, err := r.tree.Read(ctx, dir); err == nil && leaves(dir, string(target)) {
				return "outside_repository"
			}
			return "symlink"
		}
	}
	return "absent"
}

// leaves tells whether a symlink points out of the repository.
func leaves(link, target string) bool {
	if path.IsAbs(target) {
		return true
	}
	resolved := path.Join(path.Dir(link), target)
	return resolved == ".." || strings.HasPrefix(resolved, "../")
}

func problemOf(kind string) *problem {
	switch kind {
	case "symlink":
		return &problem{"protected_input_symlink_not_allowed", "is a symbolic link", "put the file itself there; a link's target could change unseen"}
	case "hardlink":
		return &problem{"protected_input_hardlink_not_allowed", "has a second hard link", "replace it by a copy; it could be changed through its other name"}
	case "not_regular":
		return &problem{"protected_input_not_regular_file", "is not a regular file", "name a file"}
	case "outside_repository":
		return &problem{"protected_input_realpath_outside_repository", "lies outside the repository", "move it inside and name it there"}
	case "absent":
		return &problem{"protected_input_not_found", "does not exist", "create it, or correct the path; a file that Git ignores does not count"}
	}
	return &problem{"protected_input_unreadable", "cannot be read", "make it readable"}
}

// Has tells whether a file is part of the tree.
func (r *Repository) Has(p string) bool { return r.entry(p) != nil }

// Protect reads a file that the authority will freeze. The finding says, at
// the given place, why it cannot be.
func (r *Repository) Protect(ctx context.Context, p string, place model.Place) ([]byte, *model.Finding) {
	data, problem := r.read(ctx, p)
	if problem == nil {
		return data, nil
	}
	f := place.Errorf(problem.code, problem.hint, "%q %s", p, problem.what)
	return nil, &f
}

// Digest is the SHA-256 of a file's bytes, in hex.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
