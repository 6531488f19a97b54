package check

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-longtask/git-longtask/contract"
)

func TestEvidenceFile(t *testing.T) {
	t.Parallel()
	good := `{"schema_version":"long-task-check-result-v2","execution_status":"completed","observations":{"total":42},"nonce":"'$LONGTASK_EVIDENCE_NONCE'"}`
	forged := strings.Replace(good, "'$LONGTASK_EVIDENCE_NONCE'", "guess", 1)
	for _, c := range []struct {
		name, body string
		status     Status
	}{
		{"preferred over stdout", `echo '` + good + `' >$LONGTASK_EVIDENCE_FILE; echo '` + structured(`{"total":1}`) + `'`, Passed},
		{"stdout cannot be forged once it is used", `echo '` + strings.Replace(good, "42", "1", 1) + `' >$LONGTASK_EVIDENCE_FILE; echo '` + structured(`{"total":42}`) + `'`, AssertionFailed},
		{"without the nonce", `echo '` + forged + `' >$LONGTASK_EVIDENCE_FILE; echo '` + structured(`{"total":42}`) + `'`, InvalidEvidence},
		{"empty", `: >$LONGTASK_EVIDENCE_FILE; echo '` + structured(`{"total":42}`) + `'`, InvalidEvidence},
		{"a symlink", `echo '` + good + `' >$HOME/e; ln -s $HOME/e $LONGTASK_EVIDENCE_FILE`, InvalidEvidence},
		{"a pipe", `mkfifo $LONGTASK_EVIDENCE_FILE`, InvalidEvidence},
		{"a directory", `mkdir $LONGTASK_EVIDENCE_FILE`, InvalidEvidence},
		{"too large", `head -c 3000000 /dev/zero >$LONGTASK_EVIDENCE_FILE`, InvalidEvidence},
		{"private directory outside the tree", `case $LONGTASK_EVIDENCE_FILE in $PWD/*) exit 1;; esac; ls -ld $(dirname $LONGTASK_EVIDENCE_FILE) | grep -q ^drwx------ || exit 1; echo '` + structured(`{"total":42}`) + `'`, Passed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\n" + c.body + "\n"})
			if r := Run(t.Context(), p, script()); r.Status != c.status {
				t.Errorf("%s %+v", r.Status, r.Findings)
			}
			wantLeftNothing(t, p)
		})
	}
}

func TestInfrastructure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body, code, message string
	}{
		{"timeout", "sleep 60 & wait", "infrastructure_error", "did not end within its timeout_ms of 300ms"},
		{"timeout after evidence", "echo '" + structured(`{"total":42}`) + "'; sleep 60", "infrastructure_error", "timeout_ms"},
		{"prints for ever", "yes", "output_limit", "more than 2097152 bytes"},
		{"too much after evidence", "echo '" + structured(`{"total":42}`) + "'; head -c 2097152 /dev/zero >&2", "output_limit", "more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\n" + c.body + "\n"})
			s := script()
			if strings.Contains(c.name, "timeout") {
				s.Check.Runner.TimeoutMS = 300
			}
			r := Run(t.Context(), p, s)
			if r.Status != InfrastructureError || !slices.Equal(codes(r.Findings), []string{c.code}) || !strings.Contains(r.Findings[0].Message, c.message) {
				t.Errorf("%s %+v", r.Status, r.Findings)
			}
			if r.ExitCode != -1 || len(r.ClaimProofs)+len(r.Observations) > 0 {
				t.Errorf("%+v", r)
			}
			wantLeftNothing(t, p)
		})
	}
}

func TestRunnersThatCannotStart(t *testing.T) {
	p := newPlace(t, map[string]string{"plain": "#!/bin/sh\n", "sub/x": ""})
	if err := os.Symlink("/bin/true", filepath.Join(p.Dir, "outside")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r       contract.Runner
		message string
	}{
		{contract.Runner{Type: "project_binary", Target: "plain", Cwd: "."}, "plain is not executable; run: git update-index --chmod=+x plain"},
		{contract.Runner{Type: "project_binary", Target: "none", Cwd: "."}, "none is not a file of the tree"},
		{contract.Runner{Type: "project_binary", Target: "outside", Cwd: "."}, "outside is not a file of the tree"},
		{contract.Runner{Type: "project_binary", Target: "sub", Cwd: "."}, "sub is not a file of the tree"},
		{contract.Runner{Type: "project_binary", Target: "x", Cwd: "nowhere"}, "cwd nowhere is not a directory"},
		{contract.Runner{Type: "node_oracle", Target: "none.mjs", Cwd: "sub"}, "sub/none.mjs is not a file of the tree"},
		{contract.Runner{Type: "package_script", Target: "test", Cwd: "sub"}, "no package.json in sub or above it"},
		{contract.Runner{Type: "playwright_test", Target: "x", Cwd: "."}, "does not support the runner playwright_test"},
		{contract.Runner{Type: "command", Argv: []string{"no-such-program-anywhere"}, Adapter: "tap_v1", Cwd: "."}, "no-such-program-anywhere is not on PATH"},
		{contract.Runner{Type: "command", Argv: []string{"./none.sh"}, Adapter: "tap_v1", Cwd: "sub"}, "sub/none.sh is not a file of the tree"},
	} {
		s := script()
		c.r.TimeoutMS = 1000
		s.Check.Runner = c.r
		r := Run(t.Context(), p, s)
		if r.Status != InfrastructureError || !strings.Contains(r.Findings[0].Message, c.message) {
			t.Errorf("%+v: %s %+v, want %q", c.r, r.Status, r.Findings, c.message)
		}
	}
}

func TestPackageScript(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"pkg/package.json": `{"name":"p","scripts":{"check":"node ../verify/a.mjs","broken":"exit 7"}}`,
		"verify/a.mjs":     `console.log(JSON.stringify({schema_version:"long-task-check-result-v2",execution_status:"completed",observations:{total:42,args:process.argv.slice(2)}}))`,
		"pkg/sub/x":        "",
	})
	s := script()
	s.Check.Runner = contract.Runner{Type: contract.RunnerPackageScript, Target: "check", Argv: []string{"--flag", "a b"}, Cwd: "pkg/sub", TimeoutMS: 60000}
	s.Check.NegativeAssertions = []contract.Assertion{{Key: "args", Observation: "args", Operator: "equals", Expected: []any{"--flag", "a b"}, HasExpected: true}}
	if r := Run(t.Context(), p, s); r.Status != Passed || filepath.Base(r.Argv0.Path) == "" {
		t.Errorf("%s %+v", r.Status, r.Findings)
	}
	s.Check.Runner.Target = "broken"
	if r := Run(t.Context(), p, s); r.Status == Passed || r.ExitCode != 7 {
		t.Errorf("%s %d %+v", r.Status, r.ExitCode, r.Findings)
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	once := "#!/bin/sh\necho x >>../runs\n[ $(wc -l <../runs) -gt 1 ] || sleep 60\n" + strings.TrimPrefix(echo(`{"total":42}`), "#!/bin/sh\n")
	wrong := "#!/bin/sh\necho x >>../runs\n" + strings.TrimPrefix(echo(`{"total":41}`), "#!/bin/sh\n")
	for _, c := range []struct {
		name, script, policy string
		idempotent           bool
		status               Status
		attempts             int
	}{
		{"after a timeout", once, "transient_once", true, Passed, 2},
		{"not without being idempotent", once, "transient_once", false, InfrastructureError, 1},
		{"not by default", once, "none", true, InfrastructureError, 1},
		{"never after a verdict", wrong, "transient_once", true, AssertionFailed, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"run.sh": c.script})
			s := script()
			s.Check.Runner.RetryPolicy, s.Check.Runner.Idempotent, s.Check.Runner.TimeoutMS = c.policy, c.idempotent, 1500
			if r := Run(t.Context(), p, s); r.Status != c.status || r.Attempts != c.attempts {
				t.Errorf("%s after %d attempts: %+v", r.Status, r.Attempts, r.Findings)
			}
		})
	}
}

func TestInterruptedCheck(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\necho '" + structured(`{"total":42}`) + "'\nsleep 60\n"})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if r := Run(ctx, p, script()); r.Status != Interrupted || len(r.ClaimProofs) > 0 {
		t.Errorf("%s %+v", r.Status, r.Findings)
	}
	wantLeftNothing(t, p)
}

func TestArtifacts(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\nmkdir -p out/deep; echo a >out/a.txt; echo b >out/deep/b.txt; ln -s /etc/passwd out/c.txt\n" + strings.TrimPrefix(echo(`{"total":42}`), "#!/bin/sh\n")})
	s := script()
	s.Check.ArtifactGlobs = []string{"out/**/*.txt"}
	r := Run(t.Context(), p, s)
	names := []string{}
	for name := range r.ArtifactHashes {
		names = append(names, name)
	}
	slices.Sort(names)
	if r.Status != Passed || !slices.Equal(names, []string{"out/a.txt", "out/deep/b.txt"}) {
		t.Errorf("%s %v %v", r.Status, names, r.Findings)
	}
	for _, glob := range []string{"out/*.log", "none/x", "out/c.txt", "out"} {
		s.Check.ArtifactGlobs = []string{"out/a.txt", glob}
		os.Remove(filepath.Join(p.Dir, "out/c.txt"))
		if r := Run(t.Context(), p, s); r.Status != InvalidEvidence || !slices.Equal(codes(r.Findings), []string{"artifact_missing"}) {
			t.Errorf("%s: %s %v", glob, r.Status, r.Findings)
		}
	}
}

func TestPopulationOfACheck(t *testing.T) {
	p := newPlace(t, map[string]string{"run.sh": echo(`{"total":42,"all":["a","b"],"seen":["a"],"skipped":[]}`)})
	s := script()
	s.Population = &contract.Population{CheckKey: "run", Claims: []string{"requirement.all"}}
	s.Population.Observations.EligibleIDs, s.Population.Observations.ObservedIDs, s.Population.Observations.ExcludedItems = "all", "seen", "skipped"
	r := Run(t.Context(), p, s)
	if r.Status != AssertionFailed || !slices.Equal(codes(r.Findings), []string{"population_coverage_failed"}) || r.Findings[0].Refs["reason"] != "eligible_population_incomplete" {
		t.Errorf("%s %+v", r.Status, r.Findings)
	}
	s.Population.Observations.ObservedIDs = "all"
	if r := Run(t.Context(), p, s); r.Status != Passed || !slices.Contains(r.ClaimProofs, "report.requirement.all") {
		t.Errorf("%s %v %+v", r.Status, r.ClaimProofs, r.Findings)
	}
}
