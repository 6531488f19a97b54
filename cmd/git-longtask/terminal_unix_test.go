//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// terminalCmd runs a command with a real terminal on all three streams, types
// one line when it asks, and keeps what the terminal showed:
//
//	[!] terminal TYPED SHOWN COMMAND [ARGS...]
//
// SHOWN is the file that gets the text of the terminal.
func terminalCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: [!] terminal TYPED SHOWN COMMAND [ARGS...]")
	}
	program, err := exec.LookPath(args[2])
	ts.Check(err)
	cmd := exec.Command(program, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Env = append(cmd.Env, "NO_COLOR=1", "TERM=xterm")
	terminal, err := pty.Start(cmd)
	ts.Check(err)
	defer terminal.Close()
	shown := typeWhenAsked(terminal, args[0])
	err = cmd.Wait()
	ts.Check(os.WriteFile(filepath.Join(ts.MkAbs("."), args[1]), shown, 0o600))
	if (err != nil) != neg {
		ts.Fatalf("%s: %v\n%s", strings.Join(args[2:], " "), err, shown)
	}
}

// typeWhenAsked reads the terminal to its end and answers the question.
func typeWhenAsked(terminal io.ReadWriter, line string) []byte {
	var shown bytes.Buffer
	asked := false
	buffer := make([]byte, 4096)
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		n, err := terminal.Read(buffer)
		shown.Write(buffer[:n])
		if !asked && bytes.Contains(shown.Bytes(), []byte("leave it: ")) {
			asked = true
			io.WriteString(terminal, line+"\n")
		}
		if errors.Is(err, io.EOF) || errors.Is(err, syscall.EIO) {
			break // EIO is how Linux ends a terminal
		}
	}
	return bytes.ReplaceAll(shown.Bytes(), []byte("\r\n"), []byte("\n"))
}
