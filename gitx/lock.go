package gitx

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Lock takes the one lock that our writers in all worktrees share, and waits
// for it until ctx ends. The system frees it when the process dies, so the
// file it leaves behind means nothing. unlock may be called twice.
func (r *Repo) Lock(ctx context.Context) (unlock func(), err error) {
	return lockFile(ctx, filepath.Join(r.CommonDir, "longtask.lock"))
}

func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 25*time.Millisecond) {
		held, err := tryLock(f)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("lock: %w", &fs.PathError{Op: "flock", Path: path, Err: err})
		}
		if !held {
			return sync.OnceFunc(func() { f.Close() }), nil
		}
		if err := pause(ctx, wait); err != nil {
			f.Close()
			return nil, fmt.Errorf("%w: %s: %w", ErrLocked, path, err)
		}
	}
}
