package gitx

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// scan compares a directory with what it should hold.
type scan struct {
	top    *os.Root
	format string
	repair bool // remove what is wrong, make directories, name the files to write

	mu      sync.Mutex
	changed []string
	missing []TreeEntry
	learned atomic.Bool // some file's bytes were read and found right
}

// scanned is one directory to compare; a nil want is one that should not be.
type scanned struct {
	path string
	want *wantDir
}

func (c *Checkout) scan(ctx context.Context, repair bool) (*scan, error) {
	top, err := os.OpenRoot(c.dir)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	s := &scan{top: top, format: c.repo.Format, repair: repair}
	err = eachDir(ctx, scanned{".", c.want}, s.visit)
	c.learned = c.learned || s.learned.Load()
	return s, err
}

func (s *scan) report(paths ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = append(s.changed, paths...)
}

func (s *scan) lacks(e *wantFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = append(s.changed, e.Path)
	s.missing = append(s.missing, e.TreeEntry)
}

func (s *scan) visit(d scanned) (below []scanned, err error) {
	dir, err := s.top.OpenRoot(d.path)
	if err != nil {
		return nil, s.unreadable(d.path, err)
	}
	defer dir.Close()
	f, err := dir.Open(".")
	if err != nil {
		return nil, s.unreadable(d.path, err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, s.unreadable(d.path, err)
	}
	right := make(map[string]bool, len(names))
	for _, name := range names {
		info, err := statIn(dir, f, name)
		if err != nil {
			return nil, s.unreadable(path.Join(d.path, name), err)
		}
		sub, ok, err := s.compare(dir, d, info)
		if err != nil {
			return nil, err
		}
		if right[name] = ok; sub != nil {
			below = append(below, *sub)
		}
	}
	more, err := s.absent(dir, d, right)
	return append(below, more...), err
}

// unreadable is a change when looking; when repairing, which makes everything
// readable first, it is an error.
func (s *scan) unreadable(path string, err error) error {
	if s.repair {
		return err
	}
	s.report(path)
	return nil
}

// compare judges one name in a directory: ok when it is what it should be, sub
// when it is a directory to go on with.
func (s *scan) compare(dir *os.Root, d scanned, info fileStat) (sub *scanned, ok bool, err error) {
	name := info.name
	full := path.Join(d.path, name)
	if d.want != nil {
		if e, wanted := d.want.files[name]; wanted {
			ok, err = s.same(dir, e, info)
			if err != nil || ok {
				return nil, ok, err
			}
			return nil, false, s.drop(dir, name)
		}
		if want := d.want.dirs[name]; want != nil && info.mode.IsDir() {
			return &scanned{full, want}, true, s.rights(dir, full, info)
		}
	}
	if info.mode.IsDir() && !s.repair {
		return &scanned{full, nil}, true, nil
	}
	s.report(full)
	return nil, false, s.drop(dir, name)
}

func (s *scan) drop(dir *os.Root, name string) error {
	if !s.repair {
		return nil
	}
	return removeAll(dir, name)
}

const dirPerm = 0o755

// rights sees that a directory can be entered and written.
func (s *scan) rights(dir *os.Root, full string, info fileStat) error {
	switch {
	case !keepsModes || info.mode&modeBits == dirPerm:
		return nil
	case s.repair:
		return dir.Chmod(info.name, dirPerm)
	case info.mode&0o700 != 0o700:
		s.report(full)
	}
	return nil
}

// absent deals with what should be in a directory and is not.
func (s *scan) absent(dir *os.Root, d scanned, right map[string]bool) (below []scanned, err error) {
	if d.want == nil {
		return nil, nil
	}
	for name, e := range d.want.files {
		if !right[name] {
			s.lacks(e)
		}
	}
	for name, want := range d.want.dirs {
		if right[name] {
			continue
		}
		if !s.repair {
			want.each(s.lacks)
			continue
		}
		full := path.Join(d.path, name)
		s.report(full)
		if err := dir.Mkdir(name, dirPerm); err != nil {
			return nil, err
		}
		if err := dir.Chmod(name, dirPerm); err != nil {
			return nil, err
		}
		below = append(below, scanned{full, want})
	}
	return below, nil
}

const modeBits = os.ModePerm | os.ModeSetuid | os.ModeSetgid | os.ModeSticky

// same tells whether a file has the kind, rights and content of its entry. A
// second name elsewhere could change it later, so repairing breaks that link.
// A file that looks as it did when its bytes were right is not read again.
func (s *scan) same(dir *os.Root, e *wantFile, info fileStat) (bool, error) {
	if e.Mode == ModeSymlink {
		if info.mode&os.ModeSymlink == 0 {
			return false, nil
		}
		target, err := dir.Readlink(info.name)
		return err == nil && blobID(s.format, []byte(target)) == e.OID, err
	}
	if !info.mode.IsRegular() || keepsModes && info.mode&modeBits != e.perm() || s.repair && info.links > 1 {
		return false, nil
	}
	now, began := info.look, time.Now()
	if now.known() && now == e.seen {
		return true, nil
	}
	oid, err := s.hashFile(dir, info)
	if err != nil || oid != e.OID {
		return false, err
	}
	if now.settled(began) {
		e.seen = now
		s.learned.Store(true)
	}
	return true, nil
}

// plainFile spares the four calls by which Go finds out that reading a plain
// file cannot be waited for, a third of the time of a scan.
const plainFile = syscall.O_NONBLOCK

var buffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

func (s *scan) hashFile(dir *os.Root, info fileStat) (OID, error) {
	f, err := dir.OpenFile(info.name, os.O_RDONLY|plainFile, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := newHash(s.format)
	fmt.Fprintf(h, "blob %d\x00", info.size)
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{f}, *buf); err != nil {
		return "", err
	}
	return OID(hex.EncodeToString(h.Sum(nil))), nil
}
