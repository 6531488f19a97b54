package gitx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// look is all the kernel says of a file that changes when its content does.
// Nobody but the kernel sets ctime, so a file cannot be made to look as before.
type look struct {
	dev, ino, size, mode uint64
	mtime, ctime         int64 // nanoseconds
}

// fileStat is what a directory says of one name in it.
type fileStat struct {
	name  string
	mode  os.FileMode
	size  int64
	links uint64
	look  look
}

func (l look) known() bool { return l.ctime != 0 }

// Clocks of file systems tick; two changes within a tick look the same.
const (
	tick       = 50 * time.Millisecond
	coarseTick = 2 * time.Second // where times have no fraction of a second
)

// settled tells whether a change after the moment would change the look.
func (l look) settled(moment time.Time) bool {
	age := moment.Sub(time.Unix(0, l.ctime))
	if l.ctime%int64(time.Second) == 0 {
		return age > coarseTick
	}
	return l.known() && age > tick
}

// Looks are kept beside the directory for the next process: a title line, then
// for each file, in the order of its tree, path, id and look.
const (
	looksSuffix = ".seen"
	looksTemp   = "seen-"
	looksHead   = "git-longtask seen 1"
)

// looksTitle ties the file to one directory: another one at the same path
// holds other files.
func (c *Checkout) looksTitle() (string, error) {
	info, err := os.Lstat(c.dir)
	if err != nil {
		return "", err
	}
	l := lookOf(info)
	return fmt.Sprintf("%s %s %d %d\n", looksHead, c.repo.Format, l.dev, l.ino), nil
}

// keepLooks writes down how the files look that were seen to be right.
func (c *Checkout) keepLooks() error {
	if !c.learned || c.want == nil {
		return nil
	}
	title, err := c.looksTitle()
	if err != nil {
		return fmt.Errorf("checkout: %w", err)
	}
	out := append(make([]byte, 0, 128*len(c.files)), title...)
	for _, f := range c.files {
		if f.seen.known() {
			out = f.appendLook(out)
		}
	}
	f, err := os.CreateTemp(filepath.Dir(c.dir), looksTemp)
	if err != nil {
		return fmt.Errorf("checkout: %w", err)
	}
	_, err = f.Write(out)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), c.dir+looksSuffix)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("checkout: %w", err), os.Remove(f.Name()))
	}
	return nil
}

func (f *wantFile) appendLook(out []byte) []byte {
	l := f.seen
	out = binary.AppendUvarint(out, uint64(len(f.Path)))
	out = append(append(out, f.Path...), f.OID...)
	for _, n := range [...]uint64{l.dev, l.ino, l.size, l.mode, uint64(l.mtime), uint64(l.ctime)} {
		out = binary.AppendUvarint(out, n)
	}
	return out
}

// recall reads what an earlier process wrote down. A file that is not as it
// must be is worth nothing, and costs no more than reading everything again.
func (c *Checkout) recall() {
	title, err := c.looksTitle()
	if err != nil {
		return
	}
	data, err := os.ReadFile(c.dir + looksSuffix)
	if err != nil || !strings.HasPrefix(string(data[:min(len(data), len(title))]), title) {
		return
	}
	r := looksReader{data[len(title):]}
	files := c.files
	for len(files) > 0 {
		path, oid, seen, ok := r.next(len(files[0].OID))
		if !ok {
			return
		}
		for len(files) > 0 && files[0].Path < string(path) {
			files = files[1:]
		}
		if len(files) > 0 && files[0].Path == string(path) && string(files[0].OID) == string(oid) {
			files[0].seen = seen
		}
	}
}

// looksReader takes one file's look after the other off what was written down.
type looksReader struct{ rest []byte }

func (r *looksReader) next(idLen int) (path, oid []byte, l look, ok bool) {
	n, used := binary.Uvarint(r.rest)
	if used <= 0 || n > uint64(len(r.rest)) || len(r.rest) < used+int(n)+idLen {
		return nil, nil, l, false
	}
	path, r.rest = r.rest[used:used+int(n)], r.rest[used+int(n):]
	oid, r.rest = r.rest[:idLen], r.rest[idLen:]
	var v [6]uint64
	for i := range v {
		if v[i], used = binary.Uvarint(r.rest); used <= 0 {
			return nil, nil, l, false
		}
		r.rest = r.rest[used:]
	}
	return path, oid, look{v[0], v[1], v[2], v[3], int64(v[4]), int64(v[5])}, true
}
