package gitx

import (
	"context"
	"fmt"
	"strings"
)

// Worktree is one work tree of the repository; the first of a list is the main
// one. Branch is a full ref name, "" when Detached or Bare.
type Worktree struct {
	Path     string
	Branch   string
	HEAD     OID
	Bare     bool
	Detached bool
}

// Worktrees lists the work trees of the repository, also those whose directory
// is gone but not pruned yet.
func (r *Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	out, err := r.here.run(ctx, nil, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, fmt.Errorf("worktrees: %w", err)
	}
	var list []Worktree
	for record := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00\x00"), "\x00\x00") {
		var w Worktree
		for attr := range strings.SplitSeq(record, "\x00") {
			switch key, value, _ := strings.Cut(attr, " "); key {
			case "worktree":
				w.Path = value
			case "branch":
				w.Branch = value
			case "HEAD":
				w.HEAD = OID(value)
			case "bare":
				w.Bare = true
			case "detached":
				w.Detached = true
			}
		}
		list = append(list, w)
	}
	return list, nil
}
