// Package signature makes and checks SSH signatures with ssh-keygen, in the
// namespace git-longtask, so that keys on a token or in an agent work as they
// do for git. It knows no authority: bytes in, a principal out. A signature
// proves that a key was used, and only a key that needs a touch proves that
// somebody was there.
package signature

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const namespace = "git-longtask"

// Errors of Sign and Verify. ErrUnknown: the signature is not of these bytes
// or not by one of the signers.
var (
	ErrMissing = errors.New("ssh_keygen_missing")
	ErrFailed  = errors.New("signing_failed")
	ErrUnknown = errors.New("signer_unknown")
)

// Sign signs data. The key is the path of a private or public key file, or a
// public key itself, whose private half an agent holds.
func Sign(ctx context.Context, key string, data []byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "longtask-sign")
	if err != nil {
		return nil, fmt.Errorf("signature: %w", err)
	}
	defer os.RemoveAll(dir)
	key = strings.TrimPrefix(key, "key::")
	if strings.HasPrefix(key, "ssh-") || strings.HasPrefix(key, "sk-") || strings.HasPrefix(key, "ecdsa-") {
		file := filepath.Join(dir, "key.pub")
		if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
			return nil, fmt.Errorf("signature: %w", err)
		}
		key = file
	}
	sig, said, err := keygen(ctx, data, "-Y", "sign", "-n", namespace, "-f", key)
	if err != nil && !errors.Is(err, ErrMissing) {
		err = fmt.Errorf("%w: ssh-keygen says: %s", ErrFailed, said)
	}
	return sig, err
}

// Verify tells which of the signers signed data. allowed is in the format of
// ssh-keygen's allowed signers file.
func Verify(ctx context.Context, allowed, sig, data []byte) (principal string, err error) {
	dir, err := os.MkdirTemp("", "longtask-verify")
	if err != nil {
		return "", fmt.Errorf("signature: %w", err)
	}
	defer os.RemoveAll(dir)
	signers, sigFile := filepath.Join(dir, "signers"), filepath.Join(dir, "sig")
	for path, content := range map[string][]byte{signers: allowed, sigFile: sig} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return "", fmt.Errorf("signature: %w", err)
		}
	}
	found, _, err := keygen(ctx, data, "-Y", "find-principals", "-s", sigFile, "-f", signers)
	if errors.Is(err, ErrMissing) {
		return "", err
	}
	for name := range strings.Lines(string(found)) {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if _, _, err := keygen(ctx, data, "-Y", "verify", "-n", namespace, "-I", name, "-s", sigFile, "-f", signers); err == nil {
			return name, nil
		}
	}
	return "", ErrUnknown
}

// keygen runs ssh-keygen. It may ask for a passphrase or a touch on the
// terminal; what is signed comes on its standard input.
func keygen(ctx context.Context, in []byte, args ...string) (out []byte, said string, err error) {
	program, err := exec.LookPath("ssh-keygen")
	if err != nil {
		return nil, "", ErrMissing
	}
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &stdout, &stderr
	err = cmd.Run()
	return stdout.Bytes(), strings.Join(strings.Fields(stderr.String()), " "), err
}
