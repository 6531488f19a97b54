package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
)

// Existing lists the paths of files at which something is there already.
func Existing(top *os.Root, files []File) ([]string, error) {
	var there []string
	for _, f := range files {
		_, err := top.Lstat(f.Path)
		switch {
		case err == nil:
			there = append(there, f.Path)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return there, nil
}

// Write puts all files in place or none, and never replaces one. undo takes
// them, and the directories made for them, away again.
func Write(top *os.Root, files []File) (undo func() error, err error) {
	w := &written{top: top}
	for _, f := range files {
		if err := w.stage(f); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", f.Path, err), w.undo())
		}
	}
	for _, f := range files {
		if err := w.place(f.Path); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", f.Path, err), w.undo())
		}
	}
	return w.undo, nil
}

// written remembers what was made, in order.
type written struct {
	top  *os.Root
	made []string
}

func staged(name string) string { return path.Join(path.Dir(name), "."+path.Base(name)+".init") }

// stage writes a file, whole, under another name beside its place.
func (w *written) stage(f File) error {
	if err := w.mkdir(path.Dir(f.Path)); err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	if f.Exec {
		mode = 0o777
	}
	out, err := w.top.OpenFile(staged(f.Path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	w.made = append(w.made, staged(f.Path))
	_, err = out.Write(f.Data)
	return errors.Join(err, out.Close())
}

func (w *written) mkdir(dir string) error {
	if dir == "." {
		return nil
	}
	if err := w.mkdir(path.Dir(dir)); err != nil {
		return err
	}
	err := w.top.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		w.made = append(w.made, dir)
	}
	return err
}

// place gives a staged file its name.
func (w *written) place(name string) error {
	if _, err := w.top.Lstat(name); err == nil {
		return fs.ErrExist
	}
	if err := w.top.Rename(staged(name), name); err != nil {
		return err
	}
	w.made = append(w.made, name)
	return nil
}

// undo removes what was made, last first. A directory that somebody else has
// put something into stays.
func (w *written) undo() error {
	var errs []error
	for _, name := range slices.Backward(w.made) {
		err := w.top.Remove(name)
		if info, e := w.top.Lstat(name); e == nil && !info.IsDir() {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
