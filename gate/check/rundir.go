package check

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// runDir is what belongs to one run outside the tree: its TMPDIR and the
// directory its evidence file may be written to.
type runDir struct {
	path  string
	tmp   string
	nonce string
}

func newRunDir(parent string) (runDir, error) {
	path, err := os.MkdirTemp(parent, "")
	if err != nil {
		return runDir{}, err
	}
	d := runDir{path: path, tmp: filepath.Join(path, "tmp"), nonce: rand.Text()}
	for _, sub := range []string{d.tmp, filepath.Dir(d.evidenceFile())} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			return runDir{}, errors.Join(err, d.remove())
		}
	}
	return d, nil
}

func (d runDir) evidenceFile() string { return filepath.Join(d.path, "evidence", "evidence.json") }

// evidence reads the evidence file. used is false when the run wrote none;
// what cannot be taken as a file of this run's making is an error.
func (d runDir) evidence(limit int) (data []byte, used bool, err error) {
	name := d.evidenceFile()
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil, true, errors.New("it is not a regular file")
	}
	if err == nil && info.Size() > int64(limit) {
		return nil, true, fmt.Errorf("it is larger than %d bytes", limit)
	}
	if err != nil {
		return nil, true, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, true, err
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, int64(limit)))
	return data, true, err
}

// remove deletes the directory even when the run took permissions away.
func (d runDir) remove() error {
	if err := os.RemoveAll(d.path); err == nil {
		return nil
	}
	_ = filepath.WalkDir(d.path, func(p string, e fs.DirEntry, _ error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(d.path)
}
