package check

import (
	"context"
	"fmt"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/check/process"
)

// execution is everything one run leaves behind; judging needs no process.
// barrier is set when it never came to a run, or the run says nothing.
type execution struct {
	argv0        *Program
	attempts     int
	exit         process.Exit
	nonce        string
	evidence     []byte
	evidenceUsed bool
	evidenceErr  error
	reports      [][]byte // contents of the report files
	reportErr    error
	barrier      *barrier
}

// barrier is why there is no run to judge.
type barrier struct {
	status  Status
	code    string
	message string
	hint    string
}

func execute(ctx context.Context, place Place, spec Spec) execution {
	var ex execution
	ex.exit.Code = -1
	if missing, ok := Supported(spec.Check); !ok {
		ex.barrier = &barrier{InfrastructureError, codeNotSupported,
			fmt.Sprintf("%s cannot be run: this version does not support %s.", spec.ID(), missing), ""}
		return ex
	}
	if r, reason, ok := unavailable(place, spec.Check.EnvironmentRequirements); ok {
		ex.barrier = blockedBy(spec, r, reason)
		return ex
	}
	command, program, err := resolve(place, spec.Check.Runner)
	if err != nil {
		ex.barrier = &barrier{InfrastructureError, string(InfrastructureError),
			fmt.Sprintf("%s could not be started: %v.", spec.ID(), err), ""}
		return ex
	}
	ex.argv0 = &program
	started := time.Now()
	for ex.attempts = 1; ; ex.attempts++ {
		ex.attempt(ctx, place, spec, command)
		if ex.attempts > 1 || !ex.transient() || !retries(spec.Check.Runner) {
			break
		}
	}
	ex.exit.Duration = time.Since(started)
	return ex
}

func blockedBy(spec Spec, r contract.Environment, reason string) *barrier {
	if r.Kind == "env_var" && neverPassed(r.Target) {
		return &barrier{InfrastructureError, string(InfrastructureError),
			fmt.Sprintf("%s cannot be run: %s.", spec.ID(), reason), "Remove the environment requirement " + r.Key + "."}
	}
	return &barrier{BlockedExternal, string(BlockedExternal),
		fmt.Sprintf("%s was not run: its environment requirement %s is not met, %s.", spec.ID(), r.Key, reason),
		"Provide what the requirement names, then run the check again."}
}

// attempt runs the command once, in a directory of its own that is gone after.
func (ex *execution) attempt(ctx context.Context, place Place, spec Spec, command process.Command) {
	dir, err := newRunDir(place.Temp)
	if err != nil {
		ex.barrier = &barrier{InfrastructureError, string(InfrastructureError),
			fmt.Sprintf("%s could not be started: there is no directory for its temporary files (%v).", spec.ID(), err), ""}
		return
	}
	defer dir.remove()
	earlier, err := reportFiles(place, spec)
	if err != nil {
		ex.barrier = &barrier{InfrastructureError, string(InfrastructureError), fmt.Sprintf("%s could not be started: %v.", spec.ID(), err), ""}
		return
	}
	began := time.Now()
	command.Env = environ(place, spec, dir)
	ex.exit = process.Run(ctx, command)
	ex.nonce = dir.nonce
	ex.evidence, ex.evidenceUsed, ex.evidenceErr = dir.evidence(OutputLimit)
	ex.collectReports(place, spec, earlier, began)
}

// transient tells failures of the machine from failures of the check.
func (ex *execution) transient() bool {
	switch ex.exit.Cause {
	case process.NotStarted, process.TimedOut, process.TooLong, process.Lost:
		return true
	}
	return false
}

func retries(r contract.Runner) bool { return r.RetryPolicy == "transient_once" && r.Idempotent }
