package gitx

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// network is the place of children that talk to another repository, which in a
// partial clone may need objects from there on the way.
func (r *Repo) network() place { return r.here.with("GIT_NO_LAZY_FETCH=0") }

// LsRemote lists the refs of a remote (a name or a URL): those named in full,
// and those that match a pattern with one "*"; all when there is no pattern.
func (r *Repo) LsRemote(ctx context.Context, remote string, patterns ...string) ([]Ref, error) {
	out, err := r.network().run(ctx, nil, append([]string{"ls-remote", "-q", "--", remote}, patterns...)...)
	if err != nil {
		return nil, fmt.Errorf("refs of %s: %w", remote, err)
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		oid, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || !isHex(oid) {
			return nil, fmt.Errorf("refs of %s: unexpected line %q", remote, line)
		}
		if !strings.HasSuffix(name, "^{}") && matchesRef(name, patterns) {
			refs = append(refs, Ref{Name: name, OID: OID(oid)})
		}
	}
	return refs, nil
}

// matchesRef is exact where git's own patterns match the end of a name.
func matchesRef(name string, patterns []string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		before, after, star := strings.Cut(p, "*")
		if !star {
			return name == p
		}
		return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
	})
}

// FetchRefs fetches exactly these refspecs: no tags, no FETCH_HEAD, no pruning,
// no other tracking refs. Sources are full ref names, patterns or object ids;
// a refspec whose source the remote does not have is passed over.
func (r *Repo) FetchRefs(ctx context.Context, remote string, refspecs []string) error {
	wanted, err := r.present(ctx, remote, refspecs)
	if err != nil || len(wanted) == 0 {
		return err
	}
	args := []string{"fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-prune",
		"--no-prune-tags", "--no-recurse-submodules", "--no-write-commit-graph", "--no-filter", "--refmap=", "--", remote}
	if _, err := r.network().run(ctx, nil, append(args, wanted...)...); err != nil {
		return fmt.Errorf("fetch from %s: %w", remote, err)
	}
	return nil
}

// present keeps the refspecs whose source exists on the remote. A source given
// as object id or pattern is kept: git needs no ref of that name.
func (r *Repo) present(ctx context.Context, remote string, refspecs []string) ([]string, error) {
	source := func(spec string) string {
		src, _, _ := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
		return src
	}
	var names []string
	for _, spec := range refspecs {
		if src := source(spec); !strings.Contains(src, "*") && !isHex(src) {
			names = append(names, src)
		}
	}
	if len(names) == 0 {
		return refspecs, nil
	}
	refs, err := r.LsRemote(ctx, remote, names...)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(refspecs), func(spec string) bool {
		src := source(spec)
		return slices.Contains(names, src) && !slices.ContainsFunc(refs, func(ref Ref) bool { return ref.Name == src })
	}), nil
}

// PushRefs moves all refs of the remote or none. Old of an update is the value
// the remote must still have, zero when it must not have the ref; New zero
// deletes. No hook of this repository runs. Errors: ErrStale names the refs
// that are elsewhere by now.
func (r *Repo) PushRefs(ctx context.Context, remote string, updates []RefUpdate) error {
	if len(updates) == 0 {
		return nil
	}
	args := []string{"push", "-q", "--no-verify", "--atomic", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"}
	var refspecs []string
	for _, u := range updates {
		lease, spec := "--force-with-lease="+u.Name+":", ":"+u.Name
		if !u.Old.IsZero() {
			lease += string(u.Old)
		}
		if !u.New.IsZero() {
			spec = string(u.New) + spec
		}
		args, refspecs = append(args, lease), append(refspecs, spec)
	}
	_, err := r.network().run(ctx, nil, append(append(args, "--", remote), refspecs...)...)
	if _, refused := exitCode(err); !refused {
		return err
	}
	return r.explainPush(ctx, remote, updates, err)
}

// explainPush tells a remote that moved from any other refusal by looking at
// its refs.
func (r *Repo) explainPush(ctx context.Context, remote string, updates []RefUpdate, refusal error) error {
	names := make([]string, len(updates))
	for i, u := range updates {
		names[i] = u.Name
	}
	refs, err := r.LsRemote(ctx, remote, names...)
	if err != nil {
		return fmt.Errorf("push to %s: %w", remote, refusal)
	}
	there := make(map[string]OID, len(refs))
	for _, ref := range refs {
		there[ref.Name] = ref.OID
	}
	var moved []string
	for _, u := range updates {
		if at := there[u.Name]; at != u.Old && !(at.IsZero() && u.Old.IsZero()) {
			moved = append(moved, u.Name)
		}
	}
	if len(moved) == 0 {
		return fmt.Errorf("push to %s: %w", remote, refusal)
	}
	return fmt.Errorf("push to %s: %w: %s", remote, ErrStale, strings.Join(moved, ", "))
}
