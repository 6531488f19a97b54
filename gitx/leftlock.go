package gitx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// LeftLock is a lock file of a ref that lies there: held by a git that runs,
// or left by one that was killed.
type LeftLock struct {
	Path string
	Age  time.Duration
}

// OwnLocks lists the lock files of the tool's own refs. While the caller holds
// Lock, no living git-longtask has a hand in them; only a git child that was
// killed with its parent leaves one for long.
func (r *Repo) OwnLocks() ([]LeftLock, error) {
	var found []LeftLock
	for _, root := range []string{
		filepath.Join(r.CommonDir, "refs", "longtask"), filepath.Join(r.CommonDir, "refs", "longtask-remotes"),
		filepath.Join(r.CommonDir, "refs", "notes", "longtask.lock"), filepath.Join(r.CommonDir, "refs", "notes", "longtask-remotes"), filepath.Join(r.GitDir, "refs", "worktree", "longtask"),
	} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".lock") {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return nil //nolint:nilerr // it went away meanwhile: its holder lives
			}
			found = append(found, LeftLock{path, time.Since(info.ModTime())})
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("lock files: %w", err)
		}
	}
	return found, nil
}

// BreakOwnLocks removes lock files of the tool's own refs that are older than
// age and gives their paths. The caller holds Lock.
func (r *Repo) BreakOwnLocks(age time.Duration) ([]string, error) {
	locks, err := r.OwnLocks()
	if err != nil {
		return nil, err
	}
	var broken []string
	for _, l := range locks {
		if l.Age < age {
			continue
		}
		if err := os.Remove(l.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return broken, fmt.Errorf("lock file: %w", err)
		}
		broken = append(broken, l.Path)
	}
	return broken, nil
}
