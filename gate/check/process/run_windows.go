package process

import (
	"context"
	"errors"
	"os/exec"
	"time"
)

// run is the plain form: the command itself is ended, its descendants are not
// found (docs/limits.md).
func run(ctx context.Context, c Command, out *output) Exit {
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.Stdout, cmd.Stderr = stream{out, &out.stdout}, stream{out, &out.stderr}
	cmd.WaitDelay = 300 * time.Millisecond
	if err := cmd.Start(); err != nil {
		return Exit{Cause: NotStarted, Problem: err.Error()}
	}
	go func() {
		select {
		case <-out.full:
			cancel()
		case <-limited.Done():
		}
	}()
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return Exit{Cause: Interrupted}
	case out.exceeded():
		return Exit{Cause: TooLong}
	case limited.Err() != nil:
		return Exit{Cause: TimedOut}
	case err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay):
		return Exit{Cause: Lost, Problem: err.Error()}
	}
	return Exit{Code: cmd.ProcessState.ExitCode()}
}
