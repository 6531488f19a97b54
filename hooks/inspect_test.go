package hooks

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-longtask/git-longtask/contract"
)

func inspectAll(t *testing.T, dir string) []HookState {
	t.Helper()
	hs, err := Inspect(context.Background(), open(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	return hs
}

func TestInspectSeesEveryState(t *testing.T) {
	for want, damage := range map[string]string{
		"missing installed installed":                  "rm pre-commit",
		"foreign installed installed":                  "printf '#!/bin/sh\\n' >pre-commit",
		"not_executable installed installed":           "chmod 644 pre-commit",
		"saved_missing installed installed":            "rm pre-commit.longtask-saved",
		"binary_missing binary_missing binary_missing": "rm \"$BINARY\"",
	} {
		t.Run(want, func(t *testing.T) {
			dir := newRepo(t, "repo")
			binary, _ := program(t, "git-longtask")
			put(t, dir+"/.git/hooks/pre-commit", "#!/bin/sh\n", 0o755)
			mustInstall(t, dir, binary)
			t.Setenv("BINARY", binary)
			sh(t, dir+"/.git/hooks", damage)
			hs := inspectAll(t, dir)
			if states(hs) != want {
				t.Errorf("inspect: %s", states(hs))
			}
			f, ok := hs[0].Finding()
			if !ok || f.Message == "" || f.Path == "" || (f.Level == contract.LevelWarning) != (hs[0].State == Missing) {
				t.Errorf("finding: %+v", f)
			}
		})
	}
}

func TestReinstallRepairs(t *testing.T) {
	for _, damage := range []string{"rm pre-commit", "chmod 644 pre-commit", "rm pre-commit.longtask-saved"} {
		t.Run(damage, func(t *testing.T) {
			dir := newRepo(t, "repo")
			binary, log := program(t, "git-longtask")
			put(t, dir+"/.git/hooks/pre-commit", "#!/bin/sh\n", 0o755)
			mustInstall(t, dir, binary)
			sh(t, dir+"/.git/hooks", damage)
			if r := install(t, dir, InstallOptions{Binary: binary}); r.Status != StatusInstalled {
				t.Errorf("install: %s", show(r))
			}
			if got := inspected(t, dir); got != "installed installed installed" {
				t.Errorf("inspect: %s", got)
			}
			commitRuns(t, dir, log)
		})
	}
}

func TestMissingBinaryFailsClosedAndSaysHowToGoOn(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, _ := program(t, "git-longtask")
	mustInstall(t, dir, binary)
	os.Remove(binary)
	out, err := tryGit(dir, "commit", "-q", "--allow-empty", "-m", "x")
	if err == nil || !strings.Contains(out, binary) || !strings.Contains(out, "git longtask install") || !strings.Contains(out, "rm '"+dir+"/.git/hooks/pre-commit'") {
		t.Errorf("%v: %s", err, out)
	}
	cmd := exec.Command(".git/hooks/pre-push", "origin", "url")
	cmd.Dir = dir
	if cmd.Run(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("pre-push: %v", cmd.ProcessState)
	}
	fallback, log := program(t, "git-longtask")
	t.Setenv("PATH", filepath.Dir(fallback)+string(os.PathListSeparator)+os.Getenv("PATH"))
	commitRuns(t, dir, log)
	if got := inspected(t, dir); got != "installed installed installed" {
		t.Errorf("inspect: %s", got)
	}
}

func TestMessageOfAChainedHookPutsThePreviousOneBack(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, _ := program(t, "git-longtask")
	put(t, dir+"/.git/hooks/pre-commit", "#!/bin/sh\n", 0o755)
	mustInstall(t, dir, binary)
	os.Remove(binary)
	out, err := tryGit(dir, "commit", "-q", "--allow-empty", "-m", "x")
	_, advice, ok := strings.Cut(out, "without checks:")
	if err == nil || !ok {
		t.Fatalf("%v: %s", err, out)
	}
	sh(t, dir, advice)
	if get(t, dir+"/.git/hooks/pre-commit") != "#!/bin/sh\n" {
		t.Error("the advice did not restore the hook")
	}
}
