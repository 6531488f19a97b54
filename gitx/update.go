package gitx

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// RefUpdate moves one ref from Old to New. A zero Old means the ref must not
// exist, a zero New deletes it, New equal to Old only checks.
type RefUpdate struct {
	Name string
	New  OID
	Old  OID
}

// How long, and after what pauses, an update tries again while somebody else
// holds the lock of a ref.
const (
	lockPatience = time.Second
	lockPause    = 20 * time.Millisecond
)

// Update moves all refs or none, in one transaction of one git child. A
// symbolic ref is replaced, never followed. Errors: ErrStale names a ref that
// is not at its Old value, ErrLocked the lock file that stayed for a second; a
// ref name in the way of another is told as such.
func (r *Repo) Update(ctx context.Context, updates []RefUpdate) error {
	if len(updates) == 0 {
		return nil
	}
	script, err := r.updateScript(updates)
	if err != nil {
		return err
	}
	for deadline, attempt := time.Now().Add(lockPatience), 1; ; attempt++ {
		_, err := r.here.run(ctx, strings.NewReader(script), "update-ref", "--stdin", "-z")
		var refused *GitError
		if err == nil || !errors.As(err, &refused) {
			return err
		}
		if err := r.explain(ctx, updates); err != nil {
			return err
		}
		// Without a lock in sight the holder may have given up just now; a
		// refusal that repeats has another reason, which git knows.
		lock := r.heldLock(updates)
		if lock == "" && attempt >= 3 {
			return fmt.Errorf("update of %s: %w", updates[0].Name, err)
		}
		if lock != "" && time.Now().After(deadline) {
			return fmt.Errorf("%w: %s; if no git process runs here, remove that file", ErrLocked, lock)
		}
		if err := pause(ctx, lockPause); err != nil {
			return err
		}
	}
}

// pause sleeps for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (r *Repo) updateScript(updates []RefUpdate) (string, error) {
	var b strings.Builder
	b.WriteString("start\x00")
	for _, u := range updates {
		if !validRef(u.Name) {
			return "", fmt.Errorf("%q is not the full name of a ref", u.Name)
		}
		if strings.HasPrefix(u.Name, "refs/heads/") || strings.HasPrefix(u.Name, "refs/tags/") {
			return "", fmt.Errorf("%s: branches and tags are not ours to write", u.Name)
		}
		next, old := r.full(u.New), r.full(u.Old)
		if !isHex(string(next)) || !isHex(string(old)) {
			return "", fmt.Errorf("%s: %q or %q is not a full object id", u.Name, u.New, u.Old)
		}
		b.WriteString("option no-deref\x00")
		if next == old {
			fmt.Fprintf(&b, "verify %s\x00%s\x00", u.Name, old)
		} else {
			fmt.Fprintf(&b, "update %s\x00%s\x00%s\x00", u.Name, next, old)
		}
	}
	b.WriteString("prepare\x00commit\x00")
	return b.String(), nil
}

// full writes an absent id out, since an empty field would mean "any value".
func (r *Repo) full(oid OID) OID {
	if oid.IsZero() {
		return r.Zero()
	}
	return oid
}

// explain looks at the refs after git refused: the reason is theirs, or nil.
func (r *Repo) explain(ctx context.Context, updates []RefUpdate) error {
	names := make([]string, len(updates))
	for i, u := range updates {
		names[i] = u.Name
	}
	refs, err := r.Refs(ctx, names...)
	if err != nil {
		return err
	}
	now := make(map[string]OID, len(refs))
	for _, ref := range refs {
		now[ref.Name] = ref.OID
	}
	for _, u := range updates {
		if now[u.Name] != u.Old && !(now[u.Name].IsZero() && u.Old.IsZero()) {
			return fmt.Errorf("%w: %s", ErrStale, u.Name)
		}
		if u.Old.IsZero() {
			if err := r.inTheWay(ctx, u.Name, refs); err != nil {
				return err
			}
		}
	}
	return nil
}

// inTheWay reports a ref that makes the new name impossible: a ref is a file
// or a directory of refs, not both.
func (r *Repo) inTheWay(ctx context.Context, name string, refs []Ref) error {
	for _, ref := range refs {
		if strings.HasPrefix(ref.Name, name+"/") {
			return fmt.Errorf("ref %s cannot be created: %s exists; delete or rename that ref", name, ref.Name)
		}
	}
	for parent := name; ; {
		cut := strings.LastIndexByte(parent, '/')
		if cut <= len("refs") {
			return nil
		}
		parent = parent[:cut]
		_, err := r.Ref(ctx, parent)
		if err == nil {
			return fmt.Errorf("ref %s cannot be created: %s exists; delete or rename that ref", name, parent)
		}
		if !errors.Is(err, ErrNotFound) {
			return err
		}
	}
}

// heldLock is a lock file that can refuse these updates, "" when there is none.
func (r *Repo) heldLock(updates []RefUpdate) string {
	locks := []string{filepath.Join(r.CommonDir, "packed-refs.lock"), filepath.Join(r.CommonDir, "reftable", "tables.list.lock")}
	for _, u := range updates {
		locks = append(locks, filepath.Join(r.refDir(u.Name), filepath.FromSlash(u.Name)+".lock"))
	}
	for _, lock := range locks {
		if _, err := os.Lstat(lock); err == nil {
			return lock
		}
	}
	return ""
}

// refDir is where the file of a ref lives: refs of one worktree are its own.
func (r *Repo) refDir(name string) string {
	for _, own := range []string{"refs/worktree/", "refs/bisect/", "refs/rewritten/"} {
		if strings.HasPrefix(name, own) {
			return r.GitDir
		}
	}
	return r.CommonDir
}
