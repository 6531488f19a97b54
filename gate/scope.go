package gate

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

// scopeFindings judges changed paths against the declared scope. skip holds
// paths that another finding already names.
func (t *Task) scopeFindings(changes []gitx.Change, skip map[string]bool) []contract.Finding {
	scope := t.Compiled.Scope()
	var findings []contract.Finding
	for _, c := range changes {
		if skip[c.Path] || scope.Exempt(c.Path) {
			continue
		}
		if by, forbidden := scope.Forbidden(c.Path); forbidden {
			findings = append(findings, contract.Finding{Code: "forbidden_path_changed", Level: contract.LevelError, Path: c.Path,
				Message:    fmt.Sprintf("%s, but task %s forbids changes under %s", verb(c), t.ID(), by),
				RepairHint: "take the change back",
				Refs:       map[string]any{"change": string(c.Status), "forbidden": by}})
			continue
		}
		if !scope.Allows(c.Path) {
			allowed := scope.Patterns()
			findings = append(findings, contract.Finding{Code: "scope_escape", Level: contract.LevelError, Path: c.Path,
				Message:    fmt.Sprintf("%s outside the scope of task %s (allowed: %s)", verb(c), t.ID(), strings.Join(allowed, ", ")),
				RepairHint: "take the change back, or widen the contract: git longtask compile --revise " + t.Compiled.Workdir,
				Refs:       map[string]any{"change": string(c.Status), "allowed": allowed}})
		}
	}
	return findings
}

func verb(c gitx.Change) string {
	switch c.Status {
	case 'A':
		return "added"
	case 'D':
		return "deleted"
	}
	return "changed"
}

// paths is the set of paths that findings name.
func paths(findings []contract.Finding) map[string]bool {
	set := make(map[string]bool, len(findings))
	for _, f := range findings {
		set[f.Path] = true
	}
	return set
}

// symlinkFindings reports changed symlinks that lead out of the repository.
func (t *Task) symlinkFindings(ctx context.Context, changes []gitx.Change, at lookup) ([]contract.Finding, error) {
	var findings []contract.Finding
	for _, c := range changes {
		if c.Status == 'D' || c.NewMode != gitx.ModeSymlink {
			continue
		}
		target, escapes, err := leadsOut(ctx, t.Repo, c.Path, at)
		if err != nil {
			return nil, err
		}
		if escapes {
			findings = append(findings, contract.Finding{Code: "symlink_escape", Level: contract.LevelError, Path: c.Path,
				Message:    fmt.Sprintf("this symbolic link leads out of the repository, to %q; what is there belongs to no commit and proves nothing", target),
				RepairHint: "remove the link, or let it point to a tracked file",
				Refs:       map[string]any{"target": target}})
		}
	}
	return findings, nil
}

// leadsOut follows the symlink at link through the tree, as a kernel would.
func leadsOut(ctx context.Context, repo *gitx.Repo, link string, at lookup) (target string, escapes bool, err error) {
	todo, at0 := strings.Split(link, "/"), ""
	for hops := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if at0 == "" {
				return target, true, nil
			}
			at0 = strings.TrimPrefix(path.Dir("/"+at0), "/")
			continue
		}
		next := path.Join(at0, name)
		e, ok, err := at(ctx, next)
		if err != nil {
			return target, false, err
		}
		if !ok || e.Mode != gitx.ModeSymlink {
			at0 = next
			continue
		}
		o, err := repo.Read(ctx, string(e.OID))
		if err != nil {
			return target, false, fmt.Errorf("%s: %w", next, err)
		}
		if target == "" {
			target = string(o.Data)
		}
		if hops++; hops > 40 || strings.HasPrefix(string(o.Data), "/") || windowsRooted(string(o.Data)) {
			return target, true, nil
		}
		todo = append(strings.Split(string(o.Data), "/"), todo...)
	}
	return target, false, nil
}

func windowsRooted(target string) bool {
	return strings.HasPrefix(target, `\`) || len(target) > 1 && target[1] == ':'
}

// unmerged keeps the changes that no merge head already has: with a merge in
// progress a path counts only when it differs from the base and every head.
func unmerged(ctx context.Context, repo *gitx.Repo, changes []gitx.Change, heads []gitx.OID) ([]gitx.Change, error) {
	var kept []gitx.Change
	for _, c := range changes {
		same := false
		for _, h := range heads {
			e, ok, err := inTree(repo, h)(ctx, c.Path)
			if err != nil {
				return nil, err
			}
			if ok && e.OID == c.NewOID && e.Mode == c.NewMode || !ok && c.Status == 'D' {
				same = true
				break
			}
		}
		if !same {
			kept = append(kept, c)
		}
	}
	return kept, nil
}
