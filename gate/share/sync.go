// Package share publishes authority and receipts to a remote and recomputes
// them elsewhere: sync and ci.
//
// It promises that nothing on a remote is ever forced, that a chain only goes
// forward on both sides, and that ci decides from commits and the published
// chain alone. It refuses to know hooks and work trees. Source of the rules:
// spec/ci-and-sharing.md.
package share

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// Errors of choosing a remote.
var (
	ErrNoRemote      = errors.New("remote_missing")
	ErrRemoteUnknown = errors.New("remote_unknown")
)

// Synced is what a sync did or, with check, would do.
type Synced struct {
	Remote      string             `json:"remote"`
	Fetched     []string           `json:"fetched"` // tasks whose chain came from the remote
	Pushed      []string           `json:"pushed"`  // refs that went to the remote
	NotesMerged bool               `json:"notes_merged"`
	InLine      bool               `json:"in_line"` // both sides hold the same now
	Findings    []contract.Finding `json:"-"`
}

// ChooseRemote is the named remote, else the only one, else origin.
func ChooseRemote(ctx context.Context, repo *gitx.Repo, name string) (string, error) {
	cfg, err := repo.Config(ctx)
	if err != nil {
		return "", err
	}
	remotes := cfg.Remotes()
	if name == "" && len(remotes) == 1 {
		return remotes[0], nil
	}
	if name == "" {
		name = "origin"
	}
	for _, r := range remotes {
		if r == name {
			return name, nil
		}
	}
	if len(remotes) == 0 {
		return "", fmt.Errorf("%w: this repository has no remote; add one with: git remote add origin <url>", ErrNoRemote)
	}
	return "", fmt.Errorf("%w: there is no remote %q; remotes here: %v", ErrRemoteUnknown, name, remotes)
}

// syncAttempts bounds how often a push that lost a race is tried again.
const syncAttempts = 6

// Sync brings authority chains and receipts of this clone and a remote into
// line: fetched without force, merged here, pushed with leases. A lost race is
// tried again with jitter.
func Sync(ctx context.Context, repo *gitx.Repo, remote string, checkOnly bool) (*Synced, error) {
	for attempt := 1; ; attempt++ {
		s, err := syncOnce(ctx, repo, remote, checkOnly)
		if !errors.Is(err, gitx.ErrStale) || attempt == syncAttempts {
			return s, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(attempt)*50*time.Millisecond + rand.N(200*time.Millisecond)):
		}
	}
}

func syncOnce(ctx context.Context, repo *gitx.Repo, remote string, checkOnly bool) (*Synced, error) {
	s := &Synced{Remote: remote, Fetched: []string{}, Pushed: []string{}}
	theirs, err := fetch(ctx, repo, remote, s)
	if err != nil || len(s.Findings) > 0 {
		return s, err
	}
	var pushes []gitx.RefUpdate
	if err := mergeChains(ctx, repo, remote, theirs, checkOnly, s, &pushes); err != nil {
		return s, err
	}
	if err := mergeNotes(ctx, repo, remote, theirs, checkOnly, s, &pushes); err != nil {
		return s, err
	}
	for _, p := range pushes {
		s.Pushed = append(s.Pushed, p.Name)
	}
	s.InLine = len(pushes) == 0 && len(s.Findings) == 0
	if checkOnly || len(pushes) == 0 || len(s.Findings) > 0 {
		return s, nil
	}
	if err := repo.PushRefs(ctx, remote, pushes); err != nil {
		return s, fmt.Errorf("push to %s: %w", remote, err)
	}
	s.InLine = true
	return s, remember(ctx, repo, remote, pushes)
}

// notesCopy is where the notes of a remote are fetched to.
func notesCopy(remote string) string { return "refs/notes/longtask-remotes/" + remote }

// copyOf is the local ref that remembers a remote's ref.
func copyOf(remote, ref string) string {
	if ref == gate.NotesRef {
		return notesCopy(remote)
	}
	return authority.PublishedRef(remote, authority.TaskOfChain(ref))
}

// fetch brings the remote's chains and notes into our copies of them. A copy
// that would have to go back is a finding: the remote was rewritten.
func fetch(ctx context.Context, repo *gitx.Repo, remote string, s *Synced) (map[string]gitx.OID, error) {
	refs, err := repo.LsRemote(ctx, remote, "refs/longtask/*/authority", gate.NotesRef)
	if err != nil {
		return nil, fmt.Errorf("remote %s: %w", remote, err)
	}
	theirs := map[string]gitx.OID{}
	var specs []string
	for _, r := range refs {
		if r.Name == gate.NotesRef || authority.TaskOfChain(r.Name) != "" {
			theirs[r.Name] = r.OID
			specs = append(specs, r.Name+":"+copyOf(remote, r.Name))
		}
	}
	if len(specs) == 0 {
		return theirs, nil
	}
	fetchErr := repo.FetchRefs(ctx, remote, specs)
	if fetchErr == nil {
		return theirs, nil
	}
	if err := wentBack(ctx, repo, remote, theirs, s); err != nil || len(s.Findings) > 0 {
		return theirs, err
	}
	return theirs, fetchErr
}

// wentBack looks for a rewritten ref behind a fetch that failed. Most fail for
// other reasons: a lost connection, the lock of a git that runs or was killed.
func wentBack(ctx context.Context, repo *gitx.Repo, remote string, theirs map[string]gitx.OID, s *Synced) error {
	for name, oid := range theirs {
		have, err := repo.Ref(ctx, copyOf(remote, name))
		if errors.Is(err, gitx.ErrNotFound) || err == nil && have == oid {
			continue
		}
		if err != nil {
			return err
		}
		if err := repo.FetchRefs(ctx, remote, []string{string(oid)}); err != nil {
			return err
		}
		follows, err := repo.IsAncestor(ctx, have, oid)
		if err != nil {
			return err
		}
		if !follows {
			s.Findings = append(s.Findings, contract.Finding{Code: "authority_rewritten", Level: contract.LevelError,
				Message:    fmt.Sprintf("%s on %s was rewritten: it no longer holds what was published before (%s, now %s)", name, remote, have.Short(), oid.Short()),
				RepairHint: "find out who rewrote it; what was published before is still here under " + copyOf(remote, name),
				Refs:       map[string]any{"ref": name, "published": have, "now": oid}})
		}
	}
	return nil
}

// mergeChains takes over chains that are ahead there and lists those to push.
func mergeChains(ctx context.Context, repo *gitx.Repo, remote string, theirs map[string]gitx.OID, checkOnly bool, s *Synced, pushes *[]gitx.RefUpdate) error {
	refs, err := repo.Refs(ctx, "refs/longtask/*/authority")
	if err != nil {
		return err
	}
	ours := map[string]gitx.OID{}
	for _, r := range refs {
		if authority.TaskOfChain(r.Name) != "" {
			ours[r.Name] = r.OID
		}
	}
	for name, remoteTip := range theirs {
		if name == gate.NotesRef {
			continue
		}
		if err := mergeChain(ctx, repo, name, ours[name], remoteTip, checkOnly, s, pushes); err != nil {
			return err
		}
	}
	for name, tip := range ours {
		if _, ok := theirs[name]; !ok {
			*pushes = append(*pushes, gitx.RefUpdate{Name: name, New: tip})
		}
	}
	return nil
}

func mergeChain(ctx context.Context, repo *gitx.Repo, name string, ours, theirs gitx.OID, checkOnly bool, s *Synced, pushes *[]gitx.RefUpdate) error {
	task := authority.TaskOfChain(name)
	if ours == theirs {
		return nil
	}
	if _, err := whole(ctx, repo, task, name, theirs); err != nil {
		return fmt.Errorf("published by %s: %w", s.Remote, err)
	}
	ahead := ours == ""
	if !ahead {
		behind, err := repo.IsAncestor(ctx, theirs, ours)
		if err != nil {
			return err
		}
		if behind {
			*pushes = append(*pushes, gitx.RefUpdate{Name: name, New: ours, Old: theirs})
			return nil
		}
		if ahead, err = repo.IsAncestor(ctx, ours, theirs); err != nil {
			return err
		}
	}
	if !ahead {
		s.Findings = append(s.Findings, contract.Finding{Code: "authority_forked", Level: contract.LevelError,
			Message:    fmt.Sprintf("the authority of task %s went different ways: %s here, %s on %s", task, ours.Short(), theirs.Short(), s.Remote),
			RepairHint: "somebody has to decide which one holds; nothing was changed on either side",
			Refs:       map[string]any{"task": task, "ours": ours, "theirs": theirs}})
		return nil
	}
	s.Fetched = append(s.Fetched, task)
	if checkOnly {
		return nil
	}
	return underLock(ctx, repo, func() error {
		return repo.Update(ctx, []gitx.RefUpdate{{Name: name, New: theirs, Old: ours}})
	})
}

func mergeNotes(ctx context.Context, repo *gitx.Repo, remote string, theirs map[string]gitx.OID, checkOnly bool, s *Synced, pushes *[]gitx.RefUpdate) error {
	remoteTip := theirs[gate.NotesRef]
	if remoteTip != "" && !checkOnly {
		err := underLock(ctx, repo, func() error {
			o := repo.NewObjects()
			up, changed, err := repo.MergeNotes(ctx, o, gate.NotesRef, notesCopy(remote))
			if err != nil || !changed {
				return err
			}
			s.NotesMerged = true
			if err := repo.Write(ctx, o); err != nil {
				return err
			}
			return repo.Update(ctx, []gitx.RefUpdate{up})
		})
		if err != nil {
			return fmt.Errorf("receipts: %w", err)
		}
	}
	ours, err := repo.Ref(ctx, gate.NotesRef)
	if errors.Is(err, gitx.ErrNotFound) {
		return nil
	}
	if err == nil && ours != remoteTip {
		*pushes = append(*pushes, gitx.RefUpdate{Name: gate.NotesRef, New: ours, Old: remoteTip})
	}
	return err
}

// remember moves our copies to what was just pushed.
func remember(ctx context.Context, repo *gitx.Repo, remote string, pushes []gitx.RefUpdate) error {
	return underLock(ctx, repo, func() error {
		var updates []gitx.RefUpdate
		for _, p := range pushes {
			name := copyOf(remote, p.Name)
			old, err := repo.Ref(ctx, name)
			if err != nil && !errors.Is(err, gitx.ErrNotFound) {
				return err
			}
			if old != p.New {
				updates = append(updates, gitx.RefUpdate{Name: name, New: p.New, Old: old})
			}
		}
		if len(updates) == 0 {
			return nil
		}
		return repo.Update(ctx, updates)
	})
}

func underLock(ctx context.Context, repo *gitx.Repo, do func() error) error {
	unlock, err := repo.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}
