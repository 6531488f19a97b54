package signature

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func key(t *testing.T, name string) (path string, signer []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	public, err := os.ReadFile(path + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	return path, append([]byte(name+"@example.invalid "), public...)
}

func TestOnlyAnAllowedSignerOfTheseBytesCounts(t *testing.T) {
	ctx := context.Background()
	ann, annLine := key(t, "ann")
	_, bobLine := key(t, "bob")
	data := []byte("a record")
	sig, err := Sign(ctx, ann, data)
	if err != nil {
		t.Fatal(err)
	}
	if who, err := Verify(ctx, append(bobLine, annLine...), sig, data); err != nil || who != "ann@example.invalid" {
		t.Errorf("the signer: %q %v", who, err)
	}
	limited := append([]byte(`ann@example.invalid namespaces="file" `), annLine[len("ann@example.invalid "):]...)
	for name, c := range map[string]struct{ allowed, sig, data []byte }{
		"somebody else":     {bobLine, sig, data},
		"other bytes":       {annLine, sig, []byte("another record")},
		"no signature":      {annLine, []byte("x"), data},
		"another namespace": {limited, sig, data},
		"nobody":            {nil, sig, data},
	} {
		if who, err := Verify(ctx, c.allowed, c.sig, c.data); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %q %v", name, who, err)
		}
	}
	if _, err := Sign(ctx, ann+"-gone", data); !errors.Is(err, ErrFailed) {
		t.Errorf("a key that is not there: %v", err)
	}
}
