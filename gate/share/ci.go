package share

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gate/check"
	"github.com/git-longtask/git-longtask/gitx"
)

// Request is what ci judges: a head against a base, both revisions.
type Request struct {
	Base, Head    string
	Tasks         []string // added to those found, never a limit
	Branch        string   // source branch without refs/heads/; "" asks the remote branches
	AllowUnsigned bool
	Jobs          int
	Progress      func(task string, e check.Event)
}

// Judged is what ci found, task by task.
type Judged struct {
	Base     gitx.OID           `json:"base"`
	Head     gitx.OID           `json:"head"`
	Tasks    []JudgedTask       `json:"tasks"`
	Findings []contract.Finding `json:"-"`
}

// JudgedTask is one task's result; Verdict is nil when no gate was run.
type JudgedTask struct {
	ID       string        `json:"id"`
	State    string        `json:"state"`
	Accepted bool          `json:"accepted"`
	Verdict  *gate.Verdict `json:"verdict"`
}

// Fetch says what ci needs and does not have here.
type Fetch struct {
	Code    string
	What    string
	Command string
}

func (f *Fetch) Error() string { return f.Code + ": " + f.What + "; fetch it with: " + f.Command }

// CI recomputes the Final Gate of every task that a range concerns, from the
// commits and the published authority. It reads no longtask.* configuration,
// no work tree and no stored result. A *Fetch error says what is missing here.
func CI(ctx context.Context, repo *gitx.Repo, req Request) (*Judged, error) {
	base, head, meet, err := endpoints(ctx, repo, req)
	if err != nil {
		return nil, err
	}
	j := &Judged{Base: base.OID, Head: head.OID, Tasks: []JudgedTask{}}
	tasks, err := concerned(ctx, repo, req, head, meet, j)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		if err := j.judge(ctx, repo, t, req, base, head); err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID(), err)
		}
	}
	return j, nil
}

// endpoints resolves base and head and finds where they meet.
func endpoints(ctx context.Context, repo *gitx.Repo, req Request) (base, head gitx.Commit, meet gitx.OID, err error) {
	for _, side := range []struct {
		name string
		rev  string
		into *gitx.Commit
	}{{"base", req.Base, &base}, {"head", req.Head, &head}} {
		if *side.into, err = repo.Commit(ctx, side.rev); errors.Is(err, gitx.ErrNotFound) {
			err = &Fetch{Code: side.name + "_missing", What: fmt.Sprintf("the %s commit %q is not in this clone", side.name, side.rev), Command: fetchCommand(repo, side.rev)}
		}
		if err != nil {
			return base, head, "", err
		}
	}
	meet, err = repo.MergeBase(ctx, base.OID, head.OID)
	if errors.Is(err, gitx.ErrNotFound) {
		f := &Fetch{Code: "history_missing", What: fmt.Sprintf("%s and %s have no common history in this clone", base.OID.Short(), head.OID.Short()), Command: "git fetch origin"}
		if repo.Shallow {
			f.Command = "git fetch --unshallow origin"
		}
		err = f
	}
	return base, head, meet, err
}

// fetchCommand brings a revision and, into a shallow clone, its history. A
// revision named as a remote's branch is fetched to where that name looks.
func fetchCommand(repo *gitx.Repo, rev string) string {
	command, remote, spec := "git fetch", "origin", rev
	if repo.Shallow {
		command += " --unshallow"
	}
	name := strings.TrimPrefix(strings.TrimPrefix(rev, "refs/"), "remotes/")
	if r, branch, ok := strings.Cut(name, "/"); ok && branch != "" && r != "heads" && r != "tags" {
		remote, spec = r, fmt.Sprintf("%s:refs/remotes/%s/%s", branch, r, branch)
	}
	return fmt.Sprintf("%s %s %s", command, remote, spec)
}

// judge runs the gate of one task and everything around it.
func (j *Judged) judge(ctx context.Context, repo *gitx.Repo, t *gate.Task, req Request, base, head gitx.Commit) error {
	result := JudgedTask{ID: t.ID(), State: t.Chain.State()}
	if result.State == "abandoned" {
		f, err := abandoned(ctx, repo, t, base)
		if err != nil {
			return err
		}
		j.Findings = append(j.Findings, f)
		result.Accepted = f.Level == contract.LevelWarning
		j.Tasks = append(j.Tasks, result)
		return nil
	}
	around, err := fromBase(ctx, repo, t, base, req.AllowUnsigned)
	if err != nil {
		return err
	}
	rewritten, err := inLine(ctx, repo, t)
	if err != nil {
		return err
	}
	around = append(around, rewritten...)
	v, err := t.Gate(ctx, gate.Request{Commit: head.OID, Integration: string(base.OID), Fresh: true, Jobs: req.Jobs, Progress: func(e check.Event) {
		if req.Progress != nil {
			req.Progress(t.ID(), e)
		}
	}})
	if err != nil {
		return err
	}
	around = append(around, v.Findings...)
	result.Verdict, result.Accepted = v, !contract.Refuses(around)
	for _, f := range around {
		f.Refs = with(f.Refs, "task", t.ID())
		j.Findings = append(j.Findings, f)
	}
	j.Tasks = append(j.Tasks, result)
	return nil
}

func with(refs map[string]any, key string, value any) map[string]any {
	out := map[string]any{key: value}
	for k, v := range refs {
		out[k] = v
	}
	return out
}

// inLine compares a published copy with this clone's own chain.
func inLine(ctx context.Context, repo *gitx.Repo, t *gate.Task) ([]contract.Finding, error) {
	own, err := repo.Ref(ctx, authority.ChainRef(t.ID()))
	if errors.Is(err, gitx.ErrNotFound) || own == t.Chain.Tip().OID {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, pair := range [][2]gitx.OID{{own, t.Chain.Tip().OID}, {t.Chain.Tip().OID, own}} {
		if line, err := repo.IsAncestor(ctx, pair[0], pair[1]); err != nil || line {
			return nil, err
		}
	}
	return []contract.Finding{{Code: "authority_rewritten", Level: contract.LevelError,
		Message:    fmt.Sprintf("the authority of task %s in this clone and its published copy do not follow from one another", t.ID()),
		RepairHint: "one of them was rewritten; find out which before anything is accepted",
		Refs:       map[string]any{"ours": own, "published": t.Chain.Tip().OID}}}, nil
}
