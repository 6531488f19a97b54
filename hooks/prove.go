package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-longtask/git-longtask/gitx"
)

// probe is the only argument of the call that proves a hook alive. Git calls
// pre-commit without arguments and pre-push with two, so nobody can make Git
// pass it and have a hook say nothing.
const probe = "--longtask-probe"

// prove asks Git once more where it takes hooks from and starts every hook of
// ours there, as Git does, with the probe: it answers with its name and its
// program and ends before it calls a previous hook or checks anything.
func prove(ctx context.Context, repo *gitx.Repo, r *Report) (bool, error) {
	dir, err := repo.HooksDir(ctx)
	if err != nil {
		return false, err
	}
	all := true
	for i := range r.Hooks {
		h := &r.Hooks[i]
		if h.State != Installed {
			continue
		}
		why := "it looks in " + dir.Path
		if filepath.Join(dir.Path, h.Name) == h.Path {
			why = proveHook(ctx, repo.Top, *h)
		}
		if h.Proved = why == ""; !h.Proved {
			r.Findings = append(r.Findings, hookNotProved(h.Name, h.Path, why))
			all = false
		}
	}
	return all, ctx.Err()
}

// proveHook returns why a hook does not answer, or nothing.
func proveHook(ctx context.Context, top string, h HookState) (why string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	args := hookCommand(h.Path, probe)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = top, gitx.ForeignEnv(), time.Second
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	err := cmd.Run()
	said, bin, _ := strings.Cut(strings.TrimSuffix(out.String(), "\n"), "\n")
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return fmt.Sprintf("it ended with %d: %s", exit.ExitCode(), strings.TrimSpace(diag.String()))
	case err != nil:
		return fmt.Sprintf("it cannot be started: %v", err)
	case said != "git-longtask hook "+h.Name:
		return fmt.Sprintf("it answered %q", said)
	case bin != filepath.ToSlash(h.Binary):
		return fmt.Sprintf("it would start %s, not %s, which is gone or not executable", bin, h.Binary)
	}
	return ""
}
