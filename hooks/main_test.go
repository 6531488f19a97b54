package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

// installIn makes this test binary an installer for one repository, so that
// tests can have several processes and other users.
const installIn = "HOOKS_TEST_INSTALL_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(installIn); dir != "" {
		os.Exit(installOnce(dir, os.Getenv("HOOKS_TEST_BINARY")))
	}
	home, err := os.MkdirTemp("", "hooks-home-")
	if err != nil {
		panic(err)
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); gitx.IsLocalVar(name) {
			os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_CONFIG_GLOBAL": filepath.Join(home, "gitconfig"), "GIT_CEILING_DIRECTORIES": os.TempDir(),
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.invalid",
		"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.invalid",
	} {
		os.Setenv(name, value)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

func installOnce(dir, binary string) int {
	ctx := context.Background()
	repo, err := gitx.Open(ctx, dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	report, err := Install(ctx, repo, InstallOptions{Binary: binary})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	json.NewEncoder(os.Stdout).Encode(report)
	return 0
}

// git runs git and wants it to succeed.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// newRepo is a repository with one commit, in a directory with an odd name.
func newRepo(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(tempDir(t), name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "-b", "main")
	put(t, filepath.Join(dir, "file"), "one\n", 0o644)
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "first")
	return dir
}

func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func put(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// program is a stand-in for git-longtask: it writes down how it was called and
// what it was fed, and refuses while a file "refuse" lies beside its log.
func program(t *testing.T, name string) (binary, log string) {
	t.Helper()
	dir := filepath.Join(tempDir(t), "it's a \"bin\" $HOME")
	binary, log = filepath.Join(dir, name), filepath.Join(dir, "log")
	put(t, binary, "#!/bin/sh\n"+logging("ours", log)+"[ ! -e "+shellQuote(dir+"/refuse")+" ]\n", 0o755)
	return binary, log
}

// logging is shell that writes who was called, with what, where, and its input.
func logging(who, log string) string {
	return "{ printf '%s' " + who + "; printf ' <%s>' \"$@\"; printf ' in %s depth %s\\n' \"$PWD\" \"${LONGTASK_HOOK-none}\"; " +
		"case \"$*\" in *origin*) sed 's/^/  /' ;; esac; } >>" + shellQuote(log) + "\n"
}

func open(t *testing.T, dir string) *gitx.Repo {
	t.Helper()
	repo, err := gitx.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

func install(t *testing.T, dir string, opt InstallOptions) Report {
	t.Helper()
	report, err := Install(context.Background(), open(t, dir), opt)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func uninstall(t *testing.T, dir string) Report {
	t.Helper()
	report, err := Uninstall(context.Background(), open(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func mustInstall(t *testing.T, dir, binary string) Report {
	t.Helper()
	report := install(t, dir, InstallOptions{Binary: binary})
	if report.Status != StatusInstalled || contract.Refuses(report.Findings) {
		t.Fatalf("install: %s", show(report))
	}
	for _, h := range report.Hooks {
		if !h.Proved {
			t.Fatalf("not proved: %s", show(report))
		}
	}
	return report
}

func show(r Report) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	e.Encode(r)
	return b.String()
}

func codes(r Report) string {
	var cs []string
	for _, f := range r.Findings {
		cs = append(cs, f.Code)
	}
	return strings.Join(cs, " ")
}

func states(hs []HookState) string {
	var ss []string
	for _, h := range hs {
		ss = append(ss, string(h.State))
	}
	return strings.Join(ss, " ")
}

func inspected(t *testing.T, dir string) string {
	t.Helper()
	hs, err := Inspect(context.Background(), open(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	return states(hs)
}
