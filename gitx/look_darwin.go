package gitx

import (
	"os"
	"syscall"
)

// lookOf is the look of a file; unknown where the kernel does not tell.
func lookOf(info os.FileInfo) look {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return look{}
	}
	return look{dev: uint64(st.Dev), ino: st.Ino, size: uint64(st.Size), mode: uint64(st.Mode), mtime: st.Mtimespec.Nano(), ctime: st.Ctimespec.Nano()}
}

// statIn asks the kernel about one name in a directory; a symlink is not
// followed.
func statIn(dir *os.Root, _ *os.File, name string) (fileStat, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return fileStat{}, err
	}
	return fileStat{name: name, mode: info.Mode(), size: info.Size(), links: linkCount(info), look: lookOf(info)}, nil
}
