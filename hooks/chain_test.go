package hooks

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func sh(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

// entries are the names in a directory without Git's samples.
func entries(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		if !strings.HasSuffix(e.Name(), ".sample") {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " ")
}

// withPrevious is a repository whose three hooks existed before ours and refuse
// with 7 while a file "stop" lies in the work tree.
func withPrevious(t *testing.T) (dir, log string) {
	dir = newRepo(t, "it's a repo")
	binary, log := program(t, "git-longtask")
	for _, name := range Names {
		put(t, dir+"/.git/hooks/"+name, "#!/bin/sh\n"+logging("theirs", log)+"[ ! -e stop ] || exit 7\n", 0o755)
	}
	git(t, dir, "config", "merge.ff", "false")
	git(t, dir, "branch", "side")
	report := mustInstall(t, dir, binary)
	for _, h := range report.Hooks {
		if h.Previous != h.Path+savedSuffix {
			t.Fatalf("report: %s", show(report))
		}
	}
	return dir, log
}

func TestPreviousHookRunsFirstWithTheSameInput(t *testing.T) {
	dir, log := withPrevious(t)
	remote := tempDir(t)
	git(t, remote, "init", "-q", "--bare")
	git(t, dir, "remote", "add", "origin", remote)
	for _, step := range []struct{ hook, command string }{
		{"pre-commit", "git commit -q --allow-empty -m x"},
		{"pre-merge-commit", "git checkout -q side && git commit -q --no-verify --allow-empty -m side && git checkout -q main && git merge -q -m merge side"},
		{"pre-push", "git push -q origin main main:refs/heads/two"},
	} {
		os.Remove(log)
		sh(t, dir, step.command)
		theirs, mine, ok := strings.Cut(get(t, log), "ours")
		args := ""
		if step.hook == "pre-push" {
			args = " <origin> <" + remote + ">"
		}
		if !ok || !strings.HasPrefix(theirs, "theirs"+nonEmpty(args)+" in ") || !strings.HasPrefix(mine, " <hook> <"+step.hook+">"+args+" in "+dir+" depth 1\n") {
			t.Errorf("%s: %q", step.hook, get(t, log))
		}
		_, fed, _ := strings.Cut(theirs, "\n")
		_, same, _ := strings.Cut(mine, "\n")
		if fed != same || step.hook == "pre-push" && strings.Count(fed, "\n") != 2 {
			t.Errorf("%s: theirs was fed %q, ours %q", step.hook, fed, same)
		}
	}
	os.Remove(log)
	git(t, dir, "push", "-q", "origin", "main")
	if got := get(t, log); strings.Count(got, "\n") != 2 {
		t.Errorf("a push of nothing fed something: %q", got)
	}
}

// nonEmpty is what printf ' <%s>' prints for these arguments.
func nonEmpty(args string) string {
	if args == "" {
		return " <>"
	}
	return args
}

func TestExitStatusOfEveryHookCounts(t *testing.T) {
	for _, command := range []string{
		"git commit -q --allow-empty -m x",
		"git merge --abort; git merge -q -m merge side",
		"git push -q origin main",
	} {
		t.Run(command, func(t *testing.T) {
			dir, log := withPrevious(t)
			sh(t, dir, "git init -q --bare ../remote && git remote add origin ../remote && git checkout -q side && git commit -q --no-verify --allow-empty -m s && git checkout -q main")
			put(t, dir+"/stop", "", 0o644)
			if out, err := shTry(dir, command); err == nil || strings.Contains(get(t, log), "ours") {
				t.Errorf("previous hook refused: %v %s\n%s", err, out, get(t, log))
			}
			os.Remove(dir + "/stop")
			refuse := filepath.Dir(log) + "/refuse"
			put(t, refuse, "", 0o644)
			if out, err := shTry(dir, command); err == nil {
				t.Errorf("ours refused: %s", out)
			}
			os.Remove(refuse)
			sh(t, dir, command)
		})
	}
}

func shTry(dir, script string) (string, error) {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestPreviousStatusIsPassedOn(t *testing.T) {
	dir, _ := withPrevious(t)
	put(t, dir+"/stop", "", 0o644)
	for _, name := range Names {
		cmd := exec.Command("./.git/hooks/"+name, "a", "b c")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader("x\n")
		err := cmd.Run()
		if cmd.ProcessState.ExitCode() != 7 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCommitFormsReachTheHookWithTheirIndex(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, log := filepath.Join(tempDir(t), "git-longtask"), filepath.Join(tempDir(t), "log")
	put(t, binary, "#!/bin/sh\ngit diff --cached --name-only >>"+shellQuote(log)+"\n", 0o755)
	put(t, dir+"/.git/hooks/pre-commit", "#!/bin/sh\ngit diff --cached --name-only | sed 's/^/previous /' >>"+shellQuote(log)+"\n", 0o755)
	mustInstall(t, dir, binary)
	put(t, dir+"/sub/two", "2\n", 0o644)
	git(t, dir, "add", ".")
	git(t, dir, "worktree", "add", "-q", "../linked")
	for _, form := range []struct{ in, command, seen string }{
		{dir + "/sub", "git commit -q -m sub", "sub/two"},
		{dir, "echo a >file && git commit -q -a -m all", "file"},
		{dir, "echo b >file && echo b >sub/two && git add sub/two && git commit -q -m partial file", "file"},
		{filepath.Dir(dir) + "/linked", "echo c >file && git commit -q -a -m linked", "file"},
	} {
		os.Remove(log)
		sh(t, form.in, form.command)
		if got, want := get(t, log), fmt.Sprintf("previous %s\n%s\n", form.seen, form.seen); got != want {
			t.Errorf("%s saw %q, want %q", form.command, got, want)
		}
	}
}

func TestPreviousHookIsTreatedAsGitWouldTreatIt(t *testing.T) {
	for name, previous := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"not executable":         {"#!/bin/sh\nexit 1\n", 0o644, "ours"},
		"no interpreter line":    {"exit 1\n", 0o755, ""},
		"carriage returns":       {"#!/bin/sh\r\nexit 0\r\n", 0o755, ""},
		"does not read the pipe": {"#!/bin/sh\nexit 0\n", 0o755, "ours"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newRepo(t, "repo")
			binary, log := program(t, "git-longtask")
			put(t, dir+"/.git/hooks/pre-commit", previous.text, previous.mode)
			mustInstall(t, dir, binary)
			_, err := tryGit(dir, "commit", "-q", "--allow-empty", "-m", "x")
			if (err == nil) != (previous.want == "ours") {
				t.Errorf("commit: %v", err)
			}
			uninstall(t, dir)
			info, err := os.Stat(dir + "/.git/hooks/pre-commit")
			if err != nil || info.Mode().Perm() != previous.mode || get(t, dir+"/.git/hooks/pre-commit") != previous.text {
				t.Errorf("not restored: %v %v", info, err)
			}
			_ = log
		})
	}
}

func TestLongPushLinesReachBothReaders(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, out := filepath.Join(tempDir(t), "git-longtask"), filepath.Join(tempDir(t), "out")
	put(t, binary, "#!/bin/sh\ncat >"+shellQuote(out)+"\n", 0o755)
	put(t, dir+"/.git/hooks/pre-push", "#!/bin/sh\nexit 0\n", 0o755)
	mustInstall(t, dir, binary)
	input := strings.Repeat(`main@{0 seconds ago} \n $HOME 'x' refs/heads/`+"\xff\n", 20000)
	for _, shell := range shells(t) {
		cmd := exec.Command(shell[0], append(shell[1:], ".git/hooks/pre-push", "origin", "url")...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
		if diag, err := cmd.CombinedOutput(); err != nil || len(diag) > 0 {
			t.Fatalf("%v: %v %s", shell, err, diag)
		}
		if get(t, out) != input {
			t.Errorf("%v: %d bytes arrived of %d", shell, len(get(t, out)), len(input))
		}
	}
}

// shells are those of this machine that may be /bin/sh somewhere.
func shells(t *testing.T) [][]string {
	list := [][]string{{"sh"}}
	for _, s := range [][]string{{"dash"}, {"busybox", "sh"}, {"bash", "--posix"}, {"mksh"}, {"ksh"}} {
		if _, err := exec.LookPath(s[0]); err == nil {
			list = append(list, s)
		}
	}
	return list
}

func TestSymlinkedHookKeepsWorkingAndComesBack(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, log := program(t, "git-longtask")
	put(t, dir+"/scripts/check", "#!/bin/sh\n"+logging("theirs", log), 0o755)
	if err := os.Symlink("../../scripts/check", dir+"/.git/hooks/pre-commit"); err != nil {
		t.Fatal(err)
	}
	mustInstall(t, dir, binary)
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
	if got := get(t, log); !strings.HasPrefix(got, "theirs") || !strings.Contains(got, "ours") {
		t.Errorf("log: %q", got)
	}
	uninstall(t, dir)
	if to, err := os.Readlink(dir + "/.git/hooks/pre-commit"); to != "../../scripts/check" {
		t.Errorf("link: %q %v", to, err)
	}
}

func TestHooksThatCallEachOtherAreStopped(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, _ := program(t, "git-longtask")
	put(t, dir+"/.git/hooks/pre-commit", "#!/bin/sh\nexec .git/hooks/pre-commit\n", 0o755)
	mustInstall(t, dir, binary)
	out, err := tryGit(dir, "commit", "-q", "--allow-empty", "-m", "x")
	if err == nil || strings.Count(out, "called each other nine times") != 1 {
		t.Errorf("%v: %s", err, out)
	}
}

func TestNoEnvironmentBypassesTheHook(t *testing.T) {
	dir := newRepo(t, "repo")
	binary, log := program(t, "git-longtask")
	mustInstall(t, dir, binary)
	put(t, filepath.Dir(log)+"/refuse", "", 0o644)
	for _, value := range []string{"0", "1", "8", "9", "10", "-1", "true", "08", "", "1;exit 0"} {
		t.Setenv("LONGTASK_HOOK", value)
		if out, err := tryGit(dir, "commit", "-q", "--allow-empty", "-m", "x"); err == nil {
			t.Errorf("LONGTASK_HOOK=%q let a commit pass: %s", value, out)
		}
	}
}
