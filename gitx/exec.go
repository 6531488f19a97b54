// Package gitx is the only door to Git: it starts git, knows the layout of a
// repository and speaks in object ids, paths as bytes and exit codes.
//
// It promises that every git child gets an explicit environment, that nothing
// is decided by message text, that refs move only by compare-and-swap, and
// that neither the user's index nor a branch nor a tag is ever written. It
// refuses to know what a contract, a gate or a receipt is.
package gitx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Errors that callers branch on.
var (
	ErrGitMissing    = errors.New("git is not on PATH")
	ErrGitTooOld     = errors.New("git is too old, 2.36 or later is needed")
	ErrNotRepository = errors.New("not a Git repository")
	ErrUnsafe        = errors.New("git does not trust the owner of this repository")
	ErrNotFound      = errors.New("not found")
	ErrStale         = errors.New("the ref moved meanwhile")
	ErrNoCache       = errors.New("there is no cache directory")
	ErrLocked        = errors.New("another process holds the lock")
)

// GitError is a git child that ended with a code other than zero.
type GitError struct {
	Args   []string
	Code   int
	Stderr string
}

func (e *GitError) Error() string {
	msg := strings.TrimSpace(e.Stderr)
	if msg == "" {
		msg = "no message"
	}
	return fmt.Sprintf("git %s: exit %d: %s", subcommand(e.Args), e.Code, msg)
}

func subcommand(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-c" || args[i] == "-C":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return strings.Join(args, " ")
}

// exitCode is the code a git child ended with, and whether err is that.
func exitCode(err error) (int, bool) {
	var g *GitError
	if errors.As(err, &g) {
		return g.Code, true
	}
	return 0, false
}

// Program is the git executable this process uses, absolute, found once.
var Program = sync.OnceValues(func() (string, error) {
	p, err := exec.LookPath("git")
	if err != nil {
		return "", ErrGitMissing
	}
	return filepath.Abs(p)
})

// place is where git children run and the environment they get there.
type place struct {
	dir string
	env []string
}

var globalFlags = []string{"--no-pager", "-c", "core.quotePath=false", "-c", "core.warnAmbiguousRefs=false", "-c", "core.fsmonitor=false"}

// with is the same place with further variables set.
func (p place) with(env ...string) place {
	return place{p.dir, append(append([]string(nil), p.env...), env...)}
}

// command is the one place where git is started.
func (p place) command(ctx context.Context, args ...string) (*exec.Cmd, error) {
	git, err := Program()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, git, append(append([]string(nil), globalFlags...), args...)...)
	cmd.Dir, cmd.Env = p.dir, p.env
	cmd.WaitDelay = 2 * time.Second
	return cmd, nil
}

// run starts git, feeds stdin and returns all of stdout. A code other than
// zero is a *GitError; stdout is returned with it.
func (p place) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	cmd, err := p.command(ctx, args...)
	if err != nil {
		return nil, err
	}
	var out, diag bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &diag
	err = cmd.Run()
	if ctx.Err() != nil {
		return out.Bytes(), ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out.Bytes(), &GitError{Args: args, Code: exit.ExitCode(), Stderr: diag.String()}
	}
	if err != nil {
		return out.Bytes(), fmt.Errorf("git %s: %w", subcommand(args), err)
	}
	return out.Bytes(), nil
}

// localVars are the names of `git rev-parse --local-env-vars`, and those that
// git sets for its own children: they tie a process to one repository.
var localVars = map[string]bool{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES": true, "GIT_CONFIG": true, "GIT_CONFIG_PARAMETERS": true,
	"GIT_CONFIG_COUNT": true, "GIT_OBJECT_DIRECTORY": true, "GIT_DIR": true, "GIT_WORK_TREE": true,
	"GIT_IMPLICIT_WORK_TREE": true, "GIT_GRAFT_FILE": true, "GIT_INDEX_FILE": true,
	"GIT_NO_REPLACE_OBJECTS": true, "GIT_REPLACE_REF_BASE": true, "GIT_PREFIX": true,
	"GIT_INTERNAL_SUPER_PREFIX": true, "GIT_SHALLOW_FILE": true, "GIT_COMMON_DIR": true,
	"GIT_QUARANTINE_PATH": true, "GIT_NAMESPACE": true, "GIT_ATTR_SOURCE": true, "GIT_REF_PARANOIA": true,
}

// IsLocalVar tells whether an environment variable ties a process to one
// repository and must not reach children that are about something else.
func IsLocalVar(name string) bool {
	return localVars[name] || strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
}

// unwanted change what git prints or does for reasons of the user's taste.
var unwanted = map[string]bool{
	"GIT_EXTERNAL_DIFF": true, "GIT_DIFF_OPTS": true, "GIT_EDITOR": true, "GIT_PAGER": true,
	"GIT_GLOB_PATHSPECS": true, "GIT_NOGLOB_PATHSPECS": true, "GIT_ICASE_PATHSPECS": true,
	"GIT_DEFAULT_HASH": true, "GIT_ADVICE": true, "GIT_REFLOG_ACTION": true,
	"GIT_AUTHOR_NAME": true, "GIT_AUTHOR_EMAIL": true, "GIT_AUTHOR_DATE": true,
	"GIT_COMMITTER_NAME": true, "GIT_COMMITTER_EMAIL": true, "GIT_COMMITTER_DATE": true,
	"LC_ALL": true, "LANGUAGE": true,
}

var policy = []string{
	"GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
	"GIT_LITERAL_PATHSPECS=1", "LC_ALL=C",
	"GIT_AUTHOR_NAME=git-longtask", "GIT_AUTHOR_EMAIL=git-longtask@localhost.invalid",
	"GIT_COMMITTER_NAME=git-longtask", "GIT_COMMITTER_EMAIL=git-longtask@localhost.invalid",
}

// hereEnv is the environment of children about the repository the process was
// started in: what the hook or the user gave, with our policy on top.
func hereEnv() []string {
	return append(filterEnv(os.Environ(), func(name string) bool { return unwanted[name] }), policy...)
}

// ForeignEnv is the environment of git children about any other repository.
func ForeignEnv() []string {
	return append(filterEnv(os.Environ(), func(name string) bool { return unwanted[name] || IsLocalVar(name) }), policy...)
}

func filterEnv(env []string, drop func(name string) bool) []string {
	kept := make([]string, 0, len(env)+len(policy)+4)
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); !drop(name) {
			kept = append(kept, kv)
		}
	}
	return kept
}
