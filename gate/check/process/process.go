// Package process runs one command so that nothing of it outlives the run.
//
// It promises: no shell, closed standard input, a session of its own, bounded
// time and output, and that when Run returns, by whatever way, the command and
// its descendants are gone. On Linux this includes descendants that left the
// process group, by setsid or a double fork; elsewhere such a one can escape,
// but never holds up the caller. It refuses to know what a check or evidence is.
//
// On Unix each command runs below a supervisor, a second process of this very
// binary. Being a child subreaper is a property of a whole process, so only a
// process of its own can tell one run's orphans from those of a parallel run
// or from a git child. The supervisor also notices when the caller dies, even
// by SIGKILL, and ends the tree then.
package process

import (
	"context"
	"sync"
	"time"
)

// Grace is the time between the request to end and the kill.
const Grace = 2 * time.Second

// Command is what to run. Path and Dir are absolute; Args excludes argv[0],
// which is Path; Env is the complete environment. Limit bounds the bytes of
// stdout and stderr together.
type Command struct {
	Path    string
	Args    []string
	Dir     string
	Env     []string
	Timeout time.Duration
	Limit   int
}

// Cause says why a command has no exit code of its own.
type Cause string

// Causes. Exited means that it ended by itself, by exit or signal.
const (
	Exited      Cause = ""
	NotStarted  Cause = "not_started"
	TimedOut    Cause = "timed_out"
	TooLong     Cause = "output_limit"
	Interrupted Cause = "interrupted"
	Lost        Cause = "lost" // the supervisor did not report
)

// Exit is how a command ended. Code is -1 where there is none; Signal is set
// when a signal ended it; Problem is the system's word when Cause is
// NotStarted or Lost.
type Exit struct {
	Cause    Cause
	Code     int
	Signal   string
	Problem  string
	Stdout   []byte
	Stderr   []byte
	Duration time.Duration
}

// Run starts the command, waits for its end and leaves nothing of it behind.
// When ctx ends first, the tree is ended and Cause is Interrupted.
func Run(ctx context.Context, c Command) Exit {
	if ctx.Err() != nil {
		return Exit{Cause: Interrupted, Code: -1}
	}
	started := time.Now()
	out := &output{limit: c.Limit, full: make(chan struct{})}
	exit := run(ctx, c, out)
	exit.Stdout, exit.Stderr = out.take()
	exit.Duration = time.Since(started)
	if exit.Cause != Exited {
		exit.Code, exit.Signal = -1, ""
	}
	return exit
}

// output collects two streams under one limit. It goes on swallowing what is
// beyond it, so that the writer does not block before it is ended.
type output struct {
	mu     sync.Mutex
	limit  int
	stdout []byte
	stderr []byte
	over   bool
	full   chan struct{}
}

type stream struct {
	out  *output
	into *[]byte
}

func (s stream) Write(p []byte) (int, error) {
	o := s.out
	o.mu.Lock()
	defer o.mu.Unlock()
	room := max(o.limit-len(o.stdout)-len(o.stderr), 0)
	*s.into = append(*s.into, p[:min(room, len(p))]...)
	if len(p) > room && !o.over {
		o.over = true
		close(o.full)
	}
	return len(p), nil
}

func (o *output) take() (stdout, stderr []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stdout, o.stderr
}

func (o *output) exceeded() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.over
}
