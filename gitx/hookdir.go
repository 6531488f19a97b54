package gitx

import (
	"context"
	"fmt"
	"strings"
)

// HooksDir is the directory git runs hooks from, and who says so.
type HooksDir struct {
	Path   string // absolute
	Scope  string // of core.hooksPath: local, worktree, global, system or command; "" when not configured
	Origin string // where core.hooksPath is written, as git names it: "file:/home/a/.gitconfig"
	Value  string // core.hooksPath as written
}

// HooksDir asks git which directory it runs hooks from in this work tree. With
// an empty core.hooksPath, git looks in the root directory and Path is that.
func (r *Repo) HooksDir(ctx context.Context) (HooksDir, error) {
	var d HooksDir
	out, err := r.here.run(ctx, nil, "config", "--show-scope", "--show-origin", "-z", "--get", "core.hooksPath")
	switch code, ok := exitCode(err); {
	case err == nil:
		field := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if len(field) != 3 {
			return d, fmt.Errorf("hooks directory: unexpected answer %q of git config", out)
		}
		d.Scope, d.Origin, d.Value = field[0], field[1], field[2]
	case !ok || code != 1:
		return d, fmt.Errorf("hooks directory: %w", err)
	}
	if d.Scope != "" && d.Value == "" {
		d.Path = "/"
		return d, nil
	}
	out, err = r.here.run(ctx, nil, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	if err != nil {
		return d, fmt.Errorf("hooks directory: %w", err)
	}
	d.Path = strings.TrimSuffix(string(out), "\n")
	return d, nil
}
