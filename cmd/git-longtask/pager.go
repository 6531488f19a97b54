package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
)

// page shows text through the user's pager, and tells whether it did: only on
// a terminal, and not where Git is told to use none. A pager that cannot be
// started is no reason to show nothing.
func (inv *invocation) page(ctx context.Context, text []byte) bool {
	out, ok := inv.Stdio.out.(*os.File)
	if !ok || !isTerminal(out) || inv.repo == nil {
		return false
	}
	pager, err := inv.repo.Pager(ctx)
	if err != nil || pager == "" || pager == "cat" {
		return false
	}
	cmd := exec.Command("sh", "-c", pager)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), out, inv.Stdio.err
	// What git gives its pagers: leave when all fits, pass colours, clear nothing.
	cmd.Env = os.Environ()
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} {
		if _, set := os.LookupEnv(name); !set {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	if cmd.Start() != nil {
		return false
	}
	_ = cmd.Wait() // a reader who quits early has seen enough
	return true
}
