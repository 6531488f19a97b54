package hooks

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-longtask/git-longtask/contract"
)

func TestEditedHookIsLeftAloneUnlessForced(t *testing.T) {
	for name, edit := range map[string]string{
		"line added": "printf '\\n: mine\\n' >>.git/hooks/pre-commit",
		"crlf":       `sed -i.bak "s/\$/$(printf '\r')/" .git/hooks/pre-commit && rm .git/hooks/pre-commit.bak`,
		"other sh":   "sed -i.bak '1s/sh/bash/' .git/hooks/pre-commit && rm .git/hooks/pre-commit.bak",
	} {
		t.Run(name, func(t *testing.T) {
			dir := newRepo(t, "repo")
			binary, log := program(t, "git-longtask")
			at := dir + "/.git/hooks/pre-commit"
			put(t, at, "#!/bin/sh\n"+logging("theirs", log), 0o755)
			mustInstall(t, dir, binary)
			sh(t, dir, edit)
			mine := get(t, at)
			r := install(t, dir, InstallOptions{Binary: binary})
			if r.Status != StatusPartlyInstalled || codes(r) != "hook_edited" || get(t, at) != mine {
				t.Fatalf("install: %s", show(r))
			}
			if got := inspected(t, dir); got != "edited installed installed" {
				t.Errorf("inspect: %s", got)
			}
			if r = uninstall(t, dir); r.Status != StatusPartlyUninstalled || codes(r) != "hook_edited" || get(t, at) != mine {
				t.Fatalf("uninstall: %s", show(r))
			}
			if r = install(t, dir, InstallOptions{Binary: binary, Force: true}); r.Status != StatusInstalled || get(t, at+editedSuffix) != mine {
				t.Fatalf("forced: %s", show(r))
			}
			git(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
			if got := get(t, log); strings.Count(got, "theirs") != 1 {
				t.Errorf("the hook before ours was lost: %q", got)
			}
			sh(t, dir, "echo ': again' >>.git/hooks/pre-commit")
			if r = install(t, dir, InstallOptions{Binary: binary, Force: true}); codes(r) != "hook_backup_exists" {
				t.Errorf("a second edited hook would overwrite the first: %s", show(r))
			}
		})
	}
}

func TestHookThatMentionsUsIsNotOurs(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, _ := program(t, "git-longtask")
	text := "#!/bin/sh\n# wraps git-longtask hook v1, see git longtask hook pre-commit\nexit 0\n"
	put(t, dir+"/.git/hooks/pre-commit", text, 0o700)
	mustInstall(t, dir, binary)
	uninstall(t, dir)
	info, err := os.Stat(dir + "/.git/hooks/pre-commit")
	if err != nil || get(t, dir+"/.git/hooks/pre-commit") != text || info.Mode().Perm() != 0o700 {
		t.Errorf("not as it was: %v %v", info, err)
	}
}

func TestHookThatCallsUsIsLeftAsItIs(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, _ := program(t, "git-longtask")
	text := "#!/bin/sh\n" + callLine("pre-commit") + "\nexit 0\n"
	put(t, dir+"/.git/hooks/pre-commit", text, 0o755)
	r := install(t, dir, InstallOptions{Binary: binary})
	if r.Status != StatusInstalled || states(r.Hooks) != "managed installed installed" || get(t, dir+"/.git/hooks/pre-commit") != text {
		t.Errorf("install: %s", show(r))
	}
	if r = uninstall(t, dir); r.Status != StatusUninstalled || codes(r) != "hook_call_stays" {
		t.Errorf("uninstall: %s", show(r))
	}
}

func TestBackupIsNeverOverwritten(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, _ := program(t, "git-longtask")
	at := dir + "/.git/hooks/pre-push"
	put(t, at, "#!/bin/sh\n: new\n", 0o755)
	put(t, at+savedSuffix, "#!/bin/sh\n: old\n", 0o755)
	r := install(t, dir, InstallOptions{Binary: binary, Force: true})
	if r.Status != StatusPartlyInstalled || codes(r) != "hook_backup_exists" || !strings.Contains(r.Findings[0].Message, at+savedSuffix) {
		t.Errorf("install: %s", show(r))
	}
	if get(t, at) != "#!/bin/sh\n: new\n" || get(t, at+savedSuffix) != "#!/bin/sh\n: old\n" {
		t.Error("a file changed")
	}
	if r = uninstall(t, dir); codes(r) != "hook_backup_exists" || contract.Refuses(r.Findings) {
		t.Errorf("uninstall: %s", show(r))
	}
}

func TestInstallGoesOnAfterACrash(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, log := program(t, "git-longtask")
	at := dir + "/.git/hooks/pre-commit"
	for name, crash := range map[string]func(){
		"kept, not written":       func() { os.Link(at, at+savedSuffix) },
		"moved away, not written": func() { os.Rename(at, at+savedSuffix) },
	} {
		t.Run(name, func(t *testing.T) {
			text := "#!/bin/sh\n" + logging("theirs", log)
			put(t, at, text, 0o755)
			crash()
			mustInstall(t, dir, binary)
			os.Remove(log)
			git(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
			if got := get(t, log); strings.Count(got, "theirs") != 1 {
				t.Errorf("log: %q", got)
			}
			uninstall(t, dir)
			if get(t, at) != text || strings.Contains(entries(t, dir+"/.git/hooks"), "longtask") {
				t.Errorf("left: %s", entries(t, dir+"/.git/hooks"))
			}
		})
	}
}

func TestUpgradeReplacesAnOlderHookInPlace(t *testing.T) {
	dir := newRepo(t, "repo")
	old, _ := program(t, "git-longtask")
	put(t, dir+"/.git/hooks/pre-commit", "#!/bin/sh\n", 0o755)
	mustInstall(t, dir, old)
	binary, _ := program(t, "git-longtask")
	mustInstall(t, dir, binary)
	hs := inspectAll(t, dir)
	if hs[0].Binary != binary || hs[0].Previous == "" || states(hs) != "installed installed installed" {
		t.Errorf("after upgrade: %+v", hs)
	}
	uninstall(t, dir)
	if got := entries(t, dir+"/.git/hooks"); got != "pre-commit" || get(t, dir+"/.git/hooks/pre-commit") != "#!/bin/sh\n" {
		t.Errorf("left: %s", got)
	}
}

func TestTrackedHooksAreRefusedUnlessForced(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, log := program(t, "git-longtask")
	put(t, dir+"/.hk/pre-commit", "#!/bin/sh\n"+logging("theirs", log), 0o755)
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "hooks")
	os.RemoveAll(dir + "/.git/hooks")
	if err := os.Symlink("../.hk", dir+"/.git/hooks"); err != nil {
		t.Fatal(err)
	}
	r := install(t, dir, InstallOptions{Binary: binary})
	if r.Status != StatusPartlyInstalled || !strings.HasPrefix(codes(r), "hooks_path_tracked") ||
		r.Findings[0].Path != ".hk/pre-commit" || !strings.Contains(r.Findings[0].Message, callLine("pre-commit")) {
		t.Fatalf("install: %s", show(r))
	}
	if out := git(t, dir, "diff", "--name-only"); out != "" {
		t.Errorf("tracked files changed: %s", out)
	}
	if r = install(t, dir, InstallOptions{Binary: binary, Force: true}); r.Status != StatusInstalled {
		t.Fatalf("forced: %s", show(r))
	}
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
	if got := get(t, log); !strings.Contains(got, "theirs") || !strings.Contains(got, "ours") {
		t.Errorf("log: %q", got)
	}
	uninstall(t, dir)
	if out := git(t, dir, "status", "--porcelain"); out != "" {
		t.Errorf("not as it was: %s", out)
	}
}

func TestSixteenInstallsAtOnce(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, log := program(t, "git-longtask")
	text := "#!/bin/sh\n" + logging("theirs", log)
	put(t, dir+"/.git/hooks/pre-commit", text, 0o755)
	var cmds []*exec.Cmd
	for range 16 {
		cmds = append(cmds, installCommandFor(dir, binary))
	}
	for _, c := range cmds {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range cmds {
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %s", err, c.Stderr)
		}
		var r Report
		if err := json.Unmarshal([]byte(c.Stdout.(*strings.Builder).String()), &r); err != nil || len(r.Findings) > 0 || states(r.Hooks) != "installed installed installed" {
			t.Errorf("%v %s", err, show(r))
		}
	}
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
	if got := get(t, log); strings.Count(got, "theirs") != 1 || strings.Count(got, "ours") != 1 {
		t.Errorf("log: %q", got)
	}
	uninstall(t, dir)
	if got := entries(t, dir+"/.git/hooks"); got != "pre-commit" || get(t, dir+"/.git/hooks/pre-commit") != text {
		t.Errorf("left: %s", got)
	}
}

func installCommandFor(dir, binary string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), installIn+"="+dir, "HOOKS_TEST_BINARY="+binary)
	cmd.Stdout, cmd.Stderr = &strings.Builder{}, &strings.Builder{}
	return cmd
}

func TestHookThatDoesNotAnswerIsNotProved(t *testing.T) {
	dir := newRepo(t, "repo")
	r := install(t, dir, InstallOptions{Binary: filepath.Join(tempDir(t), "gone")})
	if r.Status != StatusNotProved || codes(r) != "hook_not_proved hook_not_proved hook_not_proved" || r.Hooks[0].Proved {
		t.Errorf("install: %s", show(r))
	}
}
