package process

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestEscapedDescendants: setsid and a double fork leave the process group.
func TestEscapedDescendants(t *testing.T) {
	for name, how := range map[string]string{
		"setsid":      `setsid sh -c 'echo $$ >%[1]s/a; exec sleep 60' &`,
		"double fork": `(setsid sh -c 'trap "" TERM HUP; echo $$ >%[1]s/a; sleep 60; sleep 60' >/dev/null 2>&1 </dev/null &) &`,
	} {
		for _, end := range []string{"exit 0", "sleep 60"} {
			t.Run(name+", "+end, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				script := fmt.Sprintf(how+` while [ ! -s %[1]s/a ]; do sleep 0.01; done; `+end, dir)
				got := Run(t.Context(), sh(script, time.Second))
				if want := map[bool]Cause{true: Exited, false: TimedOut}[end == "exit 0"]; got.Cause != want {
					t.Errorf("%+v", got)
				}
				if alive(t, filepath.Join(dir, "a")) {
					t.Error("it escaped")
				}
			})
		}
	}
}

// TestOrphansOfParallelRunsAreKeptApart: the end of one run must not end what
// another one started in the background.
func TestOrphansOfParallelRunsAreKeptApart(t *testing.T) {
	dir := t.TempDir()
	long := make(chan Exit)
	go func() {
		long <- Run(t.Context(), sh(fmt.Sprintf(`(setsid sleep 60 & echo $! >%[1]s/a) ; touch %[1]s/ready; while [ ! -e %[1]s/go ]; do sleep 0.01; done; kill -0 $(cat %[1]s/a)`, dir), 30*time.Second))
	}()
	for {
		if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	Run(t.Context(), sh("true", 5*time.Second))
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-long; got.Code != 0 {
		t.Errorf("the daemon of the other run is gone: %+v", got)
	}
	if alive(t, filepath.Join(dir, "a")) {
		t.Error("the daemon outlived its own run")
	}
}

// TestCommandAttacksTheSupervisor: it cannot be made to report success, nor to
// hang the caller.
func TestCommandAttacksTheSupervisor(t *testing.T) {
	t.Parallel()
	if got := Run(t.Context(), sh("kill -KILL $PPID; sleep 60", 20*time.Second)); got.Cause != Lost || got.Duration > 5*time.Second {
		t.Errorf("killed: %+v", got)
	}
	started := time.Now()
	got := Run(t.Context(), sh("kill -STOP $PPID; sleep 60", 200*time.Millisecond))
	if got.Cause != TimedOut || time.Since(started) > 2*slack+5*time.Second {
		t.Errorf("stopped: %+v after %v", got, time.Since(started))
	}
}

// TestDeathOfTheCaller: nobody is left to end the tree but the supervisor.
func TestDeathOfTheCaller(t *testing.T) {
	dir := t.TempDir()
	if name := os.Getenv("PROCESS_TEST_CALLER"); name != "" {
		var c Command
		if err := json.Unmarshal([]byte(name), &c); err != nil {
			t.Fatal(err)
		}
		Run(t.Context(), c)
		return
	}
	c, err := json.Marshal(sh(fmt.Sprintf(`echo $$ >%[1]s/t; mv %[1]s/t %[1]s/a; exec sleep 60`, dir), time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	caller := exec.Command(os.Args[0], "-test.run=^TestDeathOfTheCaller$")
	caller.Env = append(os.Environ(), "PROCESS_TEST_CALLER="+string(c))
	if err := caller.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := caller.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = caller.Wait()
	for deadline := time.Now().Add(5 * time.Second); alive(t, filepath.Join(dir, "a")); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the command outlived its caller")
		}
	}
}
