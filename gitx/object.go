package gitx

import (
	"context"
	"errors"
	"fmt"
)

// ErrMissing is an object that something names and this clone does not have:
// left out of a partial clone, cut off by a shallow one, or lost.
var ErrMissing = errors.New("object is missing here")

// Object is one stored object: Type is "blob", "tree", "commit" or "tag".
type Object struct {
	OID  OID
	Type string
	Data []byte
}

// Info says what a name stands for, without its bytes; size is in bytes.
// Errors: ErrNotFound, and ErrMissing with it when name is a full id. The
// network is never asked. A name with a line break is refused.
func (r *Repo) Info(ctx context.Context, name string) (oid OID, typ string, size int64, err error) {
	a, err := r.look(ctx, "info", name)
	return a.oid, a.kind, a.size, err
}

// Read is Info with the bytes. Errors as Info.
func (r *Repo) Read(ctx context.Context, name string) (Object, error) {
	a, err := r.look(ctx, "contents", name)
	if err != nil {
		return Object{}, err
	}
	return Object{OID: a.oid, Type: a.kind, Data: a.data}, nil
}

// look is ask where no object is an error.
func (r *Repo) look(ctx context.Context, verb, name string) (reply, error) {
	a, err := r.ask(ctx, verb, name)
	if err == nil {
		err = a.found(name)
	} else if errors.Is(err, ErrMissing) && isHex(name) {
		err = fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return a, err
}

func (a reply) found(name string) error {
	switch {
	case a.oid != "":
		return nil
	case a.kind == "ambiguous":
		return fmt.Errorf("%w: %q stands for several objects, give more digits", ErrNotFound, name)
	case a.kind == "submodule":
		return fmt.Errorf("%w: %q is a commit of a submodule", ErrNotFound, name)
	case isHex(name):
		return fmt.Errorf("%w: %w: %s", ErrNotFound, ErrMissing, name)
	}
	return fmt.Errorf("%w: %q names no object here", ErrNotFound, name)
}

// Resolve is the commit a revision stands for, through tags. Any text is safe
// to give, also one that starts with a dash. Errors: ErrNotFound.
func (r *Repo) Resolve(ctx context.Context, rev string) (OID, error) {
	oid, typ, _, err := r.Info(ctx, rev)
	if err != nil || typ == "commit" {
		return oid, err
	}
	a, err := r.ask(ctx, "info", string(oid)+"^{commit}")
	if err != nil {
		return "", err
	}
	if a.oid == "" {
		return "", fmt.Errorf("%w: %q is a %s and leads to no commit", ErrNotFound, rev, typ)
	}
	return a.oid, nil
}

// Commit reads the commit a revision stands for. Errors: ErrNotFound.
func (r *Repo) Commit(ctx context.Context, name string) (Commit, error) {
	oid, err := r.Resolve(ctx, name)
	if err != nil {
		return Commit{}, err
	}
	obj, err := r.Read(ctx, string(oid))
	if err != nil {
		return Commit{}, err
	}
	c, err := decodeCommit(obj.Data)
	if err != nil {
		return Commit{}, fmt.Errorf("commit %s: %w", oid, err)
	}
	c.OID = oid
	return c, nil
}
