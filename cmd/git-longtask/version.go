package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"
)

// stamped is set by install.sh from `git describe`; builds by `go install`
// carry their module version instead.
var stamped string

// version is what this binary knows about its own origin.
func version() string {
	if stamped != "" {
		return stamped
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

// versionFields are what version adds to the envelope.
type versionFields struct {
	Go       string `json:"go"`       // the Go release that built this binary
	Platform string `json:"platform"` // operating system and processor, "linux/amd64"
}

func versionCommand() *command {
	return &command{
		Name:     "version",
		Group:    groupAbout,
		Usage:    "print the version",
		JSON:     versionFields{},
		Examples: []string{"git longtask version", "git longtask version --json"},
		Run: func(context.Context, *invocation) (*report, error) {
			built := versionFields{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return &report{
				Status: "reported",
				Fields: built,
				Text: func(p *printer) {
					p.line("git-longtask version %s (%s, %s)", version(), built.Go, built.Platform)
				},
			}, nil
		},
	}
}
