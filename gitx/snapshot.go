package gitx

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrUnmerged is matched by an *UnmergedError.
var ErrUnmerged = errors.New("the index has unmerged paths")

// UnmergedError names the paths that a merge left in conflict.
type UnmergedError struct{ Paths []string }

func (e *UnmergedError) Error() string {
	return fmt.Sprintf("%v: %q; resolve and git add them first", ErrUnmerged, e.Paths)
}

// Is makes errors.Is(err, ErrUnmerged) true.
func (e *UnmergedError) Is(target error) bool { return target == ErrUnmerged }

// privateFlags keep an index of our own free of the user's index features, and
// the user's hooks out of writing it.
var privateFlags = []string{"-c", "core.splitIndex=false", "-c", "core.untrackedCache=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.safecrlf=false"}

// Snapshot stores the work tree as a tree: tracked files as they are on disk,
// also where assume-unchanged or skip-worktree hides an edit, files a sparse
// checkout left out as they are in the index, and the untracked, not ignored
// files that untracked accepts (nil accepts none). Skipped lists the other
// untracked files. Objects go to the repository, its index stays as it is.
// Errors: ErrUnmerged.
func (r *Repo) Snapshot(ctx context.Context, untracked func(path string) bool) (tree OID, skipped []string, err error) {
	if r.Top == "" {
		return "", nil, fmt.Errorf("%s is a bare repository and has no work tree", r.GitDir)
	}
	dir, err := os.MkdirTemp("", "longtask-index-")
	if err != nil {
		return "", nil, fmt.Errorf("snapshot: %w", err)
	}
	defer os.RemoveAll(dir)
	s := snapshot{place: r.here.with("GIT_INDEX_FILE=" + filepath.Join(dir, "index")), repo: r}
	if err := copyIndex(r.IndexFile, filepath.Join(dir, "index")); err != nil {
		return "", nil, fmt.Errorf("snapshot: %w", err)
	}
	if skipped, err = s.update(ctx, untracked); err != nil {
		return "", nil, fmt.Errorf("snapshot: %w", err)
	}
	out, err := s.git(ctx, "", "write-tree", "--missing-ok")
	if err != nil {
		return "", nil, fmt.Errorf("snapshot: %w", err)
	}
	return OID(strings.TrimSpace(string(out))), skipped, nil
}

// copyIndex keeps the time of the index: by it git knows which files may have
// changed after they were looked at.
func copyIndex(from, to string) error {
	f, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = out.ReadFrom(f)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// snapshot is a private index and the place whose children use it.
type snapshot struct {
	place place
	repo  *Repo
}

func (s snapshot) git(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	return s.place.run(ctx, strings.NewReader(stdin), append(slices.Clone(privateFlags), args...)...)
}

// update brings the private index to what the work tree holds.
func (s snapshot) update(ctx context.Context, untracked func(string) bool) (skipped []string, err error) {
	list, err := listFiles(ctx, s.place)
	if err != nil {
		return nil, err
	}
	if err := unmergedPaths(list); err != nil {
		return nil, err
	}
	if err := s.unhide(ctx, list); err != nil {
		return nil, err
	}
	add, remove, err := s.changed(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range list {
		switch {
		case !l.untracked:
		case untracked != nil && !strings.HasSuffix(l.path, "/") && untracked(l.path):
			add = append(add, l.path)
		default:
			skipped = append(skipped, l.path)
		}
	}
	if err := s.updateIndex(ctx, remove, "--force-remove"); err != nil {
		return nil, err
	}
	return skipped, s.updateIndex(ctx, add, "--add", "--replace", "--remove")
}

func unmergedPaths(list []listed) error {
	var paths []string
	for _, l := range list {
		if l.unmerged {
			paths = append(paths, l.path)
		}
	}
	if paths == nil {
		return nil
	}
	return &UnmergedError{Paths: slices.Compact(paths)}
}

// unhide takes the flags off that make git pass over a file. What a sparse
// checkout left out keeps its flag, since its absence is no deletion.
func (s snapshot) unhide(ctx context.Context, list []listed) error {
	var assumed, present []string
	d := newDisk(s.repo.Top)
	for _, l := range list {
		there := true
		if l.skipped {
			if _, there = d.stat(l.path); there {
				present = append(present, l.path)
			}
		}
		if l.assumed && there {
			assumed = append(assumed, l.path)
		}
	}
	if err := s.updateIndex(ctx, assumed, "--no-assume-unchanged"); err != nil {
		return err
	}
	return s.updateIndex(ctx, present, "--no-skip-worktree")
}

// changed lists tracked paths whose file is not as in the index; removed ones
// apart, since their place may be taken by something git does not look behind.
func (s snapshot) changed(ctx context.Context) (add, remove []string, err error) {
	out, err := s.git(ctx, "", "diff-files", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty")
	if err != nil {
		return nil, nil, err
	}
	changes, err := parseChanges(string(out))
	if err != nil {
		return nil, nil, err
	}
	for _, c := range changes {
		if c.Status == 'D' {
			remove = append(remove, c.Path)
		} else {
			add = append(add, c.Path)
		}
	}
	return add, remove, nil
}

func (s snapshot) updateIndex(ctx context.Context, paths []string, flags ...string) error {
	if len(paths) == 0 {
		return nil
	}
	args := append(append([]string{"update-index"}, flags...), "-z", "--stdin")
	_, err := s.git(ctx, strings.Join(paths, "\x00")+"\x00", args...)
	return err
}
