package gate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gate/signature"
	"github.com/git-longtask/git-longtask/gitx"
)

// SignersPath is where a project names who may sign, unless
// longtask.allowedSigners names another file.
const SignersPath = ".longtask/allowed_signers"

// Reasons why a record cannot be signed.
var (
	ErrNoKey     = errors.New("signing_key_missing")
	ErrNoSigners = errors.New("signers_missing")
)

// signing signs records with this user's key. A signature that does not count
// is none: it must be by one of those the base of the task names.
func signing(ctx context.Context, repo *gitx.Repo, cfg *gitx.Config) (authority.Sign, error) {
	key, ok := cfg.Get("longtask.signingKey")
	if format, _ := cfg.Get("gpg.format"); !ok && format == "ssh" {
		key, ok = cfg.Get("user.signingKey")
	}
	if !ok || key == "" {
		return nil, ErrNoKey
	}
	if rest, inHome := strings.CutPrefix(key, "~/"); inHome {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("signing key %s: %w", key, err)
		}
		key = filepath.Join(home, rest)
	}
	return func(rec authority.Record, record []byte) ([]byte, error) {
		allowed, err := signers(ctx, repo, cfg, rec.BaseTree)
		if err != nil {
			return nil, err
		}
		sig, err := signature.Sign(ctx, key, record)
		if err == nil {
			_, err = signature.Verify(ctx, allowed, sig, record)
		}
		return sig, err
	}, nil
}

// signers is the file of allowed signers: the configured one, or the tracked
// one of a tree.
func signers(ctx context.Context, repo *gitx.Repo, cfg *gitx.Config, tree gitx.OID) ([]byte, error) {
	if path, ok := cfg.Get("longtask.allowedSigners"); ok {
		if !filepath.IsAbs(path) {
			path = filepath.Join(repo.Top, path)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%w: longtask.allowedSigners: %w", ErrNoSigners, err)
		}
		return data, nil
	}
	data, err := SignersOf(ctx, repo, tree)
	if err == nil && data == nil {
		err = ErrNoSigners
	}
	return data, err
}

// SignersOf is the tracked file of allowed signers of a tree, nil for none.
func SignersOf(ctx context.Context, repo *gitx.Repo, tree gitx.OID) ([]byte, error) {
	e, err := repo.Entry(ctx, tree, SignersPath)
	if errors.Is(err, gitx.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", SignersPath, err)
	}
	o, err := repo.Read(ctx, string(e.OID))
	return append([]byte{}, o.Data...), err
}

// SignedBy is the signer of a link among those allowed, "" when it is unsigned
// or signed by nobody of them. What the record says of itself does not count.
func SignedBy(ctx context.Context, repo *gitx.Repo, l authority.Link, allowed []byte) (string, error) {
	if len(allowed) == 0 {
		return "", nil
	}
	sig, record, err := l.Signature(ctx, repo)
	if err != nil || sig == nil {
		return "", err
	}
	who, err := signature.Verify(ctx, allowed, sig, record)
	if errors.Is(err, signature.ErrUnknown) {
		return "", nil
	}
	return who, err
}

// signedLocally is SignedBy with the signers this clone knows; without any,
// nobody signed.
func (t *Task) signedLocally(ctx context.Context, l authority.Link) (string, error) {
	cfg, err := t.Repo.Config(ctx)
	if err != nil {
		return "", err
	}
	allowed, err := signers(ctx, t.Repo, cfg, l.Record.BaseTree)
	if errors.Is(err, ErrNoSigners) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return SignedBy(ctx, t.Repo, l, allowed)
}

// At is the task as an earlier revision of it had it.
func (t *Task) At(ctx context.Context, l authority.Link) (*Task, error) {
	then := *t
	then.Link = l
	var err error
	if then.Compiled, err = l.Compiled(ctx, t.Repo); err != nil {
		return nil, fmt.Errorf("authority of task %s: %w", t.ID(), err)
	}
	return &then, nil
}
