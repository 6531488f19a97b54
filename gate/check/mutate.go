package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/git-longtask/git-longtask/contract"
)

// ErrTargetMissing: a file that a mutation removes or replaces is not there.
var ErrTargetMissing = errors.New("the file to mutate does not exist")

// Mutate applies a mutation to a private copy of the tree. It never reads or
// writes outside dir, whatever symlinks the tree holds; a link that is itself
// the target is removed, not followed. Errors are ErrTargetMissing, wrapped,
// or that of the file system.
func Mutate(dir string, m contract.Mutation) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	switch m.Type {
	case "remove_paths":
		return removePaths(root, m.Paths)
	case "replace_file":
		return replaceFile(root, m.Path, m.FixturePath)
	}
	return fmt.Errorf("mutation type %s is not known", m.Type)
}

func removePaths(root *os.Root, paths []string) error {
	if len(paths) == 0 {
		return errors.New("the mutation names no path")
	}
	for _, p := range paths {
		if err := present(root, p); err != nil {
			return err
		}
	}
	for _, p := range paths {
		if err := root.RemoveAll(p); err != nil {
			return err
		}
	}
	return nil
}

func replaceFile(root *os.Root, target, fixture string) error {
	if err := present(root, target); err != nil {
		return err
	}
	data, err := root.ReadFile(fixture)
	if err != nil {
		return fmt.Errorf("fixture: %w", err)
	}
	mode := fs.FileMode(0o644)
	if info, err := root.Lstat(target); err == nil && info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	if err := root.RemoveAll(target); err != nil {
		return err
	}
	return root.WriteFile(target, data, mode)
}

func present(root *os.Root, name string) error {
	_, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%s: %w", name, ErrTargetMissing)
	}
	return err
}
