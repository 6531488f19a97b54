package gitx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
)

// CopyTo copies the directory as it is now, with whatever was made in it since
// the last Fill, to a directory that does not exist yet or is empty. No file is
// shared. What is neither file, directory nor symlink is left out.
func (c *Checkout) CopyTo(ctx context.Context, dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("copy of the checkout: %w", err)
	}
	from, err := os.OpenRoot(c.dir)
	if err != nil {
		return fmt.Errorf("copy of the checkout: %w", err)
	}
	defer from.Close()
	to, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("copy of the checkout: %w", err)
	}
	defer to.Close()
	err = eachDir(ctx, ".", func(at string) ([]string, error) { return copyDir(from, to, at) })
	if err != nil {
		return fmt.Errorf("copy of the checkout: %w", err)
	}
	return nil
}

// copyDir copies what is directly in a directory and returns the directories
// in it, made at the other side.
func copyDir(from, to *os.Root, at string) (below []string, err error) {
	src, err := from.OpenRoot(at)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	dst, err := to.OpenRoot(at)
	if err != nil {
		return nil, err
	}
	defer dst.Close()
	names, err := readNames(src)
	for _, name := range names {
		if err != nil {
			return nil, err
		}
		var info os.FileInfo
		if info, err = src.Lstat(name); err != nil {
			return nil, err
		}
		switch {
		case info.IsDir():
			below = append(below, path.Join(at, name))
			err = dst.Mkdir(name, 0o755)
		case info.Mode()&os.ModeSymlink != 0:
			err = copyLink(src, dst, name)
		case info.Mode().IsRegular():
			err = copyFile(src, dst, name, info.Mode()&modeBits)
		}
	}
	return below, err
}

func copyLink(src, dst *os.Root, name string) error {
	target, err := src.Readlink(name)
	if err != nil {
		return err
	}
	return dst.Symlink(target, name)
}

func copyFile(src, dst *os.Root, name string, mode os.FileMode) error {
	in, err := src.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := dst.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(mode), out.Close())
}
