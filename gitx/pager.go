package gitx

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Pager is the shell command git would show long output with: GIT_PAGER,
// core.pager, PAGER or git's own choice; "" or "cat" for none.
func (r *Repo) Pager(ctx context.Context) (string, error) {
	git, err := Program()
	if err != nil {
		return "", err
	}
	p := r.here
	if own, set := os.LookupEnv("GIT_PAGER"); set {
		p = p.with("GIT_PAGER=" + own)
	}
	// Not place.command: its --no-pager would be the answer.
	cmd := exec.CommandContext(ctx, git, "var", "GIT_PAGER")
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.dir, p.env, 2*time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git var GIT_PAGER: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
