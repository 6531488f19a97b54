package share

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// concerned lists the tasks a range is about: named ones, those recorded for
// the head branch, and those whose frozen files change in it.
func concerned(ctx context.Context, repo *gitx.Repo, req Request, head gitx.Commit, meet gitx.OID, j *Judged) ([]*gate.Task, error) {
	all, err := chains(ctx, repo)
	if err != nil {
		return nil, err
	}
	branches, err := headBranches(ctx, repo, req.Branch, head.OID)
	if err != nil {
		return nil, err
	}
	changes, err := repo.DiffTrees(ctx, meet, head.Tree)
	if err != nil {
		return nil, err
	}
	changed := map[string]bool{}
	for _, c := range changes {
		changed[c.Path] = true
	}
	wanted := map[string]bool{}
	for _, id := range req.Tasks {
		if all[id] == nil {
			return nil, missingChain(id)
		}
		wanted[id] = true
	}
	for id, t := range all {
		wanted[id] = wanted[id] || branches[t.Link.Record.Branch] || t.Freezes(changed)
	}
	if len(all) == 0 {
		// No authority at all is here: what the head holds was perhaps locked
		// and never fetched, which a change of the contract would not show.
		if changes, err = everything(ctx, repo, head.Tree); err != nil {
			return nil, err
		}
	}
	j.Findings = append(j.Findings, unlocked(all, changes)...)
	var tasks []*gate.Task
	for id, t := range all {
		if wanted[id] {
			tasks = append(tasks, t)
		}
	}
	sort.Slice(tasks, func(i, k int) bool { return tasks[i].ID() < tasks[k].ID() })
	return tasks, nil
}

func missingChain(id string) *Fetch {
	return &Fetch{Code: authority.ErrMissing.Error(), What: fmt.Sprintf("the authority of task %s is not in this clone", id), Command: "git longtask sync"}
}

// chains opens the authority of every task: the published copy where there is
// one, else the chain of this clone.
func chains(ctx context.Context, repo *gitx.Repo) (map[string]*gate.Task, error) {
	refs := map[string]string{}
	for _, ref := range repo.Chains {
		if id := authority.TaskOfChain(ref); id != "" && refs[id] == "" {
			refs[id] = ref
		}
		if id := authority.PublishedTask(ref); id != "" {
			refs[id] = ref
		}
	}
	all := map[string]*gate.Task{}
	for id, ref := range refs {
		tip, err := repo.Ref(ctx, ref)
		if err != nil {
			return nil, fmt.Errorf("authority of task %s: %w", id, err)
		}
		c, err := whole(ctx, repo, id, ref, tip)
		if err != nil {
			return nil, err
		}
		if all[id], err = gate.FromChain(ctx, repo, c); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// headBranches are the full names of branches that the head may be: the one
// that was given, else every remote branch whose tip it is.
func headBranches(ctx context.Context, repo *gitx.Repo, given string, head gitx.OID) (map[string]bool, error) {
	if given != "" {
		return map[string]bool{"refs/heads/" + strings.TrimPrefix(given, "refs/heads/"): true}, nil
	}
	refs, err := repo.Refs(ctx, "refs/remotes/")
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, r := range refs {
		if r.OID != head {
			continue
		}
		if _, branch, ok := strings.Cut(strings.TrimPrefix(r.Name, "refs/remotes/"), "/"); ok && branch != "HEAD" {
			found["refs/heads/"+branch] = true
		}
	}
	return found, nil
}

// everything is a tree as changes against nothing.
func everything(ctx context.Context, repo *gitx.Repo, tree gitx.OID) ([]gitx.Change, error) {
	entries, err := repo.ListTree(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", tree.Short(), err)
	}
	changes := make([]gitx.Change, len(entries))
	for i, e := range entries {
		changes[i] = gitx.Change{Path: e.Path, Status: 'A', NewMode: e.Mode, NewOID: e.OID}
	}
	return changes, nil
}

// unlocked warns of contracts in the range that have no chain here: nothing can
// be judged by them, which the reviewer should know.
func unlocked(all map[string]*gate.Task, changes []gitx.Change) []contract.Finding {
	locked := map[string]bool{}
	for _, t := range all {
		locked[t.Compiled.Workdir] = true
	}
	var findings []contract.Finding
	for _, c := range changes {
		workdir, ok := strings.CutSuffix(c.Path, "/"+contract.FileName)
		if !ok || c.Status == 'D' || locked[workdir] {
			continue
		}
		findings = append(findings, contract.Finding{Code: "contract_not_locked", Level: contract.LevelWarning, Path: c.Path,
			Message:    "no authority of this contract is in this clone, so nothing was judged by it",
			RepairHint: "lock it with git longtask compile and publish it with git longtask sync; if that was done, fetch it here with git longtask sync"})
	}
	return findings
}
