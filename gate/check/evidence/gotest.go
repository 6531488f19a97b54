package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// goEvent is one line of go test -json.
type goEvent struct {
	Action      string
	Package     string
	Test        string
	Output      string
	FailedBuild string
}

// goCached is how go test ends a package whose results it did not run for.
var goCached = regexp.MustCompile(`^ok\s+\S+\s+\(cached\)`)

// ParseGoTest reads the standard output of go test -json. Lines that are no
// JSON objects, as a make around it prints, are passed over.
func ParseGoTest(stdout []byte) (Report, error) {
	p := goParser{index: map[string]int{}, failing: map[string]bool{}}
	events := 0
	for n, line := range bytes.Split(stdout, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] != '{' {
			continue
		}
		var e goEvent
		if err := json.Unmarshal(line, &e); err != nil {
			return Report{}, fmt.Errorf("line %d of stdout is no event of go test -json: %w", n+1, err)
		}
		events++
		if err := p.event(e); err != nil {
			return Report{}, err
		}
	}
	if events == 0 {
		return Report{}, fmt.Errorf("stdout holds no event of go test -json")
	}
	return p.finish(), nil
}

type goParser struct {
	report  Report
	index   map[string]int  // of the case of a package and test
	failing map[string]bool // packages that failed
}

func (p *goParser) event(e goEvent) error {
	if e.Test == "" {
		return p.packageEvent(e)
	}
	id := e.Package + "\x00" + e.Test
	i, known := p.index[id]
	switch e.Action {
	case "run":
		if known {
			p.report.Cases[i].repeated = true
			return nil
		}
		p.index[id] = len(p.report.Cases)
		p.report.Cases = append(p.report.Cases, Case{Path: append([]string{e.Package}, strings.Split(e.Test, "/")...), Status: CaseFailed})
	case "pass", "fail", "skip":
		if !known {
			return fmt.Errorf("the test %s ended without having started", e.Test)
		}
		// Failed twice over: with -count a later pass must not hide a failure.
		if p.report.Cases[i].repeated && e.Action == "pass" {
			return nil
		}
		p.report.Cases[i].Status = map[string]CaseStatus{"pass": CasePassed, "fail": CaseFailed, "skip": CaseSkipped}[e.Action]
	}
	return nil
}

func (p *goParser) packageEvent(e goEvent) error {
	switch e.Action {
	case "output":
		if goCached.MatchString(e.Output) {
			return fmt.Errorf("%w: go test did not run %s again but served its results from the cache", ErrNotFresh, e.Package)
		}
		if strings.HasSuffix(strings.TrimSpace(e.Output), "[build failed]") || strings.HasSuffix(strings.TrimSpace(e.Output), "[setup failed]") {
			p.report.BuildFailed = true
		}
	case "build-fail":
		p.report.BuildFailed = true
	case "fail":
		p.failing[e.Package] = true
		p.report.BuildFailed = p.report.BuildFailed || e.FailedBuild != ""
	}
	return nil
}

// goSuffix is what go test appends to a name that is taken.
var goSuffix = regexp.MustCompile(`^(.*)#[0-9]{2,}$`)

func (p *goParser) finish() Report {
	names := map[string]bool{}
	for _, c := range p.report.Cases {
		names[strings.Join(c.Path, "/")] = true
	}
	explained := map[string]bool{}
	for i := range p.report.Cases {
		c := &p.report.Cases[i]
		for n := 2; n <= len(c.Path); n++ {
			m := goSuffix.FindStringSubmatch(c.Path[n-1])
			if m != nil && (strings.HasSuffix(m[1], "]") || names[strings.Join(append(append([]string{}, c.Path[:n-1]...), m[1]), "/")]) {
				c.repeated = true
			}
		}
		if c.Status == CaseFailed {
			explained[c.Path[0]] = true
		}
		for n := 2; n < len(c.Path); n++ {
			if at, ok := p.index[c.Path[0]+"\x00"+strings.Join(c.Path[1:n], "/")]; ok {
				p.report.Cases[at].Group = true
			}
		}
	}
	// A package can fail without a test that did: a panic, TestMain, a race.
	for _, pkg := range sortedNames(p.failing) {
		if !explained[pkg] {
			p.report.Cases = append(p.report.Cases, Case{Path: []string{pkg}, Status: CaseFailed})
		}
	}
	return p.report
}

func sortedNames(set map[string]bool) []string {
	values := map[string]any{}
	for k := range set {
		values[k] = nil
	}
	return sortedKeys(values)
}

// GoOutput is what the tests and builds behind go test -json printed.
func GoOutput(stdout []byte) []byte {
	var out []byte
	for _, line := range bytes.Split(stdout, []byte("\n")) {
		var e goEvent
		if json.Unmarshal(line, &e) == nil {
			out = append(out, e.Output...)
		}
	}
	return out
}
