//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// greeting makes the fixture repository and gives its path.
func greeting(t *testing.T) string {
	t.Helper()
	setup, err := filepath.Abs("../../testdata/greeting/setup.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command("sh", setup)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("setup: %v\n%s", err, out)
	}
	return filepath.Join(dir, "r")
}

// finishWork makes the fixture's criterion true and commits it.
func finishWork(t *testing.T, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "src", "greet.sh"), []byte("#!/bin/sh\nprintf 'Hello, %s!\\n' \"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	inDir(t, dir, "git", "commit", "-q", "-a", "-m", "greet by name")
}

func inDir(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// answer is the part of a JSON answer that these tests look at.
type answer struct {
	OK             bool   `json:"ok"`
	Status         string `json:"status"`
	WorkflowStatus string `json:"workflow_status"`
	Checkpoint     struct {
		Required bool `json:"required"`
	} `json:"execution_model_checkpoint"`
	Error struct{ Code, Message string } `json:"error"`
	code  int
}

func ask(dir string, args ...string) (answer, error) {
	cmd := exec.Command("git-longtask", append(args, "--json")...)
	cmd.Dir = dir
	var diag strings.Builder
	cmd.Stderr = &diag
	out, _ := cmd.Output()
	a := answer{code: cmd.ProcessState.ExitCode()}
	if err := json.Unmarshal(out, &a); err != nil {
		return a, fmt.Errorf("%v: exit %d, %q %s", args, a.code, out, diag.String())
	}
	return a, nil
}

func TestSixteenAtOnceLoseNothingAndReportNothingFalse(t *testing.T) {
	dir := greeting(t)
	finishWork(t, dir)
	var wg sync.WaitGroup
	var mu sync.Mutex
	locks := 0
	for i := range 16 {
		wg.Go(func() {
			a, err := ask(dir, "compile", "work/task")
			if err != nil || a.code != 0 {
				t.Errorf("compile: %+v %v", a, err)
				return
			}
			mu.Lock()
			if a.Checkpoint.Required {
				locks++
			}
			mu.Unlock()
			what := []string{"verify", "final-gate"}[i%2]
			a, err = ask(dir, what)
			if err != nil || a.code != 0 {
				t.Errorf("%s: %+v %v", what, a, err)
			}
		})
	}
	wg.Wait()
	if locks != 1 {
		t.Errorf("%d processes wrote the lock", locks)
	}
	if n := inDir(t, dir, "git", "rev-list", "--count", "refs/longtask/greet-task/authority"); n != "1" {
		t.Errorf("the chain has %s links", n)
	}
	// One lock, eight verifies with one check each, eight gates.
	if n := inDir(t, dir, "git", "rev-list", "--count", "refs/longtask/greet-task/journal"); n != "17" {
		t.Errorf("the journal has %s events", n)
	}
	if note := inDir(t, dir, "git", "notes", "--ref=longtask", "show", "HEAD"); strings.Count(note, "\n") != 0 {
		t.Errorf("several receipts of one clone for one identity and status:\n%s", note)
	}
}

// killed starts the program in a process group of its own and kills the whole
// group after a while.
func killed(dir string, after time.Duration, args ...string) {
	cmd := exec.Command("git-longtask", args...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if cmd.Start() != nil {
		return
	}
	time.Sleep(after)
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait()
}

// TestKilledCommandsLeaveAStateThatGoesOn kills a command at a random moment;
// the same command must then work, and nothing may be accepted twice or lost.
func TestKilledCommandsLeaveAStateThatGoesOn(t *testing.T) {
	rounds := 3
	if n := os.Getenv("SOAK_ROUNDS"); n != "" {
		fmt.Sscan(n, &rounds)
	}
	for _, c := range []struct {
		name    string
		prepare []string
		args    []string
		within  time.Duration
		ended   string // the error of a command whose killed run had done all of it
	}{
		{"compile", nil, []string{"compile", "work/task"}, 60 * time.Millisecond, ""},
		{"final-gate", []string{"compile", "work/task"}, []string{"final-gate"}, 250 * time.Millisecond, ""},
		{"close", []string{"compile", "work/task"}, []string{"close"}, 250 * time.Millisecond, "active_task_missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range rounds {
				dir := greeting(t)
				finishWork(t, dir)
				if c.prepare != nil {
					if a, err := ask(dir, c.prepare...); err != nil || a.code != 0 {
						t.Fatalf("%v: %+v %v", c.prepare, a, err)
					}
				}
				after := rand.N(c.within)
				killed(dir, after, c.args...)
				a, err := ask(dir, c.args...)
				if err != nil || a.code != 0 && a.Error.Code != c.ended {
					t.Errorf("after a kill at %s: %+v %v", after, a, err)
				}
				if a, err := ask(dir, "doctor"); err != nil || a.code != 0 {
					t.Errorf("doctor after a kill at %s: %+v %v", after, a, err)
				}
			}
		})
	}
}
