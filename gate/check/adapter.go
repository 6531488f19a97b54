package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/check/evidence"
)

// reading is what an adapter makes of an execution.
type reading struct {
	observations map[string]any
	blocked      string
	report       evidence.Report
}

// read takes the evidence of an execution as the check's adapter does.
func (ex execution) read(spec Spec) (reading, error) {
	switch spec.adapter() {
	case contract.AdapterExitStatus:
		return reading{observations: map[string]any{"exit_code": ex.exit.Code}}, nil
	case contract.AdapterGoTest:
		report, err := evidence.ParseGoTest(ex.exit.Stdout)
		return readReport(spec, report, err)
	case contract.AdapterTAP:
		report, err := evidence.ParseTAP(ex.exit.Stdout)
		return readReport(spec, report, err)
	case contract.AdapterJUnit:
		if ex.reportErr != nil {
			return reading{}, ex.reportErr
		}
		report, err := evidence.ParseJUnit(ex.reports...)
		return readReport(spec, report, err)
	}
	s, err := ex.structured()
	return reading{observations: s.Observations, blocked: s.Blocked}, err
}

func readReport(spec Spec, report evidence.Report, err error) (reading, error) {
	if err != nil {
		return reading{}, err
	}
	observations, err := report.Observations(spec.caseKeys())
	return reading{observations: observations, report: report}, err
}

// structured prefers the evidence file, once the run has made one.
func (ex execution) structured() (evidence.Structured, error) {
	switch {
	case ex.evidenceErr != nil:
		return evidence.Structured{}, fmt.Errorf("the file named by LONGTASK_EVIDENCE_FILE is no evidence: %w", ex.evidenceErr)
	case ex.evidenceUsed:
		return evidence.ParseFile(ex.evidence, ex.nonce)
	}
	return evidence.ParseLine(ex.exit.Stdout)
}

// assertions are those of both lists.
func (s Spec) assertions() []contract.Assertion {
	return slices.Concat(s.Check.PositiveAssertions, s.Check.NegativeAssertions)
}

// caseKeys are the keys that tests of the report may carry, each once.
func (s Spec) caseKeys() []string {
	var keys []string
	for _, a := range s.assertions() {
		keys = append(keys, a.Key)
		if k := contract.CaseOf(a.Observation); k != "" {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// reportProblem is why a report cannot pass whatever its declared cases did.
func reportProblem(spec Spec, observations map[string]any) string {
	if !spec.Check.Runner.Reports() {
		return ""
	}
	passed, _ := observations["report.passed"].(int)
	failed, _ := observations["report.failed"].(int)
	skipped, _ := observations["report.skipped"].(int)
	switch {
	case failed > 0:
		return fmt.Sprintf("ended with exit code 0, but its report holds %d failed tests", failed)
	case passed == 0:
		return fmt.Sprintf("executed no test at all (%d were skipped); nothing was shown", skipped)
	}
	return ""
}

// reportFiles lists the files at the place of the check's report.
func reportFiles(place Place, spec Spec) ([]string, error) {
	pattern := spec.Check.Runner.Report
	if pattern == "" {
		return nil, nil
	}
	root, err := os.OpenRoot(place.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var found []string
	segments := strings.Split(pattern, "/")
	err = fs.WalkDir(root.FS(), literalPrefix(segments), func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case e.Type().IsRegular() && matchSegments(segments, strings.Split(name, "/")):
			found = append(found, name)
		}
		return nil
	})
	return found, err
}

// clockSlack is how much older than its run a file may look: file systems
// round times.
const clockSlack = 2 * time.Second

// collectReports reads the report files of an attempt. Files that were there
// before the run, or look older than the attempt, are not of its making.
func (ex *execution) collectReports(place Place, spec Spec, earlier []string, began time.Time) {
	ex.reports, ex.reportErr = nil, nil
	pattern := spec.Check.Runner.Report
	if pattern == "" {
		return
	}
	names, err := reportFiles(place, spec)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("it left no report that matches %s", pattern)
	}
	for _, name := range names {
		if err != nil {
			break
		}
		if slices.Contains(earlier, name) {
			err = fmt.Errorf("%w: the report %s was there before the run", evidence.ErrNotFresh, name)
			break
		}
		var data []byte
		if data, err = readReportFile(place, name, began); err == nil {
			ex.reports = append(ex.reports, data)
		}
	}
	ex.reportErr = err
}

func readReportFile(place Place, name string, began time.Time) ([]byte, error) {
	root, err := os.OpenRoot(place.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("the report %s is not a regular file", name)
	case info.ModTime().Before(began.Add(-clockSlack)):
		return nil, fmt.Errorf("%w: the report %s is older than the run", evidence.ErrNotFresh, name)
	case info.Size() > OutputLimit:
		return nil, fmt.Errorf("the report %s is larger than %d bytes", name, OutputLimit)
	}
	return root.ReadFile(name)
}

func freshHint(spec Spec) string {
	if spec.adapter() == contract.AdapterGoTest {
		return "Add -count=1 to the arguments of go test."
	}
	return "Let the run itself write the report, to a path that is not in the repository."
}

func adapterHint(spec Spec) string {
	switch spec.adapter() {
	case contract.AdapterGoTest:
		return "Run go test with -json, and name each test or subtest uniquely."
	case contract.AdapterTAP:
		return "Print TAP and nothing else on stdout, for example: node --test --test-reporter=tap."
	case contract.AdapterJUnit:
		return "Make the command write JUnit XML where runner.report says."
	}
	return "Print one JSON object with schema_version, execution_status and observations as the last line of stdout."
}

// proofOf says what a check's claims rest on, where that is coarser than usual.
func proofOf(spec Spec) string {
	if spec.adapter() == contract.AdapterExitStatus {
		return "exit_status"
	}
	return ""
}
