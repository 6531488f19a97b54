package evidence

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// ParseJUnit reads JUnit XML reports and joins them. The formats of Surefire,
// pytest, node, jest, gtest and gotestsum agree on what is read here.
func ParseJUnit(files ...[]byte) (Report, error) {
	var r Report
	for _, data := range files {
		p := junitParser{decoder: xml.NewDecoder(bytes.NewReader(data))}
		if err := p.document(); err != nil {
			return Report{}, fmt.Errorf("the JUnit report cannot be read: %w", err)
		}
		r.Cases = append(r.Cases, p.cases...)
	}
	return r, nil
}

type junitParser struct {
	decoder *xml.Decoder
	path    []string
	cases   []Case
}

// document reads exactly one testsuites or testsuite element.
func (p *junitParser) document() error {
	found := false
	for {
		token, err := p.decoder.Token()
		if errors.Is(err, io.EOF) && found {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return errors.New("it is empty")
		}
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if found || start.Name.Local != "testsuites" && start.Name.Local != "testsuite" {
			return fmt.Errorf("its root is not one testsuites or testsuite element but %s", start.Name.Local)
		}
		found = true
		if err := p.suite(start); err != nil {
			return err
		}
	}
}

// suite reads the cases in a suite. An error of the suite itself, outside of
// its tests, is a test that failed.
func (p *junitParser) suite(start xml.StartElement) error {
	if name := attribute(start, "name"); start.Name.Local == "testsuite" {
		p.path = append(p.path, name)
		defer func() { p.path = p.path[:len(p.path)-1] }()
	}
	if len(p.path) > maxDepth {
		return fmt.Errorf("its suites are nested deeper than %d levels", maxDepth)
	}
	return p.children(func(child xml.StartElement) error {
		switch child.Name.Local {
		case "testsuite":
			return p.suite(child)
		case "testcase":
			return p.testcase(child)
		case "error", "failure":
			p.add(CaseFailed, child.Name.Local)
		}
		return p.decoder.Skip()
	})
}

// children calls each for the elements until the one under way ends. Each has
// to consume its element.
func (p *junitParser) children(each func(xml.StartElement) error) error {
	for {
		token, err := p.decoder.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			if err := each(t); err != nil {
				return err
			}
		}
	}
}

func (p *junitParser) testcase(start xml.StartElement) error {
	found := map[CaseStatus]bool{}
	err := p.children(func(child xml.StartElement) error {
		switch child.Name.Local {
		case "failure", "error":
			found[CaseFailed] = true
		case "skipped":
			found[CaseSkipped] = true
		case "flakyFailure", "flakyError", "rerunFailure", "rerunError":
			found[CaseFlaky] = true
		}
		return p.decoder.Skip()
	})
	status := CasePassed
	switch state := attribute(start, "status"); {
	case found[CaseSkipped] || state == "notrun" || state == "disabled" || state == "skipped":
		status = CaseSkipped
	case found[CaseFailed]:
		status = CaseFailed
	case found[CaseFlaky]:
		status = CaseFlaky
	}
	p.add(status, attribute(start, "file"), attribute(start, "classname"), attribute(start, "name"))
	return err
}

func (p *junitParser) add(status CaseStatus, names ...string) {
	c := Case{Path: append([]string{}, p.path...), Status: status}
	for _, n := range names {
		if n != "" {
			c.Path = append(c.Path, n)
		}
	}
	p.cases = append(p.cases, c)
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
