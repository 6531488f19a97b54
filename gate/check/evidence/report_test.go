package evidence

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// told is what a report says of the case k, or the error.
func told(r Report, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	o, err := r.Observations([]string{"k", "other"})
	if err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprintf("passed %v, executed %v, skipped %v, failed %v, instances %v of %v", o["case.k.passed"], o["case.k.executed"],
		o["case.k.skipped"], o["case.k.failed"], o["case.k.instances"], o["report.total"])
}

// events writes test events in short: "run T", "pass T", "fail" for a package.
func events(short ...string) []byte {
	var b strings.Builder
	for _, s := range short {
		action, test, _ := strings.Cut(s, " ")
		if action == "out" {
			fmt.Fprintf(&b, "{\"Action\":\"output\",\"Package\":\"p\",\"Output\":%q}\n", test)
			continue
		}
		fmt.Fprintf(&b, "{\"Action\":%q,\"Package\":\"p\",\"Test\":%q}\n", action, test)
	}
	return []byte(b.String())
}

const (
	passedOnce = "passed true, executed true, skipped false, failed false, instances 1 of 1"
	failedOnce = "passed false, executed true, skipped false, failed true, instances 1 of 1"
	missing    = "passed <nil>, executed false, skipped false, failed false, instances 0 of 1"
)

func TestGoTestReports(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		in   []byte
		want string
	}{
		{"passes", events("run T/adds_[ac:k]", "pass T/adds_[ac:k]"), passedOnce},
		{"blanks and underscores", events("run T/adds_[ac:_k_]", "pass T/adds_[ac:_k_]"), passedOnce},
		{"a group and its case", events("run T", "run T/[ac:k]", "pass T/[ac:k]", "pass T"), passedOnce},
		{"instances", events("run T/a[ac:k]", "pass T/a[ac:k]", "run T/b[ac:k]", "fail T/b[ac:k]"), "passed false, executed true, skipped false, failed true, instances 2 of 2"},
		{"a skipped instance", events("run T/a[ac:k]", "pass T/a[ac:k]", "run T/b[ac:k]", "skip T/b[ac:k]"), "passed false, executed true, skipped true, failed false, instances 2 of 2"},
		{"a skipped case in a case", events("run T/[ac:k]", "run T/[ac:k]/x", "skip T/[ac:k]/x", "pass T/[ac:k]"), "passed false, executed true, skipped true, failed false, instances 2 of 1"},
		{"never ended", events("run T/[ac:k]"), failedOnce},
		{"another key", events("run T/[ac:kk]", "pass T/[ac:kk]"), missing},
		{"a bare key", events("run T/[k]", "pass T/[k]"), missing},
		{"two keys", events("run T/[ac:k]_[ac:other]", "pass T/[ac:k]_[ac:other]"), `error: the test "p / T / [ac:k]_[ac:other]" carries the keys of 2 criteria (k, other); one test proves one`},
		{"two keys by nesting", events("run T/[ac:k]/[ac:unknown]", "pass T/[ac:k]/[ac:unknown]"), `error: the test "p / T / [ac:k] / [ac:unknown]" carries the keys of 2 criteria (k, unknown); one test proves one`},
		{"a name that was taken", events("run T/[ac:k]", "pass T/[ac:k]", "run T/[ac:k]#01", "pass T/[ac:k]#01"), `error: the test "p / T / [ac:k]#01" is in the report twice; which of the two counts cannot be told`},
		{"a name that was taken above", events("run T/a", "run T/a#01", "run T/a#01/[ac:k]", "pass T/a#01/[ac:k]", "pass T/a", "pass T/a#01"), `error: the test "p / T / a#01 / [ac:k]" is in the report twice; which of the two counts cannot be told`},
		{"a number in a name", events("run T/[ac:k]_issue_#12", "pass T/[ac:k]_issue_#12"), passedOnce},
		{"run twice", events("run T/[ac:k]", "fail T/[ac:k]", "run T/[ac:k]", "pass T/[ac:k]"), `error: the test "p / T / [ac:k]" is in the report twice; which of the two counts cannot be told`},
		{"ended without a start", events("pass T/[ac:k]"), "error: the test T/[ac:k] ended without having started"},
		{"the package fails beside its tests", events("run T/[ac:k]", "pass T/[ac:k]", "fail "), "passed true, executed true, skipped false, failed false, instances 1 of 2"},
		{"lines of a make around it", append([]byte("make: go test\n"), events("run T/[ac:k]", "pass T/[ac:k]")...), passedOnce},
		{"half an event", []byte(`{"Action":"run"`), "error: line 1 of stdout is no event of go test -json: unexpected end of JSON input"},
		{"nothing", nil, "error: stdout holds no event of go test -json"},
	} {
		if got := told(ParseGoTest(c.in)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	if _, err := ParseGoTest(events("run T/[ac:k]", "pass T/[ac:k]", "out ok  \tp\t(cached)\n")); !errors.Is(err, ErrNotFresh) {
		t.Errorf("cached results: %v", err)
	}
	if r, err := ParseGoTest(events("out FAIL\tp [build failed]\n", "fail ")); err != nil || !r.BuildFailed || r.Failed() != 1 {
		t.Errorf("a build that failed: %+v, %v", r, err)
	}
}

func TestTAPReports(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"passes", "TAP version 13\nok 1 - adds [ac:k]\n1..1\n", passedOnce},
		{"plan first, no numbers", "1..1\r\nok adds [ac:k]\r\n", passedOnce},
		{"fails", "not ok 1 - adds [ac:k]\n1..1\n", failedOnce},
		{"skipped", "ok 1 - adds [ac:k] # SKIP why\n1..1\n", "passed false, executed false, skipped true, failed false, instances 1 of 1"},
		{"todo that passes", "ok 1 - adds [ac:k] # TODO\n1..1\n", "passed false, executed false, skipped true, failed false, instances 1 of 1"},
		{"an escaped directive", "ok 1 - adds \\# SKIP [ac:k]\n1..1\n", passedOnce},
		{"subtests", "# Subtest: group [ac:k]\n    ok 1 - one\n      ---\n      ok 9 - quoted [ac:k]\n      ...\n    not ok 2 - two\n    1..2\nnot ok 1 - group [ac:k]\n1..1\n",
			"passed false, executed true, skipped false, failed true, instances 3 of 2"},
		{"twice", "ok 1 - [ac:k]\nok 2 - [ac:k]\n1..2\n", `error: the test "[ac:k]" is in the report twice; which of the two counts cannot be told`},
		{"twice but for a blank", "ok 1 - a [ac:k]\nok 2 - a_[ac:k]\n1..2\n", `error: the test "a_[ac:k]" is in the report twice; which of the two counts cannot be told`},
		{"no plan", "ok 1 - [ac:k]\n", "error: stdout holds no TAP plan (1..N), so it cannot be told whether it is complete"},
		{"fewer than planned", "1..2\nok 1 - [ac:k]\n", "error: the TAP plan promises 2 tests and 1 are there"},
		{"more than planned", "ok 1 - [ac:k]\n1..1\nok 2 - more\n", "error: the TAP plan promises 1 tests and 2 are there"},
		{"a number again", "1..2\nok 1 - [ac:k]\nok 1 - x\n", "error: line 3 of stdout: test 1 where test 2 follows"},
		{"bails out", "1..1\nok 1 - [ac:k]\nBail out! no database\n", "error: line 3 of stdout: the run bailed out"},
		{"ends within a subtest", "1..1\nok 1 - x\n    ok 1 - [ac:k]\n", "error: the TAP on stdout ends within a subtest"},
		{"ends within diagnostics", "ok 1 - [ac:k]\n  ---\n1..1\n", "error: stdout holds no TAP plan (1..N), so it cannot be told whether it is complete"},
	} {
		if got := told(ParseTAP([]byte(c.in))); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestJUnitReports(t *testing.T) {
	t.Parallel()
	suite := func(cases string) string {
		return `<testsuites><testsuite name="s">` + cases + `</testsuite></testsuites>`
	}
	for _, c := range []struct{ name, in, want string }{
		{"passes", suite(`<testcase classname="c" name="test_add[small [ac:k]]" time="0.1"><system-out>&lt;failure/></system-out></testcase>`), passedOnce},
		{"no testsuites around it", `<?xml version="1.0" encoding="utf-8"?><testsuite><testcase name="[ac:k]"/></testsuite>`, passedOnce},
		{"the key on the suite", `<testsuite name="[ac:k]"><testcase name="x"/></testsuite>`, passedOnce},
		{"fails", suite(`<testcase name="[ac:k]"><failure/></testcase>`), failedOnce},
		{"an error", suite(`<testcase name="[ac:k]"><error>at</error></testcase>`), failedOnce},
		{"flaky", suite(`<testcase name="[ac:k]"><flakyFailure/></testcase>`), failedOnce},
		{"skipped", suite(`<testcase name="[ac:k]"><skipped/></testcase>`), "passed false, executed false, skipped true, failed false, instances 1 of 1"},
		{"not run", suite(`<testcase name="[ac:k]" status="notrun"/>`), "passed false, executed false, skipped true, failed false, instances 1 of 1"},
		{"twice", suite(`<testcase name="[ac:k]"/><testcase name="[ac:k]"/>`), `error: the test "s / [ac:k]" is in the report twice; which of the two counts cannot be told`},
		{"parametrised", suite(`<testcase name="a [ac:k]"/><testcase name="b [ac:k]"/>`), "passed true, executed true, skipped false, failed false, instances 2 of 2"},
		{"an error of the suite", suite(`<error/><testcase name="[ac:k]"/>`), "passed true, executed true, skipped false, failed false, instances 1 of 2"},
		{"no test", suite(``), "passed <nil>, executed false, skipped false, failed false, instances 0 of 0"},
		{"other XML", `<html/>`, "error: the JUnit report cannot be read: its root is not one testsuites or testsuite element but html"},
		{"two roots", `<testsuite/><testsuite/>`, "error: the JUnit report cannot be read: its root is not one testsuites or testsuite element but testsuite"},
		{"cut", `<testsuite><testcase name="[ac:k]"/>`, "error: the JUnit report cannot be read: XML syntax error on line 1: unexpected EOF"},
		{"empty", ``, "error: the JUnit report cannot be read: it is empty"},
	} {
		if got := told(ParseJUnit([]byte(c.in))); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	both := suite(`<testcase name="[ac:k]"/>`)
	if got := told(ParseJUnit([]byte(both), []byte(both))); !strings.Contains(got, "in the report twice") {
		t.Errorf("one case in two files: %s", got)
	}
}

func TestFailedOutside(t *testing.T) {
	t.Parallel()
	r, err := ParseTAP([]byte("not ok 1 - [ac:k]\nnot ok 2 - other\nok 3 - fine\n1..3\n"))
	if err != nil || r.FailedOutside([]string{"k"}) != 1 || r.FailedOutside(nil) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// FuzzReports holds every adapter to what may follow from any bytes: passed
// implies instances that ran and none that did not pass.
func FuzzReports(f *testing.F) {
	f.Add([]byte("TAP version 13\n    ok 1 - a [ac:k]\n    1..1\nok 1 - b # SKIP\n1..1\n"))
	f.Add([]byte(`<testsuite name="s"><testcase name="[ac:k]"><skipped/></testcase></testsuite>`))
	f.Add(events("run T/[ac:k]", "run T/[ac:k]#01", "pass T/[ac:k]", "fail "))
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, parse := range map[string]func([]byte) (Report, error){
			"go": ParseGoTest, "tap": ParseTAP, "junit": func(b []byte) (Report, error) { return ParseJUnit(b) },
		} {
			r, err := parse(data)
			if err != nil {
				continue
			}
			o, err := r.Observations([]string{"k"})
			if err != nil {
				continue
			}
			if o["case.k.passed"] == true && (o["case.k.executed"] != true || o["case.k.skipped"] == true || o["case.k.failed"] == true || o["case.k.instances"] == 0) {
				t.Errorf("%s: %v", name, o)
			}
			if sum := o["report.passed"].(int) + o["report.failed"].(int) + o["report.skipped"].(int); sum != o["report.total"] {
				t.Errorf("%s: the totals do not add up: %v", name, o)
			}
		}
	})
}
