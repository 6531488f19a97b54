package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The benchmarks of docs/performance.md: what a command takes as a multiple of
// what git takes on the same machine in the same minute.
//
//	go test ./cmd/git-longtask -run '^$' -bench Ratio -benchtime 1x

// rounds is how often each line runs; medians are compared.
const rounds = 21

// bench is a repository with the program as users get it first on PATH.
type bench struct {
	*testing.B
	dir string
	env []string
}

func newBench(b *testing.B, files int) bench {
	b.Helper()
	bin := b.TempDir()
	x := bench{b, "../..", append(os.Environ(), "CGO_ENABLED=0", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))}
	x.sh("go build -tags urfave_cli_no_docs -trimpath -ldflags='-s -w' -o " + filepath.Join(bin, "git-longtask") + " ./cmd/git-longtask")
	setup, err := filepath.Abs("../../testdata/greeting/setup.sh")
	if err != nil {
		b.Fatal(err)
	}
	x.dir = b.TempDir()
	x.sh("sh " + setup)
	x.dir = filepath.Join(x.dir, "r")
	x.fill(files)
	x.sh("git add -A && git commit -q --allow-empty -m bulk && git push -q origin HEAD:main && git status >/dev/null")
	return x
}

// fill writes files that git tracks and no check reads.
func (x bench) fill(files int) {
	for i := range files {
		name := filepath.Join(x.dir, "bulk", fmt.Sprint(i/1000), fmt.Sprint(i%1000))
		if i%1000 == 0 {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				x.Fatal(err)
			}
		}
		if err := os.WriteFile(name, []byte(strings.Repeat(fmt.Sprintf("line %d\n", i), 20)), 0o644); err != nil {
			x.Fatal(err)
		}
	}
}

func (x bench) sh(line string) time.Duration {
	x.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = x.dir, x.env
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(start)
	if err != nil {
		x.Fatalf("%s: %v\n%s", line, err, out)
	}
	return took
}

// medians runs the lines in turns, so that a busy moment meets all of them.
func (x bench) medians(lines ...string) []float64 {
	x.Helper()
	all := make([][]float64, len(lines))
	for range rounds {
		for i, line := range lines {
			all[i] = append(all[i], float64(x.sh(line).Microseconds())/1000)
		}
	}
	result := make([]float64, len(lines))
	for i, times := range all {
		slices.Sort(times)
		result[i] = times[rounds/2]
	}
	return result
}

func (x bench) tell(ours, yardstick float64) {
	x.ReportMetric(0, "ns/op")
	x.ReportMetric(ours, "ms")
	x.ReportMetric(yardstick, "git-ms")
	x.ReportMetric(ours/yardstick, "ratio")
}

// BenchmarkRatioOfCommands compares with a bare start of git; both lines carry
// the same shell.
func BenchmarkRatioOfCommands(b *testing.B) {
	x := newBench(b, 0)
	for _, c := range []struct{ name, prepare, line string }{
		{"version", "true", "git-longtask version"},
		{"preflight", "true", "git-longtask preflight work/task"},
		{"lock", "true", "git-longtask compile && printf 'delete refs/worktree/longtask/active\ndelete refs/longtask/greet-task/authority\ndelete refs/longtask/greet-task/journal\n' | git update-ref --stdin"},
		{"compile", "git-longtask compile", "git-longtask compile"},
		{"status", "true", "git-longtask status"},
		{"resume", "true", "git-longtask resume"},
	} {
		b.Run(c.name, func(b *testing.B) {
			x.B = b
			x.sh(c.prepare)
			m := x.medians(c.line+" >/dev/null", "git --version >/dev/null")
			x.tell(m[0], m[1])
		})
	}
}

// BenchmarkRatioOfHooks compares what our pre-commit hook adds to a commit with
// what a shell hook adds that asks git one question.
func BenchmarkRatioOfHooks(b *testing.B) {
	for _, files := range []int{10, 50000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			x := newBench(b, files)
			x.sh("git-longtask compile && git-longtask install && mv .git/hooks/pre-commit ours && printf '#!/bin/sh\\ngit diff --cached --quiet\\n' >bare && chmod +x bare")
			commit := "git -c core.hooksPath=.git/bench commit -q --allow-empty -m x"
			use := func(hook string) string { return "cp " + hook + " .git/bench/pre-commit && " + commit }
			x.sh("mkdir .git/bench && printf '#!/bin/sh\\n' >none && chmod +x none")
			m := x.medians(use("none"), use("bare"), use("ours"))
			x.tell(m[2]-m[0], m[1]-m[0])
		})
	}
}

// BenchmarkRatioOfGate compares the gate, less the check's own time, with one
// git status, on a warm private tree.
func BenchmarkRatioOfGate(b *testing.B) {
	for _, files := range []int{0, 50000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			x := newBench(b, files)
			x.sh("printf '#!/bin/sh\\nprintf \"Hello, %%s!\\\\n\" \"$1\"\\n' >src/greet.sh && git commit -q -a -m done && git-longtask compile && git-longtask final-gate")
			m := x.medians("git-longtask final-gate >/dev/null 2>&1", "git status >/dev/null", "sh verify/greet.sh >/dev/null; sh verify/greet.sh >/dev/null")
			x.tell(m[0]-m[2], m[1])
		})
	}
}
