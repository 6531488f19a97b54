package gitx

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Every directory of a checkout has a lock beside it, which is held while the
// directory is in use. The name of one that is not kept holds coldMark.
const (
	lockSuffix = ".lock"
	coldMark   = "-"
	unusedFor  = 30 * 24 * time.Hour
)

// tryLockFile takes the lock at path without waiting; ok is false when somebody
// else has it.
func tryLockFile(path string) (unlock func(), ok bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("lock: %w", err)
	}
	held, err := tryLock(f)
	if err != nil {
		f.Close()
		return nil, false, fmt.Errorf("lock: %w", &fs.PathError{Op: "flock", Path: path, Err: err})
	}
	if held {
		f.Close()
		return nil, false, nil
	}
	now := time.Now()
	os.Chtimes(path, now, now) // only its age is read, by removeStale
	return sync.OnceFunc(func() { f.Close() }), true, nil
}

// lockCold names a directory that nobody has and takes its lock. A lock that
// was gone again when we had it fell to somebody else's removeStale.
func lockCold(kept string) (dir string, unlock func(), err error) {
	for range 10 {
		dir = kept + coldMark + strings.ToLower(rand.Text()[:10])
		unlock, ok, err := tryLockFile(dir + lockSuffix)
		if err != nil {
			return "", nil, err
		}
		if !ok {
			continue
		}
		if _, err := os.Lstat(dir + lockSuffix); err == nil {
			return dir, unlock, nil
		}
		unlock()
	}
	return "", nil, fmt.Errorf("%w: %s", ErrLocked, kept+lockSuffix)
}

// removeStale removes the directories whose process is gone, and those of work
// trees that nobody has used for a month. One that cannot be removed, say
// because another user made it, is in nobody's way and stays.
func removeStale(ctx context.Context, trees string) error {
	entries, err := os.ReadDir(trees)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		cold := strings.Contains(e.Name(), coldMark)
		if err == nil && strings.HasPrefix(e.Name(), looksTemp) && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(filepath.Join(trees, e.Name()))
		}
		if err != nil || !strings.HasSuffix(e.Name(), lockSuffix) || !cold && time.Since(info.ModTime()) < unusedFor {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_ = removeIfFree(filepath.Join(trees, e.Name()), cold)
	}
	return nil
}

func removeIfFree(lock string, cold bool) error {
	unlock, ok, err := tryLockFile(lock)
	if err != nil || !ok {
		return err
	}
	defer unlock()
	dir := strings.TrimSuffix(lock, lockSuffix)
	if err = RemoveTree(dir); err == nil {
		err = os.Remove(dir + looksSuffix)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil && cold {
		err = os.Remove(lock)
	}
	return err
}

// RemoveTree removes a directory with all it holds, also where rights were
// taken away.
func RemoveTree(dir string) error {
	root, err := os.OpenRoot(filepath.Dir(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return removeAll(root, filepath.Base(dir))
}

func removeAll(root *os.Root, name string) error {
	if err := root.RemoveAll(name); err == nil {
		return nil
	}
	info, err := root.Lstat(name)
	if err != nil || !info.IsDir() {
		return root.Remove(name)
	}
	if err := root.Chmod(name, 0o700); err != nil {
		return err
	}
	if err := emptyDir(root, name); err != nil {
		return err
	}
	return root.Remove(name)
}

func emptyDir(root *os.Root, name string) error {
	dir, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := readNames(dir)
	for _, n := range names {
		err = errors.Join(err, removeAll(dir, n))
	}
	return err
}

func readNames(dir *os.Root) ([]string, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}
