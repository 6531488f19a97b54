package hooks

import (
	"io/fs"
	"os"
)

// executable is what Git for Windows thinks of every file that starts with #!.
func executable(fs.FileInfo) bool { return true }

func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// hookCommand starts a hook with the shell that comes with Git.
func hookCommand(path string, args ...string) []string { return append([]string{"sh", path}, args...) }

func readOnly(error) bool { return false }
