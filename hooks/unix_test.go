//go:build !windows

package hooks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReadOnlyHooksDirectory(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, _ := program(t, "git-longtask")
	sh(t, dir, "chmod 0555 .git/hooks")
	if os.Geteuid() != 0 {
		if r := install(t, dir, InstallOptions{Binary: binary}); r.Status != StatusRefused || !strings.HasPrefix(codes(r), "hooks_dir_not_writable") {
			t.Errorf("install: %s", show(r))
		}
		return
	}
	// root writes everywhere, so somebody else installs
	os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o755)
	sh(t, dir, "chown -R 65534 .")
	r := installAs(t, dir, binary, 65534)
	if r.Status != StatusRefused || !strings.HasPrefix(codes(r), "hooks_dir_not_writable") || states(r.Hooks) != "missing missing missing" {
		t.Errorf("install: %s", show(r))
	}
}

// installAs runs Install in a process of another user, from a copy of this test
// binary that the other user can reach.
func installAs(t *testing.T, dir, binary string, uid uint32) Report {
	t.Helper()
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	reachable, err := os.MkdirTemp("/tmp", "hooks-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(reachable) })
	os.Chmod(reachable, 0o755)
	put(t, reachable+"/installer", string(self), 0o755)
	cmd := installCommandFor(dir, binary)
	cmd.Path = reachable + "/installer"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, cmd.Stderr)
	}
	var r Report
	if err := json.Unmarshal([]byte(cmd.Stdout.(*strings.Builder).String()), &r); err != nil {
		t.Fatal(err)
	}
	return r
}
