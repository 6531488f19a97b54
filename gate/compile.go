package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/contract/revision"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// ErrNoCommit says that the repository has no commit to start from.
var ErrNoCommit = errors.New("repository_without_commit")

// Draft is a contract as the work tree has it, compiled, with what a lock
// would do about it.
type Draft struct {
	contract.Result
	Would   bool              // a lock would write a new revision
	Against *authority.Chain  // the chain that holds another revision of it, or nil
	Changes []revision.Change // from that revision
	Notice  *contract.Finding // what that means for a lock; a warning
	draft   authority.Draft
	tree    *contract.Tree
}

// Preflight compiles the contract of workdir and asks whether it could be
// locked. It writes nothing and runs nothing.
func Preflight(ctx context.Context, repo *gitx.Repo, tree *contract.Tree, workdir string) (*Draft, error) {
	changed, err := changedPaths(ctx, repo, tree)
	if err != nil {
		return nil, err
	}
	d := &Draft{Result: contract.Compile(ctx, tree, contract.Options{Workdir: workdir, Changed: changed}), tree: tree}
	if repo.Unborn {
		d.Findings = append(d.Findings, contract.Finding{Code: ErrNoCommit.Error(), Level: contract.LevelError, Path: d.Path, Line: 1, Column: 1,
			Message: "the repository has no commit yet; a lock freezes the commit the work starts from", RepairHint: "make a first commit, empty if need be: git commit --allow-empty -m start"})
		return d, nil
	}
	if d.Compiled == nil {
		return d, nil
	}
	canonical, err := d.Compiled.Canonical()
	if err != nil {
		return nil, err
	}
	d.draft = authority.Draft{Task: d.Compiled.Contract.Task.ID, Identity: contract.Identity(canonical), Compiled: canonical, Workdir: workdir, Branch: repo.Branch}
	prev, err := authority.Continues(ctx, repo, d.draft, authority.Tasks(repo))
	if errors.Is(err, authority.ErrNeedsRevise) || errors.Is(err, authority.ErrRelock) {
		return d, d.against(ctx, repo, prev, err)
	}
	if f := lockFinding(err, prev, d.draft); f != nil {
		f.Path = d.Path
		d.Findings = append(d.Findings, *f)
		return d, nil
	}
	d.Would = prev == nil || !prev.Open()
	return d, err
}

// against notes that a chain holds another revision of the contract, and what
// that means. Only where the lock would take it up on its own it is no notice.
func (d *Draft) against(ctx context.Context, repo *gitx.Repo, prev *authority.Chain, why error) error {
	d.Against = prev
	var err error
	if renamed := prev.Open() && prev.Task != d.draft.Task; !renamed {
		if d.Changes, err = d.judge(repo)(ctx, prev.Current()); err != nil {
			return err
		}
	}
	if errors.Is(why, authority.ErrRelock) && len(revision.Protected(d.Changes)) == 0 {
		d.Would = true
		return nil
	}
	d.Notice = lockFinding(why, prev, d.draft)
	d.Notice.Path, d.Notice.Level = d.Path, contract.LevelWarning
	switch need := revision.Protected(d.Changes); {
	case len(revision.Rejected(d.Changes)) > 0:
		d.Notice.RepairHint = "a revision cannot lower the risk; restore the risk facts and the level"
		d.Notice.Next = ""
	case len(need) > 0 && prev.Open():
		d.Notice.RepairHint = fmt.Sprintf("take the change back, or make it a new revision, which a person must approve (%s)", strings.Join(reasons(need), ", "))
	}
	return nil
}

// Identity is the identity a lock would give, "" when there is none yet.
func (d *Draft) Identity() string { return d.draft.Identity }

// lockFinding turns a refusal of the authority into a finding; nil for other
// errors and for none.
func lockFinding(err error, prev *authority.Chain, d authority.Draft) *contract.Finding {
	f := &contract.Finding{Level: contract.LevelError, Line: 1, Column: 1}
	switch {
	case errors.Is(err, authority.ErrNeedsRevise) && prev.Task != d.Task:
		f.Code = authority.ErrNeedsRevise.Error()
		f.Message = fmt.Sprintf("the contract calls itself %s, but its workdir is locked as task %s, and a revision cannot rename a task", d.Task, prev.Task)
		f.RepairHint = "restore the id, or finish or abandon task " + prev.Task + " first"
	case errors.Is(err, authority.ErrNeedsRevise):
		f.Code = authority.ErrNeedsRevise.Error()
		f.Message = fmt.Sprintf("the contract differs from revision %d of task %s, which is locked", prev.Current().Record.Revision, d.Task)
		f.RepairHint = "take the change back, or make it a new revision"
		f.Next = "git longtask compile --revise " + d.Workdir
	case errors.Is(err, authority.ErrRelock):
		f.Code = codeUserDecision
		f.Message = fmt.Sprintf("task %s was abandoned, and a lock after that goes on from its revision %d; the contract differs from it in what a person must approve", prev.Task, prev.Current().Record.Revision)
		f.RepairHint = "lock it, then let a person approve the revision; or restore the contract as it was locked"
		f.Next = "git longtask compile " + d.Workdir
	case errors.Is(err, authority.ErrTaskExists):
		f.Code = authority.ErrTaskExists.Error()
		f.Message = strings.TrimSuffix(err.Error(), ": "+authority.ErrTaskExists.Error())
		f.RepairHint = "finish that task (git longtask close), give it up (git longtask abandon --why ...), or work in another worktree"
		f.Next = "git longtask tasks"
	default:
		return nil
	}
	return f
}

// How says how a contract is locked.
type How struct {
	Revise bool // make one that differs from what is locked its next revision, at once or when a person approves
	Sign   bool // sign the record
}

// Lock makes the draft the authority and binds this worktree. The draft must
// have no refusing finding.
func (d *Draft) Lock(ctx context.Context, repo *gitx.Repo, now time.Time, how How) (authority.Locked, []contract.Finding, error) {
	cfg, err := repo.Config(ctx)
	if err != nil {
		return authority.Locked{}, nil, err
	}
	head, err := repo.Commit(ctx, "HEAD")
	if err != nil {
		return authority.Locked{}, nil, fmt.Errorf("HEAD: %w", err)
	}
	d.draft.Base, d.draft.BaseTree, d.draft.Actor = head.OID, head.Tree, actor(cfg)
	d.draft.Revise, d.draft.Judge = how.Revise, d.judge(repo)
	if how.Sign {
		if d.draft.Sign, err = signing(ctx, repo, cfg); err != nil {
			return authority.Locked{}, nil, err
		}
	}
	if d.draft.IntegrationRef, err = d.integration(ctx, repo, cfg); err != nil {
		return authority.Locked{}, nil, err
	}
	d.draft.Files = map[string][]byte{}
	for _, f := range d.Compiled.Files {
		if d.draft.Files[f.Path], err = d.tree.Read(ctx, f.Path); err != nil {
			return authority.Locked{}, nil, fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	locked, err := authority.LockDraft(ctx, repo, now, d.draft)
	if f := lockFinding(err, locked.Chain, d.draft); f != nil {
		f.Path = d.Path
		return locked, []contract.Finding{*f}, nil
	}
	if err != nil || !locked.First {
		return locked, d.refused(locked), err
	}
	dirty, err := d.dirtyAtLock(ctx, repo)
	return locked, dirty, err
}

// integration is the ref recorded with the draft. A revision keeps the one it
// has, unless .longtask.yaml changes.
func (d *Draft) integration(ctx context.Context, repo *gitx.Repo, cfg *gitx.Config) (string, error) {
	config := func(c revision.Change) bool { return c.Place == "files."+contract.ConfigPath }
	if d.Against != nil && d.Against.Open() && !slices.ContainsFunc(d.Changes, config) {
		return d.Against.Current().Record.IntegrationRef, nil
	}
	return integrationAtLock(ctx, repo, d.Compiled, cfg)
}

// actor is who the repository says is working, for the record only.
func actor(cfg *gitx.Config) string {
	name, _ := cfg.Get("user.name")
	email, ok := cfg.Get("user.email")
	if !ok {
		return name
	}
	return fmt.Sprintf("%s <%s>", name, email)
}

// dirtyAtLock warns of what the work tree holds beside the commit that was
// frozen: changed paths outside the scope, and a contract not yet committed.
func (d *Draft) dirtyAtLock(ctx context.Context, repo *gitx.Repo) ([]contract.Finding, error) {
	dirty, err := repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	scope := d.Compiled.Scope()
	var findings []contract.Finding
	for _, s := range dirty {
		f := contract.Finding{Code: "dirty_at_lock", Level: contract.LevelWarning, Path: s.Path}
		switch {
		case s.Path == d.Path && s.Untracked:
			f.Message = "the contract is not committed yet; a gate accepts only a commit that holds it"
			f.RepairHint = "commit the contract and its sources"
		case scope.Allows(s.Path) || scope.Exempt(s.Path):
			continue
		default:
			f.Message = "this path was changed already at the lock and lies outside the scope"
			f.RepairHint = "put it aside, or commit it before the lock"
		}
		findings = append(findings, f)
	}
	return findings, nil
}
