//go:build unix

package process

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func sh(script string, timeout time.Duration) Command {
	return Command{Path: "/bin/sh", Args: []string{"-c", script}, Dir: "/", Env: []string{"PATH=" + os.Getenv("PATH")}, Timeout: timeout, Limit: 1 << 20}
}

// alive tells whether the process in the file still runs; a script writes $$.
func alive(t *testing.T, file string) bool {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return syscall.Kill(pid, 0) == nil
}

func TestExit(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         Exit
	}{
		{"code", "echo out; echo err >&2; exit 3", Exit{Code: 3, Stdout: []byte("out\n"), Stderr: []byte("err\n")}},
		{"signal", "kill -KILL $$", Exit{Code: -1, Signal: "SIGKILL"}},
		{"reads stdin", "cat; echo end", Exit{Stdout: []byte("end\n")}},
		{"environment", "env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=", Exit{Stdout: []byte("PATH=" + os.Getenv("PATH") + "\n")}},
		{"no terminal", "(: </dev/tty) 2>/dev/null && echo terminal; echo end", Exit{Stdout: []byte("end\n")}},
		{"no other open file", "ls /proc/self/fd 2>/dev/null | grep -v -e '^[0-3]$'; echo end", Exit{Stdout: []byte("end\n")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Run(t.Context(), sh(c.script, 10*time.Second))
			got.Duration = 0
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) {
				t.Errorf("%+v, want %+v (stdout %q, stderr %q)", got, c.want, got.Stdout, got.Stderr)
			}
		})
	}
}

func TestNotStarted(t *testing.T) {
	for name, path := range map[string]string{"missing": "/no/such/file", "a directory": "/", "not executable": "/etc/hostname"} {
		if got := Run(t.Context(), Command{Path: path, Dir: "/", Timeout: time.Second, Limit: 10}); got.Cause != NotStarted || got.Problem == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestTimeoutEndsGrandchildren: one grandchild ignores TERM and holds stdout.
func TestTimeoutEndsGrandchildren(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := fmt.Sprintf(`sh -c 'trap "" TERM; echo $$ >%[1]s/a; while :; do sleep 1; done' & sh -c 'echo $$ >%[1]s/b; exec sleep 60' & wait`, dir)
	started := time.Now()
	got := Run(t.Context(), sh(script, 300*time.Millisecond))
	if got.Cause != TimedOut || got.Code != -1 {
		t.Errorf("%+v", got)
	}
	if took := time.Since(started); took < Grace || took > Grace+5*time.Second {
		t.Errorf("took %v", took)
	}
	for _, name := range []string{"a", "b"} {
		if alive(t, filepath.Join(dir, name)) {
			t.Errorf("grandchild %s outlived the timeout", name)
		}
	}
}

// TestNothingHoldsUpTheCaller: the command ends, a grandchild holds stdout.
func TestNothingHoldsUpTheCaller(t *testing.T) {
	dir := t.TempDir()
	started := time.Now()
	got := Run(t.Context(), sh(fmt.Sprintf(`sleep 60 & echo $! >%s/a; echo end`, dir), 30*time.Second))
	if got.Cause != Exited || string(got.Stdout) != "end\n" || time.Since(started) > 5*time.Second {
		t.Errorf("%+v after %v", got, time.Since(started))
	}
	if alive(t, filepath.Join(dir, "a")) {
		t.Error("the grandchild outlived the command")
	}
}

func TestInterruptEndsTheTree(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
				cancel()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	got := Run(ctx, sh(fmt.Sprintf(`sh -c 'echo $$ >%[1]s/t; mv %[1]s/t %[1]s/a; exec sleep 60'; echo never`, dir), 30*time.Second))
	if got.Cause != Interrupted || len(got.Stdout) > 0 {
		t.Errorf("%+v", got)
	}
	if alive(t, filepath.Join(dir, "a")) {
		t.Error("the child outlived the interrupt")
	}
}

func TestOutputLimit(t *testing.T) {
	for name, script := range map[string]string{"stdout": "yes", "stderr": "yes >&2", "both, then an end": "head -c 600000 /dev/zero; head -c 600000 /dev/zero >&2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Run(t.Context(), sh(script, 30*time.Second))
			if got.Cause != TooLong || len(got.Stdout)+len(got.Stderr) != 1<<20 || got.Duration > 10*time.Second {
				t.Errorf("cause %q, %d bytes, %v", got.Cause, len(got.Stdout)+len(got.Stderr), got.Duration)
			}
		})
	}
	if got := Run(t.Context(), sh("head -c 1048576 /dev/zero", 30*time.Second)); got.Cause != Exited {
		t.Errorf("output as long as the limit: %+v", got.Cause)
	}
}

func TestSixteenInParallel(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			got := Run(t.Context(), sh(fmt.Sprintf("sleep 60 & echo %d; exit %d", i, i), 30*time.Second))
			if got.Cause != Exited || got.Code != i || string(got.Stdout) != fmt.Sprintf("%d\n", i) {
				t.Errorf("%d: %+v", i, got)
			}
		})
	}
	wg.Wait()
}
