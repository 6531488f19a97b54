package authority

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sort"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

// Link is one commit of a chain.
type Link struct {
	OID    gitx.OID
	Parent gitx.OID // "" for the first
	Tree   gitx.OID
	Record Record
}

// Chain is the authority of one task, oldest link first. Links of an earlier
// task in the same workdir, which the chain continues, are in Before.
type Chain struct {
	Task   string
	Ref    string
	Before []Link
	Links  []Link
}

// Tip is the newest link.
func (c *Chain) Tip() Link { return c.Links[len(c.Links)-1] }

// Current is the link whose revision is or was last in force.
func (c *Chain) Current() Link {
	for i := len(c.Links) - 1; ; i-- {
		if k := c.Links[i].Record.Kind; k != Close && k != Abandon {
			return c.Links[i]
		}
	}
}

// Open tells whether the work is still going on.
func (c *Chain) Open() bool { return c.State() == "open" }

// State is "open", "closed" or "abandoned".
func (c *Chain) State() string {
	switch c.Tip().Record.Kind {
	case Close:
		return "closed"
	case Abandon:
		return "abandoned"
	}
	return "open"
}

// Load reads and checks the chain of a task at its local ref. Errors:
// ErrMissing, ErrCorrupt, ErrFormat, wrapped with the task.
func Load(ctx context.Context, repo *gitx.Repo, task string) (*Chain, error) {
	return LoadRef(ctx, repo, task, ChainRef(task))
}

// LoadRef is Load for a chain at another ref, such as a published copy.
func LoadRef(ctx context.Context, repo *gitx.Repo, task, ref string) (*Chain, error) {
	tip, err := repo.Ref(ctx, ref)
	if errors.Is(err, gitx.ErrNotFound) {
		return nil, fmt.Errorf("task %s: %w: there is no %s", task, ErrMissing, ref)
	}
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", task, err)
	}
	return LoadAt(ctx, repo, task, ref, tip)
}

// LoadAt reads the chain whose newest link is tip.
func LoadAt(ctx context.Context, repo *gitx.Repo, task, ref string, tip gitx.OID) (*Chain, error) {
	links, err := walk(ctx, repo, tip)
	if err != nil {
		return nil, fmt.Errorf("authority of task %s: %w", task, err)
	}
	c := &Chain{Task: task, Ref: ref}
	for i, l := range links {
		if i > 0 {
			if err := links[i-1].Record.follows(l.Record); err != nil {
				return nil, fmt.Errorf("authority of task %s: %w: at %s %w", task, ErrCorrupt, l.OID.Short(), err)
			}
		} else if l.Record.Kind != Lock || l.Record.Revision != 1 {
			return nil, fmt.Errorf("authority of task %s: %w: its first link %s is not a lock of revision 1", task, ErrCorrupt, l.OID.Short())
		}
		if l.Record.Task == task {
			c.Links = append(c.Links, l)
		} else {
			c.Before = append(c.Before, l)
		}
	}
	if len(c.Links) == 0 || links[len(links)-1].Record.Task != task {
		return nil, fmt.Errorf("authority of task %s: %w: its newest link belongs to another task", task, ErrCorrupt)
	}
	return c, nil
}

// walk follows first parents from tip and returns the links oldest first.
func walk(ctx context.Context, repo *gitx.Repo, tip gitx.OID) ([]Link, error) {
	var links []Link
	for oid := tip; oid != ""; {
		l, err := readLink(ctx, repo, oid)
		if err != nil {
			return nil, err
		}
		links = append(links, l)
		oid = l.Parent
	}
	for i, j := 0, len(links)-1; i < j; i, j = i+1, j-1 {
		links[i], links[j] = links[j], links[i]
	}
	return links, nil
}

func readLink(ctx context.Context, repo *gitx.Repo, oid gitx.OID) (Link, error) {
	c, err := repo.Commit(ctx, string(oid))
	if err != nil {
		return Link{}, fmt.Errorf("%w: link %s: %w", ErrCorrupt, oid.Short(), err)
	}
	if len(c.Parents) > 1 {
		return Link{}, fmt.Errorf("%w: link %s is a merge", ErrCorrupt, oid.Short())
	}
	l := Link{OID: oid, Tree: c.Tree}
	if len(c.Parents) == 1 {
		l.Parent = c.Parents[0]
	}
	data, err := l.read(ctx, repo, "record.json")
	if err != nil {
		return Link{}, err
	}
	l.Record, err = decodeRecord(data)
	return l, err
}

func (l Link) read(ctx context.Context, repo *gitx.Repo, name string) ([]byte, error) {
	e, err := repo.Entry(ctx, l.Tree, name)
	if err != nil {
		return nil, fmt.Errorf("%w: link %s has no %s: %w", ErrCorrupt, l.OID.Short(), name, err)
	}
	o, err := repo.Read(ctx, string(e.OID))
	if err != nil {
		return nil, fmt.Errorf("%w: link %s: %w", ErrCorrupt, l.OID.Short(), err)
	}
	return o.Data, nil
}

// Compiled reads the frozen contract of a link and checks that its bytes hash
// to the identity the record names.
func (l Link) Compiled(ctx context.Context, repo *gitx.Repo) (*contract.Compiled, error) {
	data, err := l.read(ctx, repo, "compiled.json")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	if id := hex.EncodeToString(sum[:]); id != l.Record.Identity {
		return nil, fmt.Errorf("%w: compiled.json of link %s does not hash to its identity", ErrCorrupt, l.OID.Short())
	}
	c, err := contract.Decode(data)
	if errors.Is(err, contract.ErrFormat) {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: compiled.json of link %s: %w", ErrCorrupt, l.OID.Short(), err)
	}
	return c, nil
}

// Signature is the detached signature of a link's record and the bytes it is
// of; sig is nil when there is none. Whose it is, it does not say.
func (l Link) Signature(ctx context.Context, repo *gitx.Repo) (sig, record []byte, err error) {
	if record, err = l.read(ctx, repo, "record.json"); err != nil {
		return nil, nil, err
	}
	if _, err := repo.Entry(ctx, l.Tree, "record.sig"); errors.Is(err, gitx.ErrNotFound) {
		return nil, record, nil
	}
	sig, err = l.read(ctx, repo, "record.sig")
	return sig, record, err
}

// File is the frozen blob of one path. ErrNotFound when the link froze none.
func (l Link) File(ctx context.Context, repo *gitx.Repo, path string) (gitx.TreeEntry, error) {
	return repo.Entry(ctx, l.Tree, "files/"+path)
}

// Tasks lists the tasks that had a local chain at discovery, sorted.
func Tasks(repo *gitx.Repo) []string {
	var tasks []string
	for _, ref := range repo.Chains {
		if t := taskOf(ref, refRoot); t != "" {
			tasks = append(tasks, t)
		}
	}
	sort.Strings(tasks)
	return tasks
}

// tasksNow asks git again, for decisions that are about to be written.
func tasksNow(ctx context.Context, repo *gitx.Repo) ([]string, error) {
	refs, err := repo.Refs(ctx, refRoot+"*/authority")
	if err != nil {
		return nil, err
	}
	var tasks []string
	for _, r := range refs {
		if t := taskOf(r.Name, refRoot); t != "" {
			tasks = append(tasks, t)
		}
	}
	return tasks, nil
}
