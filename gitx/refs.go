package gitx

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Ref is a ref and the object it points at, not peeled.
type Ref struct {
	Name string
	OID  OID
}

// Refs lists refs in order of name. A pattern is a full name, a directory of
// names, or a glob; none means all.
func (r *Repo) Refs(ctx context.Context, patterns ...string) ([]Ref, error) {
	args := append([]string{"for-each-ref", "--format=%(objectname) %(refname)", "--"}, patterns...)
	out, err := r.here.run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		oid, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || !isHex(oid) {
			return nil, fmt.Errorf("unexpected for-each-ref line %q", line)
		}
		refs = append(refs, Ref{Name: name, OID: OID(oid)})
	}
	return refs, nil
}

// Ref is what a ref of exactly this full name points at. Errors: ErrNotFound,
// with a zero id; a ref whose object is lost is also not found.
func (r *Repo) Ref(ctx context.Context, name string) (OID, error) {
	if !validRef(name) {
		return "", fmt.Errorf("%q is not the full name of a ref", name)
	}
	a, err := r.ask(ctx, "info", name)
	if err != nil {
		return "", err
	}
	if a.oid == "" {
		return "", fmt.Errorf("%w: ref %s", ErrNotFound, name)
	}
	shadowed, err := r.shadowed(ctx, name)
	if err != nil || !shadowed {
		return a.oid, err
	}
	return r.exactRef(ctx, name)
}

// shadowed tells whether the answer for name may have come from elsewhere: git
// falls back to refs/heads/<name> and the like, which anybody can push, and to
// reading "-g<digits>" at the end as a short id.
func (r *Repo) shadowed(ctx context.Context, name string) (bool, error) {
	if strings.HasSuffix(strings.TrimRight(name, "0123456789abcdefABCDEF"), "-g") {
		return true, nil
	}
	for _, other := range []string{"refs/" + name, "refs/tags/" + name, "refs/heads/" + name, "refs/remotes/" + name, "refs/remotes/" + name + "/HEAD"} {
		a, err := r.ask(ctx, "info", other)
		if err != nil || a.oid != "" {
			return true, err
		}
	}
	return false, nil
}

func (r *Repo) exactRef(ctx context.Context, name string) (OID, error) {
	out, err := r.here.run(ctx, nil, "show-ref", "--verify", "-s", "--", name)
	if _, refused := exitCode(err); refused {
		return "", fmt.Errorf("%w: ref %s", ErrNotFound, name)
	}
	return OID(strings.TrimSuffix(string(out), "\n")), err
}

// RemoteHead is the remote-tracking ref of a remote's default branch, such as
// "refs/remotes/origin/main". Errors: ErrNotFound when git was not told.
func (r *Repo) RemoteHead(ctx context.Context, remote string) (string, error) {
	head := "refs/remotes/" + remote + "/HEAD"
	if !validRef(head) {
		return "", fmt.Errorf("%q cannot be the name of a remote", remote)
	}
	out, err := r.here.run(ctx, nil, "symbolic-ref", "-q", head)
	var failed *GitError
	if errors.As(err, &failed) && failed.Code == 1 {
		return "", fmt.Errorf("%w: %s (set it with: git remote set-head %s --auto)", ErrNotFound, head, remote)
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

// validRef is git's rule for full ref names. It also keeps revision syntax
// and line breaks out of what we send to git as a name.
func validRef(name string) bool {
	if !strings.HasPrefix(name, "refs/") {
		return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c == 0x7f || strings.IndexByte("~^:?*[\\", c) >= 0 {
			return false
		}
	}
	if strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.HasSuffix(name, ".") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}
