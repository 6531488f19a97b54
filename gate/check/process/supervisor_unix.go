//go:build unix

package process

import (
	"encoding/json"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"
)

// supervisorName is argv[0] of the second process. No command of the tool can
// have that name, so no argument of a user can start it.
const supervisorName = "git-longtask: check"

const (
	controlFD = 3
	reportFD  = 4
)

// A supervisor must not run any other part of the binary, and test binaries
// have a main of their own, so it takes over here.
func init() {
	if len(os.Args) == 1 && os.Args[0] == supervisorName {
		os.Exit(supervise())
	}
}

func supervise() int {
	keepFilesToOurselves()
	control, answer := os.NewFile(controlFD, "control"), os.NewFile(reportFD, "report")
	var req request
	if control == nil || answer == nil || json.NewDecoder(control).Decode(&req) != nil {
		return 2
	}
	if err := adoptOrphans(); err != nil {
		return send(answer, report{Problem: err.Error()})
	}
	pid, err := syscall.ForkExec(req.Path, req.Args, &syscall.ProcAttr{
		Dir: req.Dir, Env: req.Env, Files: []uintptr{0, 1, 2}, Sys: leaderAttr(),
	})
	if err != nil {
		return send(answer, report{Problem: err.Error()})
	}
	stop := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, control)
		close(stop)
	}()
	return send(answer, watch(pid, req.Timeout, stop))
}

// keepFilesToOurselves hides from the command our own pipes and whatever the
// caller of the tool left open.
func keepFilesToOurselves() {
	open, _ := os.ReadDir("/dev/fd")
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	syscall.CloseOnExec(controlFD)
	syscall.CloseOnExec(reportFD)
}

func send(answer io.Writer, r report) int {
	if json.NewEncoder(answer).Encode(r) != nil {
		return 1
	}
	return 0
}

// watch waits for the command, the timeout or the order to stop, whichever
// comes first, and ends whatever is left of the tree.
func watch(pid int, timeout time.Duration, stop <-chan struct{}) report {
	exited, gone := make(chan syscall.WaitStatus, 1), make(chan struct{})
	go reap(pid, exited, gone)
	limit := time.NewTimer(timeout)
	defer limit.Stop()
	var r report
	select {
	case status := <-exited:
		r.Code = status.ExitStatus()
		if status.Signaled() {
			r.Signal = signalName(status.Signal())
		}
	case <-limit.C:
		r.TimedOut = true
	case <-stop:
	}
	r.Left = endTree(pid, gone)
	return r
}

// reap collects every child, adopted ones included; gone is closed when there
// is none left.
func reap(pid int, exited chan<- syscall.WaitStatus, gone chan<- struct{}) {
	for {
		var status syscall.WaitStatus
		switch p, err := syscall.Wait4(-1, &status, 0, nil); {
		case err == syscall.EINTR:
		case err != nil:
			close(gone)
			return
		case p == pid:
			exited <- status
		}
	}
}

const (
	tick    = 10 * time.Millisecond
	killFor = 3 * time.Second
)

// endTree asks the tree to end, kills it after the grace, and returns how many
// processes defied even that.
func endTree(pid int, gone <-chan struct{}) int {
	if treeGone(pid, gone, tick) {
		return 0
	}
	signalTree(pid, syscall.SIGTERM)
	for deadline := time.Now().Add(Grace); time.Now().Before(deadline); {
		if treeGone(pid, gone, tick) {
			return 0
		}
	}
	for deadline := time.Now().Add(killFor); time.Now().Before(deadline); {
		killTree(pid)
		if treeGone(pid, gone, tick) {
			return 0
		}
	}
	return max(len(descendants(os.Getpid())), 1)
}

// signalTree reaches the command's group and every descendant known.
func signalTree(pid int, sig syscall.Signal) {
	_ = syscall.Kill(-pid, sig)
	for _, p := range descendants(os.Getpid()) {
		_ = syscall.Kill(p, sig)
		if sig == syscall.SIGTERM {
			_ = syscall.Kill(p, syscall.SIGCONT) // a stopped process could not obey
		}
	}
}

// killTree freezes what it sees until it sees nothing new, so that a process
// that keeps forking cannot outrun the kill.
func killTree(pid int) {
	frozen := map[int]bool{}
	for range 50 {
		fresh := false
		for _, p := range descendants(os.Getpid()) {
			if !frozen[p] {
				frozen[p], fresh = true, true
				_ = syscall.Kill(p, syscall.SIGSTOP)
			}
		}
		if !fresh {
			break
		}
	}
	signalTree(pid, syscall.SIGKILL)
}

var signalNames = map[syscall.Signal]string{
	syscall.SIGABRT: "SIGABRT", syscall.SIGALRM: "SIGALRM", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
	syscall.SIGHUP: "SIGHUP", syscall.SIGILL: "SIGILL", syscall.SIGINT: "SIGINT", syscall.SIGKILL: "SIGKILL",
	syscall.SIGPIPE: "SIGPIPE", syscall.SIGQUIT: "SIGQUIT", syscall.SIGSEGV: "SIGSEGV", syscall.SIGTERM: "SIGTERM",
}

func signalName(s syscall.Signal) string {
	if name, ok := signalNames[s]; ok {
		return name
	}
	return s.String()
}
