//go:build !windows

package hooks

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

func executable(info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }

// runnable tells what the script tests with -f and -x.
func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && executable(info)
}

// hookCommand starts a hook as Git does.
func hookCommand(path string, args ...string) []string { return append([]string{path}, args...) }

func readOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
