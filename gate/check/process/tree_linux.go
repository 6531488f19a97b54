package process

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// executable is this very binary, even when its file was replaced meanwhile.
func executable() (string, error) { return "/proc/self/exe", nil }

// adoptOrphans makes descendants that lose their parent children of this
// process, and closes its files and memory to them.
func adoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// leaderAttr gives the command its own group, and lets it die with the
// supervisor should a descendant kill that.
func leaderAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// treeGone tells, after waiting at most d, whether all descendants have ended.
// As orphans are adopted, having no child means having no descendant.
func treeGone(_ int, gone <-chan struct{}, d time.Duration) bool {
	select {
	case <-gone:
		return true
	case <-time.After(d):
		return false
	}
}

// descendants are the processes below root, in no order.
func descendants(root int) []int {
	children := map[int][]int{}
	proc, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range proc {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if parent, ok := parentOf(pid); ok {
				children[parent] = append(children[parent], pid)
			}
		}
	}
	found := children[root]
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}
	return found
}

// parentOf reads the fourth field of stat; the second, the name in brackets,
// may hold blanks and brackets itself.
func parentOf(pid int) (int, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, err == nil
}
