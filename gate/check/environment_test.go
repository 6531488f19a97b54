package check

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-longtask/git-longtask/contract"
)

// environmentOf runs the check with a script that dumps what it is given.
func environmentOf(t *testing.T, p Place, s Spec) map[string]string {
	t.Helper()
	dump := filepath.Join(p.Home, "dump")
	if err := os.WriteFile(filepath.Join(p.Dir, "run.sh"), []byte("#!/bin/sh\nenv -0 >$HOME/dump\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	Run(t.Context(), p, s)
	data, err := os.ReadFile(dump)
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{}
	for _, kv := range strings.Split(string(data), "\x00") {
		if name, value, ok := strings.Cut(kv, "="); ok {
			vars[name] = value
		}
	}
	for _, shell := range []string{"PWD", "OLDPWD", "SHLVL", "_"} {
		delete(vars, shell)
	}
	return vars
}

func TestEnvironmentIsAnAllowList(t *testing.T) {
	for name, value := range map[string]string{
		"GIT_DIR": "/x", "GIT_CONFIG_COUNT": "0", "GIT_AUTHOR_NAME": "x", "NODE_OPTIONS": "--require=/x.js", "LD_LIBRARY_PATH": "/x",
		"DYLD_INSERT_LIBRARIES": "/x", "TY_CONTEXT_CHECK_PROTOCOL": "x", "HOME": "/x", "TMPDIR": t.TempDir(), "SECRET_TOKEN": "abcdef",
		"LANG": "C.UTF-8", "LC_TIME": "C", "TZ": "UTC", "TERM": "dumb", "CI": "true", "NO_COLOR": "1", "GIT_CEILING_DIRECTORIES": "/ceiling",
		"DECLARED": "declared value", "PASSED": "passed value",
	} {
		t.Setenv(name, value)
	}
	p := newPlace(t, nil)
	p.PassEnv = []string{"PASSED", "GIT_DIR", "LD_LIBRARY_PATH", "NOT_SET"}
	s := script()
	s.Check.EnvironmentRequirements = []contract.Environment{{Key: "d", Kind: "env_var", Target: "DECLARED"}}
	os.Unsetenv("LC_ALL")
	got := environmentOf(t, p, s)
	names := []string{}
	for name := range got {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{"CI", "DECLARED", "GIT_CEILING_DIRECTORIES", "HOME", "LANG", "LC_TIME", "LONGTASK_EVIDENCE_FILE",
		"LONGTASK_EVIDENCE_NONCE", "NO_COLOR", "PASSED", "PATH", "TERM", "TMPDIR", "TZ"}
	if !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if got["HOME"] != p.Home || !strings.HasPrefix(got["TMPDIR"], p.Temp+"/") || got["DECLARED"] != "declared value" {
		t.Errorf("%v", got)
	}
	if want := filepath.Dir(p.Dir) + ":/ceiling"; got["GIT_CEILING_DIRECTORIES"] != want {
		t.Errorf("ceiling %q, want %q", got["GIT_CEILING_DIRECTORIES"], want)
	}
	wantLeftNothing(t, p)
}

// TestOwnVariablesWin: a contract cannot have HOME or the nonce replaced.
func TestOwnVariablesWin(t *testing.T) {
	t.Setenv("HOME", "/elsewhere")
	t.Setenv("LONGTASK_EVIDENCE_NONCE", "known")
	p := newPlace(t, nil)
	p.PassEnv = []string{"HOME", "TMPDIR", "LONGTASK_EVIDENCE_NONCE"}
	if got := environmentOf(t, p, script()); got["HOME"] != p.Home || got["LONGTASK_EVIDENCE_NONCE"] == "known" {
		t.Errorf("%v", got)
	}
}

func TestSecretInOutput(t *testing.T) {
	const secret = "päss\"word-1234"
	t.Setenv("TOKEN", secret)
	t.Setenv("PLAIN", "plain-1234")
	t.Setenv("FLAG", "true")
	t.Setenv("SHORT", "42")
	evidenceFile := `printf '{"schema_version":"long-task-check-result-v2","execution_status":"completed","nonce":"%s","observations":{"total":42,"t":"p\\u00e4ss\\"word-1234"}}' "$LONGTASK_EVIDENCE_NONCE" >"$LONGTASK_EVIDENCE_FILE"`
	for _, c := range []struct {
		name, body string
		status     Status
		code       string
	}{
		{"stdout", `printf '%s\n' "$TOKEN"; echo '` + structured(`{"total":42}`) + `'`, InvalidEvidence, "secret_in_output"},
		{"stderr", `printf '%s\n' "$TOKEN" >&2; echo '` + structured(`{"total":42}`) + `'`, InvalidEvidence, "secret_in_output"},
		{"escaped", `echo '` + structured(`{"total":42,"deep":[{"t":"xp\u00e4ss\"word-1234"}]}`) + `'`, InvalidEvidence, "secret_in_output"},
		{"escaped key", `echo '` + structured(`{"total":42,"p\u00e4ss\"word-1234":1}`) + `'`, InvalidEvidence, "secret_in_output"},
		{"evidence file", evidenceFile, InvalidEvidence, "secret_in_output"},
		{"reason", `echo '{"schema_version":"long-task-check-result-v2","execution_status":"blocked_external","reason":"p\u00e4ss\"word-1234"}'`, InvalidEvidence, "secret_in_output"},
		{"key that an error quotes", `echo '` + structured(`{"plain-123\u0034":1,"plain-12\u00334":2}`) + `'`, InvalidEvidence, "secret_in_output"},
		{"after a crash", `printf '%s\n' "$TOKEN" >&2; exit 1`, InvalidEvidence, "secret_in_output"},
		{"common words and short values", `echo '` + structured(`{"total":42,"flag":true}`) + `'`, Passed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\n" + c.body + "\n"})
			s := script()
			s.Check.EnvironmentRequirements = []contract.Environment{{Key: "t", Kind: "env_var", Target: "TOKEN"}, {Key: "f", Kind: "env_var", Target: "FLAG"}}
			p.PassEnv = []string{"SHORT", "PLAIN"}
			r := Run(t.Context(), p, s)
			if r.Status != c.status || strings.Join(codes(r.Findings), " ") != c.code {
				t.Errorf("%s %+v", r.Status, r.Findings)
			}
			if text := fmt.Sprintf("%+v", r); strings.Contains(text, secret) {
				t.Errorf("the result holds the secret: %s", text)
			}
			if c.code == "secret_in_output" && (r.OutputSHA256 != "" || len(r.Observations) > 0) {
				t.Errorf("output was kept: %+v", r)
			}
		})
	}
}

func TestRequirements(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	deaf := closed.Addr().(*net.TCPAddr).Port
	closed.Close()
	t.Setenv("EMPTY", "")
	p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\ntouch ../ran\n" + strings.TrimPrefix(echo(`{"total":42}`), "#!/bin/sh\n"), "data/a": ""})
	if err := os.Symlink("/etc/passwd", filepath.Join(p.Dir, "leak")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r    contract.Environment
		want Status
	}{
		{contract.Environment{Kind: "executable", Target: "sh"}, Passed},
		{contract.Environment{Kind: "executable", Target: "no-such-program"}, BlockedExternal},
		{contract.Environment{Kind: "env_var", Target: "PATH"}, Passed},
		{contract.Environment{Kind: "env_var", Target: "EMPTY"}, BlockedExternal},
		{contract.Environment{Kind: "env_var", Target: "LD_PRELOAD"}, InfrastructureError},
		{contract.Environment{Kind: "file", Target: "data/a"}, Passed},
		{contract.Environment{Kind: "file", Target: "data"}, BlockedExternal},
		{contract.Environment{Kind: "file", Target: "leak"}, BlockedExternal},
		{contract.Environment{Kind: "directory", Target: "data"}, Passed},
		{contract.Environment{Kind: "directory", Target: "data/a"}, BlockedExternal},
		{contract.Environment{Kind: "loopback_tcp", Host: "127.0.0.1", Port: port, TimeoutMS: 1000}, Passed},
		{contract.Environment{Kind: "loopback_tcp", Host: "localhost", Port: port, TimeoutMS: 1000}, Passed},
		{contract.Environment{Kind: "loopback_tcp", Host: "127.0.0.1", Port: deaf, TimeoutMS: 100}, BlockedExternal},
	} {
		s := script()
		c.r.Key = "need"
		s.Check.EnvironmentRequirements = []contract.Environment{c.r}
		_ = os.Remove(filepath.Join(p.Dir, "../ran"))
		r := Run(t.Context(), p, s)
		_, err := os.Stat(filepath.Join(p.Dir, "../ran"))
		if r.Status != c.want || (err == nil) != (c.want == Passed) || (r.Attempts == 0) != (c.want != Passed) {
			t.Errorf("%+v: %s, ran %v, %d attempts, %v", c.r, r.Status, err == nil, r.Attempts, r.Findings)
		}
	}
}
