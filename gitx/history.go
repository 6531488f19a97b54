package gitx

import (
	"context"
	"fmt"
	"strings"
)

// MergeBase is a best common ancestor of two commits. Errors: ErrNotFound
// when there is none, or when a shallow clone cut it off.
func (r *Repo) MergeBase(ctx context.Context, a, b OID) (OID, error) {
	if err := fullIDs(a, b); err != nil {
		return "", err
	}
	out, err := r.here.run(ctx, nil, "merge-base", string(a), string(b))
	if code, ok := exitCode(err); ok && code == 1 {
		return "", fmt.Errorf("%w: a common ancestor of %s and %s", ErrNotFound, a.Short(), b.Short())
	}
	if err != nil {
		return "", err
	}
	return OID(strings.TrimSuffix(string(out), "\n")), nil
}

// IsAncestor tells whether b can reach a; a commit reaches itself.
func (r *Repo) IsAncestor(ctx context.Context, a, b OID) (bool, error) {
	if err := fullIDs(a, b); err != nil {
		return false, err
	}
	_, err := r.here.run(ctx, nil, "merge-base", "--is-ancestor", string(a), string(b))
	if code, ok := exitCode(err); ok && code == 1 {
		return false, nil
	}
	return err == nil, err
}

// RevList is `git rev-list` with these arguments, which must leave its output
// at one id a line. User input among them needs --end-of-options before it.
func (r *Repo) RevList(ctx context.Context, args ...string) ([]OID, error) {
	out, err := r.here.run(ctx, nil, append([]string{"rev-list"}, args...)...)
	if err != nil {
		return nil, err
	}
	var list []OID
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		if !isHex(line) {
			return nil, fmt.Errorf("unexpected rev-list line %q", line)
		}
		list = append(list, OID(line))
	}
	return list, nil
}

func fullIDs(ids ...OID) error {
	for _, id := range ids {
		if !isHex(string(id)) {
			return fmt.Errorf("%q is not a full object id", id)
		}
	}
	return nil
}
