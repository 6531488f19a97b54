package evidence

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ErrNotFresh says that a report holds results of another run.
var ErrNotFresh = errors.New("report_not_fresh")

// CaseStatus is how one test ended.
type CaseStatus string

// Statuses of a case. A test that was interrupted, timed out or reported no
// end is failed; one that passed only when repeated is flaky.
const (
	CasePassed  CaseStatus = "passed"
	CaseFailed  CaseStatus = "failed"
	CaseSkipped CaseStatus = "skipped"
	CaseFlaky   CaseStatus = "flaky"
)

// Case is one test of a report. Path leads from the outermost suite to its
// name. Group is true when other cases are inside it, which count in its place.
type Case struct {
	Path   []string
	Status CaseStatus
	Group  bool

	repeated bool // the tool says that the name was taken already
}

// Report is what a test runner said. BuildFailed means that it could not build
// some of the tests, so that they are missing.
type Report struct {
	Cases       []Case
	BuildFailed bool
}

// marker binds a test to the assertion of that key, wherever it stands in the
// names that lead to the test. Go writes blanks as underscores.
var marker = regexp.MustCompile(`\[ac:[ _]*([a-z0-9][a-z0-9-]*)[ _]*\]`)

// Failed counts the tests that did not pass, flaky ones included.
func (r Report) Failed() int { return r.count(CaseFailed) + r.count(CaseFlaky) }

func (r Report) count(status CaseStatus) int {
	n := 0
	for _, c := range r.Cases {
		if c.Status == status && !c.Group {
			n++
		}
	}
	return n
}

// FailedOutside counts the tests that did not pass and carry none of the keys.
func (r Report) FailedOutside(keys []string) int {
	n := 0
	for _, c := range r.Cases {
		own := slices.ContainsFunc(c.keys(), func(k string) bool { return slices.Contains(keys, k) })
		if !own && !c.Group && (c.Status == CaseFailed || c.Status == CaseFlaky) {
			n++
		}
	}
	return n
}

// Observations are the totals of the report and, for each key, what became of
// the tests that carry [ac:<key>]. A key that no test carries has no
// observation passed. The error says in one clause which test cannot be bound
// to one key.
func (r Report) Observations(keys []string) (map[string]any, error) {
	total := 0
	for _, c := range r.Cases {
		if !c.Group {
			total++
		}
	}
	out := map[string]any{
		"report.total": total, "report.passed": r.count(CasePassed), "report.failed": r.Failed(), "report.skipped": r.count(CaseSkipped),
	}
	bound, err := r.bind(keys)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		observe(out, "case."+key+".", bound[key])
	}
	return out, nil
}

func observe(out map[string]any, prefix string, instances []Case) {
	has := func(statuses ...CaseStatus) bool {
		return slices.ContainsFunc(instances, func(c Case) bool { return slices.Contains(statuses, c.Status) })
	}
	out[prefix+"instances"] = len(instances)
	out[prefix+"executed"] = has(CasePassed, CaseFailed, CaseFlaky)
	out[prefix+"skipped"] = has(CaseSkipped)
	out[prefix+"failed"] = has(CaseFailed, CaseFlaky)
	if len(instances) > 0 {
		out[prefix+"passed"] = !has(CaseFailed, CaseFlaky, CaseSkipped)
	}
}

// bind collects the instances of each key, and refuses tests that carry two
// keys or stand in the report twice.
func (r Report) bind(keys []string) (map[string][]Case, error) {
	bound, seen := map[string][]Case{}, map[string]bool{}
	for _, c := range r.Cases {
		carried := c.keys()
		declared := slices.ContainsFunc(carried, func(k string) bool { return slices.Contains(keys, k) })
		if !declared {
			continue
		}
		if len(carried) > 1 {
			return nil, fmt.Errorf("the test %q carries the keys of %d criteria (%s); one test proves one", c.name(), len(carried), strings.Join(carried, ", "))
		}
		id := identity(c.Path)
		if seen[id] || c.repeated {
			return nil, fmt.Errorf("the test %q is in the report twice; which of the two counts cannot be told", c.name())
		}
		seen[id] = true
		bound[carried[0]] = append(bound[carried[0]], c)
	}
	return bound, nil
}

// keys are the assertions a case is bound to, each once.
func (c Case) keys() []string {
	var keys []string
	for _, name := range c.Path {
		for _, m := range marker.FindAllStringSubmatch(name, -1) {
			if !slices.Contains(keys, m[1]) {
				keys = append(keys, m[1])
			}
		}
	}
	return keys
}

func (c Case) name() string { return strings.Join(c.Path, " / ") }

func identity(path []string) string {
	return strings.ReplaceAll(strings.Join(path, "\x00"), " ", "_")
}
