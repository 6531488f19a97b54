package hooks

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// apply carries out the steps for one hook. A crash between two of them leaves
// the previous hook where Git finds it, or where the next install does.
func apply(path string, steps []step) error {
	for _, s := range steps {
		var err error
		switch s.verb {
		case save:
			err = keep(path, s.data)
		case setAside:
			err = moveNew(path, path+editedSuffix)
		case write:
			err = replace(path, s.data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keep gives the hook that holds data a second name. When another install was
// faster, what it kept has to be the same hook.
func keep(path string, data []byte) error {
	var err error
	as := path + savedSuffix
	if target, notLink := os.Readlink(path); notLink == nil {
		err = os.Symlink(target, as)
	} else {
		err = os.Link(path, as)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		if kept, kerr := readFile(as); kerr == nil && bytes.Equal(kept.data, data) {
			return nil
		}
		return err
	}
	return moveNew(path, as) // a file system without links
}

// moveNew renames to a name that must be free.
func moveNew(path, as string) error {
	if _, err := os.Lstat(as); !errors.Is(err, fs.ErrNotExist) {
		return &os.LinkError{Op: "rename", Old: path, New: as, Err: fs.ErrExist}
	}
	return os.Rename(path, as)
}

// replace puts a whole executable file in place with one rename.
func replace(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".longtask-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(0o755), temp.Sync(), temp.Close())
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
