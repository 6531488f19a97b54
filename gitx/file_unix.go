//go:build unix

package gitx

import (
	"os"
	"syscall"
)

// linkCount is how many names a file has.
func linkCount(info os.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// keepsModes tells whether files have the rights git writes.
const keepsModes = true
