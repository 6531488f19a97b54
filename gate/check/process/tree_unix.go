//go:build unix && !linux

package process

import (
	"os"
	"syscall"
	"time"
)

func executable() (string, error) { return os.Executable() }

// adoptOrphans does nothing: there is no subreaper here, the process group is
// all there is to find descendants by.
func adoptOrphans() error { return nil }

func leaderAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// treeGone tells, after waiting at most d, whether the command's group has no
// member left.
func treeGone(pid int, _ <-chan struct{}, d time.Duration) bool {
	if syscall.Kill(-pid, 0) == syscall.ESRCH {
		return true
	}
	time.Sleep(d)
	return syscall.Kill(-pid, 0) == syscall.ESRCH
}

func descendants(int) []int { return nil }
