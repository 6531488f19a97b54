package authority

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/git-longtask/git-longtask/gitx"
)

// Snapshot is a tree that was judged without being a commit of the branch.
type Snapshot struct {
	Tree   gitx.OID
	Parent gitx.OID // HEAD at that time
}

// keptAttempts is how many snapshots of a task stay alive.
const keptAttempts = 20

// attemptUpdates keeps a snapshot commit under refs/longtask/<task>/attempts/
// and lets go of the oldest ones.
func attemptUpdates(ctx context.Context, repo *gitx.Repo, o *gitx.Objects, w stamp, task string, s Snapshot) ([]gitx.RefUpdate, error) {
	prefix := refRoot + task + "/attempts/"
	refs, err := repo.Refs(ctx, prefix+"*")
	if err != nil {
		return nil, err
	}
	number := func(r gitx.Ref) int {
		n, _ := strconv.Atoi(strings.TrimPrefix(r.Name, prefix))
		return n
	}
	sort.Slice(refs, func(i, j int) bool { return number(refs[i]) < number(refs[j]) })
	next := 1
	if len(refs) > 0 {
		next = number(refs[len(refs)-1]) + 1
	}
	commit := o.Commit(gitx.CommitSpec{Tree: s.Tree, Parents: []gitx.OID{s.Parent}, When: w.now,
		Message: fmt.Sprintf("longtask: snapshot %d of %s\n", next, task)})
	updates := []gitx.RefUpdate{{Name: prefix + strconv.Itoa(next), New: commit}}
	for len(refs) >= keptAttempts {
		updates = append(updates, gitx.RefUpdate{Name: refs[0].Name, New: repo.Zero(), Old: refs[0].OID})
		refs = refs[1:]
	}
	return updates, nil
}
