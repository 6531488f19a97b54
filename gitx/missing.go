package gitx

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// maxFetches bounds how often trees are fetched only to find others missing
// below them.
const maxFetches = 64

// FetchMissing fetches what a partial clone lacks of the tree of a commit from
// the remote that promised it. Errors: ErrNotFound and ErrMissing when there
// is no such remote or none of them has it.
func (r *Repo) FetchMissing(ctx context.Context, commit OID) error {
	var last string
	for range maxFetches {
		lacking, err := r.lacking(ctx, commit)
		if err != nil || len(lacking) == 0 {
			return err
		}
		if lacking[0] == last {
			return fmt.Errorf("%d objects of %s, among them %s: %w: %w; no promisor remote has them", len(lacking), commit.Short(), last, ErrNotFound, ErrMissing)
		}
		last = lacking[0]
		if err := r.fetchPromised(ctx, commit, lacking); err != nil {
			return err
		}
	}
	return fmt.Errorf("tree of %s: %w: objects are still missing after %d fetches", commit.Short(), ErrMissing, maxFetches)
}

// lacking lists the objects of a tree that are not here. Below a missing tree
// nothing can be seen.
func (r *Repo) lacking(ctx context.Context, commit OID) ([]string, error) {
	out, err := r.here.run(ctx, nil, "rev-list", "--objects", "--no-object-names", "--missing=print", "--no-walk", string(commit), "--")
	if err != nil {
		return nil, fmt.Errorf("objects of %s: %w", commit.Short(), err)
	}
	var ids []string
	for line := range strings.Lines(string(out)) {
		if id, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "?"); ok {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// asMissing makes an error about a commit one that says ErrMissing where that
// is the reason: in a partial clone git ends without a word a program can read.
func (r *Repo) asMissing(ctx context.Context, commit OID, err error) error {
	if errors.Is(err, ErrMissing) {
		return err
	}
	lacking, failed := r.lacking(ctx, commit)
	if failed != nil || len(lacking) == 0 {
		return err
	}
	return fmt.Errorf("%w: %d objects, among them %s", ErrMissing, len(lacking), lacking[0])
}

// fetchPromised asks the promisor remotes one after the other, the way git
// itself asks for a promised object.
func (r *Repo) fetchPromised(ctx context.Context, commit OID, ids []string) error {
	config, err := r.Config(ctx)
	if err != nil {
		return err
	}
	err = fmt.Errorf("%d objects of %s: %w: %w, and no remote is configured as promisor", len(ids), commit.Short(), ErrNotFound, ErrMissing)
	for _, remote := range config.Remotes() {
		if !config.Bool("remote." + remote + ".promisor") {
			continue
		}
		_, failed := r.network().run(ctx, strings.NewReader(strings.Join(ids, "\n")+"\n"), "-c", "fetch.negotiationAlgorithm=noop",
			"fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules", "--filter=blob:none", "--stdin", "--", remote)
		if failed == nil {
			return nil
		}
		err = fmt.Errorf("missing objects of %s from %s: %w", commit.Short(), remote, failed)
	}
	return err
}
