package main

import "github.com/rogpeppe/go-internal/testscript"

// terminalCmd needs a pseudo-terminal of Unix; stories that use it stop before.
func terminalCmd(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("there is no pseudo-terminal here")
}
