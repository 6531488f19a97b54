package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// commitRuns wants a commit in dir to call our program.
func commitRuns(t *testing.T, dir, log string) {
	t.Helper()
	os.Remove(log)
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
	if !strings.HasPrefix(get(t, log), "ours <hook> <pre-commit> in ") {
		t.Fatalf("log: %q", get(t, log))
	}
}

func TestInstallInEveryLayout(t *testing.T) {
	layouts := map[string]func(t *testing.T) (dir, hooksDir string){
		"plain": func(t *testing.T) (string, string) {
			dir := newRepo(t, "plain")
			return dir, dir + "/.git/hooks"
		},
		"odd name": func(t *testing.T) (string, string) {
			dir := newRepo(t, `it's "a" repo; $HOME & ü`)
			return dir, dir + "/.git/hooks"
		},
		"no hooks directory": func(t *testing.T) (string, string) {
			dir := newRepo(t, "bare-template")
			os.RemoveAll(dir + "/.git/hooks")
			return dir, dir + "/.git/hooks"
		},
		"sub-directory": func(t *testing.T) (string, string) {
			dir := newRepo(t, "plain")
			put(t, dir+"/a/b/file", "x", 0o644)
			return dir + "/a/b", dir + "/.git/hooks"
		},
		"linked worktree": func(t *testing.T) (string, string) {
			dir := newRepo(t, "main tree")
			git(t, dir, "worktree", "add", "-q", "../linked")
			return filepath.Dir(dir) + "/linked", dir + "/.git/hooks"
		},
		"separate git directory": func(t *testing.T) (string, string) {
			dir := tempDir(t)
			git(t, dir, "init", "-q", "--separate-git-dir", dir+"/elsewhere", dir+"/tree")
			return dir + "/tree", dir + "/elsewhere/hooks"
		},
		"submodule": func(t *testing.T) (string, string) {
			inner, outer := newRepo(t, "inner"), newRepo(t, "outer")
			git(t, outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub")
			return outer + "/sub", outer + "/.git/modules/sub/hooks"
		},
		"absolute hooksPath": func(t *testing.T) (string, string) {
			dir := newRepo(t, "repo")
			git(t, dir, "config", "core.hooksPath", dir+"/.git/other hooks")
			return dir, dir + "/.git/other hooks"
		},
		"relative hooksPath": func(t *testing.T) (string, string) {
			dir := newRepo(t, "repo")
			git(t, dir, "config", "core.hooksPath", ".hk")
			return dir, dir + "/.hk"
		},
		"hooksPath of one worktree": func(t *testing.T) (string, string) {
			dir := newRepo(t, "repo")
			git(t, dir, "config", "extensions.worktreeConfig", "true")
			git(t, dir, "worktree", "add", "-q", "../linked")
			linked := filepath.Dir(dir) + "/linked"
			git(t, linked, "config", "--worktree", "core.hooksPath", dir+"/.git/linked-hooks")
			return linked, dir + "/.git/linked-hooks"
		},
	}
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			dir, hooksDir := layout(t)
			binary, log := program(t, "git-longtask")
			report := mustInstall(t, dir, binary)
			if report.Dir != hooksDir {
				t.Errorf("installed in %s, want %s", report.Dir, hooksDir)
			}
			commitRuns(t, dir, log)
			before := get(t, hooksDir+"/pre-commit")
			if again := install(t, dir, InstallOptions{Binary: binary}); again.Status != StatusAlreadyInstalled || before != get(t, hooksDir+"/pre-commit") {
				t.Errorf("second install: %s", show(again))
			}
			if got := inspected(t, dir); got != "installed installed installed" {
				t.Errorf("inspect: %s", got)
			}
			if r := uninstall(t, dir); r.Status != StatusUninstalled || inspected(t, dir) != "missing missing missing" {
				t.Errorf("uninstall: %s", show(r))
			}
			if r := uninstall(t, dir); r.Status != StatusNotInstalled {
				t.Errorf("second uninstall: %s", show(r))
			}
		})
	}
}

func TestRelativeHooksPathWarnsOfUntrackedFilesPerWorktree(t *testing.T) {
	dir := newRepo(t, "repo")
	git(t, dir, "config", "core.hooksPath", ".hk")
	binary, _ := program(t, "git-longtask")
	report := mustInstall(t, dir, binary)
	if codes(report) != "hooks_path_per_worktree hooks_untracked" {
		t.Fatalf("findings: %s", show(report))
	}
	sh(t, dir, report.Findings[1].Next)
	if out := git(t, dir, "status", "--porcelain"); out != "" {
		t.Errorf("still untracked after the advice: %s", out)
	}
}

func TestHooksPathOutsideTheRepositoryIsRefused(t *testing.T) {
	for _, how := range []string{"global", "include", "command"} {
		t.Run(how, func(t *testing.T) {
			dir, shared := newRepo(t, "repo"), tempDir(t)
			put(t, shared+"/pre-commit", "#!/bin/sh\n", 0o755)
			config := filepath.Join(tempDir(t), "gitconfig")
			t.Setenv("GIT_CONFIG_GLOBAL", config)
			switch how {
			case "global":
				git(t, dir, "config", "--global", "core.hooksPath", shared)
			case "include":
				put(t, config+".inc", "[core]\n\thooksPath = "+shared+"\n", 0o644)
				put(t, config, "[include]\n\tpath = "+config+".inc\n", 0o644)
			case "command":
				t.Setenv("GIT_CONFIG_COUNT", "1")
				t.Setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
				t.Setenv("GIT_CONFIG_VALUE_0", shared)
			}
			binary, log := program(t, "git-longtask")
			report := install(t, dir, InstallOptions{Binary: binary, Force: true})
			if report.Status != StatusRefused || codes(report) != "hooks_path_not_local" {
				t.Fatalf("report: %s", show(report))
			}
			if names := entries(t, shared); names != "pre-commit" || get(t, shared+"/pre-commit") != "#!/bin/sh\n" {
				t.Errorf("shared directory was touched: %s", names)
			}
			if how == "command" {
				return
			}
			sh(t, dir, report.Findings[0].Next)
			mustInstall(t, dir, binary)
			commitRuns(t, dir, log)
		})
	}
}

func TestBareRepositoryIsRefused(t *testing.T) {
	dir := tempDir(t)
	git(t, dir, "init", "-q", "--bare")
	binary, _ := program(t, "git-longtask")
	if r := install(t, dir, InstallOptions{Binary: binary}); r.Status != StatusRefused || codes(r) != "bare_repository" {
		t.Errorf("report: %s", show(r))
	}
	if got := inspected(t, dir); got != "" {
		t.Errorf("inspect: %s", got)
	}
}

func TestUnusableHooksPathAndBinary(t *testing.T) {
	dir := newRepo(t, "repo")
	for _, binary := range []string{"git-longtask", "", "/a\nb"} {
		if r := install(t, dir, InstallOptions{Binary: binary}); codes(r) != "binary_path_unusable" {
			t.Errorf("%q: %s", binary, show(r))
		}
	}
	binary, _ := program(t, "git-longtask")
	for _, path := range []string{"/dev/null", ""} {
		git(t, dir, "config", "core.hooksPath", path)
		r := install(t, dir, InstallOptions{Binary: binary})
		if r.Status != StatusRefused || codes(r) != "hooks_path_unusable" || inspected(t, dir) != "missing missing missing" {
			t.Errorf("%q: %s", path, show(r))
		}
		if r = uninstall(t, dir); r.Status != StatusNotInstalled {
			t.Errorf("uninstall with %q: %s", path, show(r))
		}
	}
	git(t, dir, "config", "--unset-all", "core.hooksPath")
	os.RemoveAll(dir + "/.git/hooks")
	put(t, dir+"/.git/hooks", "", 0o644)
	if r := install(t, dir, InstallOptions{Binary: binary}); r.Status != StatusRefused || codes(r) != "hooks_path_unusable" {
		t.Errorf("a file for a directory: %s", show(r))
	}
}

func TestHooksPathThatLeadsOutsideWarns(t *testing.T) {
	dir, shared := newRepo(t, "repo"), tempDir(t)
	git(t, dir, "config", "core.hooksPath", shared)
	binary, log := program(t, "git-longtask")
	if r := mustInstall(t, dir, binary); codes(r) != "hooks_path_shared" {
		t.Errorf("report: %s", show(r))
	}
	commitRuns(t, dir, log)
}

func TestUninstallAfterHooksPathChanged(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, _ := program(t, "git-longtask")
	mustInstall(t, dir, binary)
	git(t, dir, "config", "core.hooksPath", ".hk")
	if got := inspected(t, dir); got != "missing missing missing" {
		t.Errorf("inspect: %s", got)
	}
	if r := uninstall(t, dir); r.Status != StatusUninstalled || strings.Contains(entries(t, dir+"/.git/hooks")+" ", "pre-commit ") {
		t.Errorf("report: %s", show(r))
	}
}
