// Command git-longtask is the git-longtask program: it reads a command line,
// runs one command of the table in app.go and answers with text or one JSON
// object and an exit code. It decides nothing itself: every verdict comes from
// the packages contract, gate and hooks.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// Exit codes of the program; no other is ever used.
const (
	exitOK          = 0
	exitRefused     = 1
	exitUndecided   = 2
	exitInterrupted = 130
)

func main() {
	debug.SetGCPercent(400) // a short life: memory is there, time is not

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the process at once
	}()
	// Catching SIGPIPE turns a reader that went away into a write error, and
	// unlike ignoring it is not inherited by the commands we start.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(run(ctx, os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr}))
}

// stdio is the process's three streams.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// run is the program: from arguments to exit code.
func run(ctx context.Context, args []string, std stdio) int {
	line, problem := parse(commands(), args)
	inv := newInvocation(line, std)
	defer inv.close()
	if problem != nil {
		return inv.fail(problem)
	}
	if line.Help {
		return inv.help(line)
	}
	if err := inv.prepare(line); err != nil {
		return inv.fail(explain(ctx, err))
	}
	rep, err := line.Command.run(ctx, inv)
	if err != nil {
		return inv.fail(explain(ctx, err))
	}
	return inv.answer(rep)
}

// emit writes the answer in one piece. A reader that went away does not change
// what was decided; an answer that could not be written for another reason
// must not look like success.
func emit(w io.Writer, answer []byte, std stdio, code int) int {
	_, err := w.Write(answer)
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return code
	}
	fmt.Fprintf(std.err, "output_failed: the answer could not be written: %v\n", err)
	return exitUndecided
}
