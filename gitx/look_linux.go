package gitx

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lookOf is the look of a file; unknown where the kernel does not tell.
func lookOf(info os.FileInfo) look {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return look{}
	}
	return look{dev: uint64(st.Dev), ino: st.Ino, size: uint64(st.Size), mode: uint64(st.Mode), mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano()}
}

// statIn asks the kernel about one name in an open directory, which is f and
// dir at once; a symlink is not followed. Of a scan this is most of the time,
// so it goes there without the detour over os.Root.
func statIn(_ *os.Root, f *os.File, name string) (fileStat, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(int(f.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return fileStat{}, &fs.PathError{Op: "lstat", Path: name, Err: err}
		}
	}
	return fileStat{name: name, mode: fileMode(uint32(st.Mode)), size: st.Size, links: uint64(st.Nlink),
		look: look{dev: uint64(st.Dev), ino: st.Ino, size: uint64(st.Size), mode: uint64(st.Mode), mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano()}}, nil
}

// fileMode is Go's way of writing a mode of the kernel.
func fileMode(mode uint32) os.FileMode {
	m := os.FileMode(mode & 0o777)
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		m |= os.ModeDir
	case unix.S_IFLNK:
		m |= os.ModeSymlink
	default:
		m |= os.ModeIrregular
	}
	if mode&unix.S_ISUID != 0 {
		m |= os.ModeSetuid
	}
	if mode&unix.S_ISGID != 0 {
		m |= os.ModeSetgid
	}
	if mode&unix.S_ISVTX != 0 {
		m |= os.ModeSticky
	}
	return m
}
