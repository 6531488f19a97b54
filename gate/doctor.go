package gate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// Ailment is one thing that is wrong, and what repair would do about it; a nil
// Repair means that a person has to act.
type Ailment struct {
	Finding contract.Finding
	Repair  func(ctx context.Context) error
}

// Diagnose looks at everything a task stands on, except the hooks: git, the
// marker, the chains, the journals, lock files, and what CI will need.
func Diagnose(ctx context.Context, repo *gitx.Repo) ([]Ailment, error) {
	d := &diagnosis{repo: repo}
	for _, look := range []func(context.Context) error{d.git, d.locks, d.marker, d.chains, d.places, d.cache} {
		if err := look(ctx); err != nil {
			return nil, err
		}
	}
	return d.found, nil
}

type diagnosis struct {
	repo  *gitx.Repo
	found []Ailment
}

func (d *diagnosis) add(f contract.Finding, repair func(context.Context) error) {
	if f.Level == "" {
		f.Level = contract.LevelError
	}
	d.found = append(d.found, Ailment{f, repair})
}

// git: a git that a worker may have put there decides nothing here.
func (d *diagnosis) git(context.Context) error {
	program, err := gitx.Program()
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	if d.repo.Top != "" && strings.HasPrefix(program, d.repo.Top+string(filepath.Separator)) {
		d.add(contract.Finding{Code: "git_inside_repository", Message: fmt.Sprintf("the git on PATH is %s, inside this repository; whoever can write here decides what it answers", program),
			RepairHint: "take that directory out of PATH"}, nil)
	}
	if info, err := os.Stat(program); err == nil && info.Mode().Perm()&0o002 != 0 {
		d.add(contract.Finding{Code: "git_writable", Level: contract.LevelWarning, Message: fmt.Sprintf("%s can be changed by every user of this machine", program),
			RepairHint: "take the write permission for others away"}, nil)
	}
	return nil
}

// leftAfter is the age from which a lock file is called left behind.
const leftAfter = 10 * time.Second

func (d *diagnosis) locks(context.Context) error {
	locks, err := d.repo.OwnLocks()
	if err != nil {
		return err
	}
	for _, l := range locks {
		if l.Age < leftAfter {
			continue
		}
		d.add(contract.Finding{Code: "ref_lock_left", Message: fmt.Sprintf("%s was left by a git that was killed", l.Path),
			RepairHint: "git longtask doctor --repair removes it; so does the next command that writes there"}, d.breakLocks)
	}
	packed := filepath.Join(d.repo.CommonDir, "packed-refs.lock")
	if info, err := os.Stat(packed); err == nil && time.Since(info.ModTime()) > leftAfter {
		d.add(contract.Finding{Code: "git_lock_left", Message: fmt.Sprintf("%s is %s old; while it lies there, no ref can be deleted", packed, time.Since(info.ModTime()).Round(time.Second)),
			RepairHint: "when no git process runs in this repository, remove the file by hand"}, nil)
	}
	return nil
}

func (d *diagnosis) breakLocks(ctx context.Context) error {
	unlock, err := d.repo.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = d.repo.BreakOwnLocks(leftAfter)
	return err
}

// marker: this worktree's binding, and the chain it names.
func (d *diagnosis) marker(ctx context.Context) error {
	m, err := authority.Bound(ctx, d.repo)
	if errors.Is(err, gitx.ErrNotFound) {
		return nil
	}
	if err != nil {
		d.add(contract.Finding{Code: "marker_unreadable", Message: err.Error(), RepairHint: "compile the contract again in this worktree: it binds it anew", Next: "git longtask compile <workdir>"}, nil)
		return nil
	}
	if _, err := d.repo.Ref(ctx, authority.ChainRef(m.Task)); !errors.Is(err, gitx.ErrNotFound) {
		return err
	}
	f := contract.Finding{Code: authority.ErrMissing.Error(), Refs: map[string]any{"task": m.Task},
		Message:    fmt.Sprintf("this worktree is bound to task %s, but %s is gone", m.Task, authority.ChainRef(m.Task)),
		RepairHint: "fetch it with git longtask sync; without a published copy, git longtask doctor --repair puts back the state this worktree was bound to", Next: "git longtask sync"}
	d.add(f, func(ctx context.Context) error { return authority.PutBack(ctx, d.repo, m) })
	return nil
}

func (d *diagnosis) chains(ctx context.Context) error {
	for _, task := range authority.Tasks(d.repo) {
		chain, err := authority.Load(ctx, d.repo, task)
		if err != nil {
			code := authority.ErrCorrupt
			if errors.Is(err, authority.ErrFormat) {
				code = authority.ErrFormat
			}
			d.add(contract.Finding{Code: code.Error(), Message: err.Error(), Refs: map[string]any{"task": task},
				RepairHint: "a published copy can be compared and fetched: git longtask sync; nothing here is ever deleted by repair"}, nil)
			continue
		}
		if err := d.chain(ctx, chain); err != nil {
			return err
		}
	}
	return nil
}

// chain looks at one readable chain: its frozen content, its base, whether CI
// can see it, and the journal beside it.
func (d *diagnosis) chain(ctx context.Context, chain *authority.Chain) error {
	refs := map[string]any{"task": chain.Task}
	link := chain.Current()
	if _, err := link.Compiled(ctx, d.repo); err != nil {
		code := authority.ErrCorrupt
		if errors.Is(err, authority.ErrFormat) {
			code = authority.ErrFormat
		}
		d.add(contract.Finding{Code: code.Error(), Message: fmt.Sprintf("authority of task %s: %v", chain.Task, err), Refs: refs,
			RepairHint: "fetch a whole copy from where it was published: git longtask sync"}, nil)
	}
	if _, err := authority.Events(ctx, d.repo, chain.Task); err != nil {
		d.add(contract.Finding{Code: "journal_unreadable", Message: err.Error(), Refs: refs,
			RepairHint: "the journal is a local record and decides nothing; delete it with: git update-ref -d " + authority.JournalRef(chain.Task)}, nil)
	}
	if _, err := d.repo.Commit(ctx, string(link.Record.BaseCommit)); err != nil && chain.Open() {
		d.add(contract.Finding{Code: "base_missing", Level: contract.LevelWarning, Message: fmt.Sprintf("the base commit %s of task %s is not in this clone", link.Record.BaseCommit.Short(), chain.Task), Refs: refs,
			RepairHint: "fetch the history the task was locked on"}, nil)
	}
	if err := authority.InLine(ctx, d.repo, chain); errors.Is(err, authority.ErrRewritten) {
		d.add(contract.Finding{Code: authority.ErrRewritten.Error(), Message: err.Error(), Refs: refs,
			RepairHint: "look at both with git log -p; if the published one is right, point the chain here to it with git update-ref"}, nil)
		return nil
	} else if err != nil {
		return err
	}
	published, err := Published(ctx, d.repo, chain)
	if err != nil {
		return err
	}
	if published.Remote != "" && !published.Done {
		d.add(contract.Finding{Code: "authority_not_published", Level: contract.LevelWarning, Message: fmt.Sprintf("the newest record of task %s was not published; CI cannot judge by it", chain.Task), Refs: refs,
			RepairHint: "publish it", Next: "git longtask sync " + published.Remote}, nil)
	}
	return nil
}

func (d *diagnosis) cache(context.Context) error {
	dir, err := gitx.CacheDir()
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		d.add(contract.Finding{Code: "cache_unusable", Message: err.Error(), RepairHint: "set XDG_CACHE_HOME or HOME to a directory you can write"}, nil)
	}
	return nil
}
