package gate

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// Brief is what somebody needs who takes a task up: its status, and beside it
// what the task is and what to do next. Names are those of
// reference/lifecycle-v2.md.
type Brief struct {
	Status
	Task             TaskBrief          `json:"task"`
	ContractIdentity string             `json:"contract_identity"`
	ContextRefs      []string           `json:"context_refs"` // files to read first
	Sources          []string           `json:"source_paths"` // the user's own words
	Scope            []string           `json:"scope"`        // patterns the work may change
	Git              GitBrief           `json:"git"`
	RecentFindings   []contract.Finding `json:"recent_findings"` // of the newest gate or verify
	Titles           map[string]string  `json:"outcome_titles"`
	NextSafeAction   string             `json:"next_safe_action"` // a command to paste
}

// TaskBrief names the work.
type TaskBrief struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Goal  string `json:"goal"`
}

// GitBrief is what the worktree holds.
type GitBrief struct {
	Head  gitx.OID `json:"head"`
	Tree  gitx.OID `json:"tree"`
	Dirty []string `json:"dirty"` // paths staged, changed or untracked
}

// Resume reads the brief. It writes nothing and runs nothing.
func (t *Task) Resume(ctx context.Context) (*Brief, error) {
	s, err := t.Status(ctx)
	if err != nil {
		return nil, err
	}
	dirty, err := t.Repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	head, err := t.Repo.Commit(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	events, err := authority.Events(ctx, t.Repo, t.ID())
	if err != nil {
		return nil, err
	}
	c := t.Compiled.Contract
	b := &Brief{Status: *s, Task: TaskBrief{ID: c.Task.ID, Title: c.Task.Title, Goal: c.Task.Goal}, ContractIdentity: s.Identity,
		ContextRefs: append([]string{}, c.Task.ContextRefs...), Sources: append([]string{}, c.Task.SourcePaths...), Scope: t.Compiled.Scope().Patterns(),
		Git: GitBrief{Head: head.OID, Tree: head.Tree, Dirty: []string{}}, RecentFindings: recentFindings(events), Titles: map[string]string{}}
	for _, d := range dirty {
		b.Git.Dirty = append(b.Git.Dirty, d.Path)
	}
	for _, o := range c.Outcomes {
		b.Titles[o.Key] = o.Title
	}
	b.NextSafeAction = b.nextAction()
	return b, nil
}

// nextAction is a command that harms nothing in the state at hand.
func (b *Brief) nextAction() string {
	if !b.OnBranch {
		return "git switch " + strings.TrimPrefix(b.Branch, "refs/heads/")
	}
	next := b.Next()
	if rest, ok := strings.CutPrefix(next, "commit, then "); ok {
		return "git commit -a && " + rest
	}
	return next
}

// recentFindings are those of the newest gate, or of the checks that one newer
// verify ran.
func recentFindings(events []authority.Event) []contract.Finding {
	found := []contract.Finding{}
	run := ""
	for i := len(events) - 1; i >= 0; i-- {
		e := events[i]
		var data struct {
			Findings []contract.Finding `json:"findings"`
		}
		switch {
		case e.Type != authority.GateEnded && e.Type != authority.CheckEnded:
			continue
		case run != "" && (e.Type == authority.GateEnded || e.Run != run):
			return found
		case json.Unmarshal(e.Data, &data) != nil:
			continue
		}
		found = append(data.Findings, found...)
		if e.Type == authority.GateEnded {
			return found
		}
		run = e.Run
	}
	return found
}

// branchWords names a branch, or its absence, for people.
func branchWords(ref string) string {
	if ref == "" {
		return "a detached HEAD"
	}
	return "branch " + strings.TrimPrefix(ref, "refs/heads/")
}
