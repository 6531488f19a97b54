//go:build unix

package process

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// slack is what the supervisor may take to end the tree before it counts as
// stopped or stuck and is killed with everything below it.
const slack = Grace + killFor + time.Second

// cut is how long the pipes may stay open when everything that could be found
// has ended.
const cut = 300 * time.Millisecond

// request is sent to the supervisor over the control pipe, which then stays
// open: its end is the order to end the tree.
type request struct {
	Path    string
	Args    []string
	Dir     string
	Env     []string
	Timeout time.Duration
}

// report is the supervisor's only answer, sent when the tree is gone.
type report struct {
	Problem  string // why it could not be started
	TimedOut bool
	Code     int
	Signal   string
	Left     int // processes that could not be ended
}

func run(ctx context.Context, c Command, out *output) Exit {
	s, err := startSupervisor(c, out)
	if err != nil {
		return Exit{Cause: NotStarted, Problem: err.Error()}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.cmd.Wait()
	}()
	cause := s.attend(ctx, c.Timeout, out, ended)
	return s.exit(cause, out)
}

type supervisor struct {
	cmd     *exec.Cmd
	control *os.File
	report  *os.File
}

func startSupervisor(c Command, out *output) (*supervisor, error) {
	controlRead, controlWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer controlRead.Close()
	reportRead, reportWrite, err := os.Pipe()
	if err != nil {
		controlWrite.Close()
		return nil, err
	}
	defer reportWrite.Close()
	s := &supervisor{control: controlWrite, report: reportRead}
	self, err := executable()
	if err == nil {
		s.cmd = exec.Command(self)
		s.cmd.Args = []string{supervisorName}
		s.cmd.Env = []string{}
		s.cmd.Stdout, s.cmd.Stderr = stream{out, &out.stdout}, stream{out, &out.stderr}
		s.cmd.ExtraFiles = []*os.File{controlRead, reportWrite}
		s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		s.cmd.WaitDelay = cut
		err = s.cmd.Start()
	}
	if err != nil {
		controlWrite.Close()
		reportRead.Close()
		return nil, err
	}
	// The supervisor reads this before anything else; if it is dead already,
	// the missing report says so.
	_ = json.NewEncoder(controlWrite).Encode(request{c.Path, append([]string{c.Path}, c.Args...), c.Dir, c.Env, c.Timeout})
	return s, nil
}

// attend waits for the end of the supervisor and orders it when the caller or
// the output limit asks for it.
func (s *supervisor) attend(ctx context.Context, timeout time.Duration, out *output, ended <-chan struct{}) Cause {
	cause := Exited
	defer s.control.Close()
	stuck := time.NewTimer(timeout + slack)
	defer stuck.Stop()
	select {
	case <-ended:
		return cause
	case <-stuck.C:
		s.kill()
		<-ended
		return TimedOut
	case <-ctx.Done():
		cause = Interrupted
	case <-out.full:
		cause = TooLong
	}
	s.control.Close()
	select {
	case <-ended:
	case <-time.After(slack):
		s.kill()
		<-ended
	}
	return cause
}

func (s *supervisor) kill() {
	for _, pid := range append(descendants(s.cmd.Process.Pid), s.cmd.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func (s *supervisor) exit(cause Cause, out *output) Exit {
	defer s.report.Close()
	var r report
	_ = s.report.SetReadDeadline(time.Now().Add(cut))
	err := json.NewDecoder(s.report).Decode(&r)
	switch {
	case cause != Exited:
		return Exit{Cause: cause}
	case out.exceeded():
		return Exit{Cause: TooLong}
	case err != nil:
		return Exit{Cause: Lost, Problem: "the process that watches the command was ended from outside"}
	case r.Problem != "":
		return Exit{Cause: NotStarted, Problem: r.Problem}
	case r.TimedOut:
		return Exit{Cause: TimedOut}
	case r.Left > 0:
		return Exit{Cause: Lost, Problem: "the command left a process behind that could not be ended"}
	}
	return Exit{Code: r.Code, Signal: r.Signal}
}
