package evidence

import (
	"regexp"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
)

// Codes of an assertion that does not hold.
const (
	ValueMismatch = "assertion_value_mismatch"
	Missing       = "observation_missing"
	TypeMismatch  = "observation_type_mismatch"
)

// Evaluation is what an assertion found. Code is empty when it holds; Present
// tells a null observation from an absent one.
type Evaluation struct {
	Code    string
	Actual  any
	Present bool
}

// Evaluate decides one assertion over the observations of a run.
func Evaluate(a contract.Assertion, observations map[string]any) Evaluation {
	actual, present := Lookup(observations, a.Observation)
	e := Evaluation{Actual: actual, Present: present}
	if !present {
		e.Code = Missing
		return e
	}
	switch holds, comparable := apply(a.Operator, actual, a.Expected); {
	case !comparable:
		e.Code = TypeMismatch
	case !holds:
		e.Code = ValueMismatch
	}
	return e
}

// apply tells whether the operator holds and whether the two values can be
// compared by it at all. The negated form of an operator compares the same
// types and holds when the plain one does not.
func apply(operator string, actual, expected any) (holds, comparable bool) {
	switch operator {
	case "exists":
		return true, true
	case "truthy":
		return truthy(actual), true
	case "falsy":
		return !truthy(actual), true
	case "not_equals", "not_contains", "not_matches":
		holds, comparable = apply(strings.TrimPrefix(operator, "not_"), actual, expected)
		return !holds, comparable
	case "equals":
		return Canonical(actual) == Canonical(expected), kind(actual) == kind(expected)
	case "contains":
		return contains(actual, expected)
	case "matches":
		return matches(actual, expected)
	case "set_equals", "subset_of", "superset_of":
		return setRelation(operator, actual, expected)
	}
	return ordered(operator, actual, expected)
}

func contains(actual, expected any) (holds, comparable bool) {
	switch t := actual.(type) {
	case string:
		part, ok := expected.(string)
		return ok && strings.Contains(t, part), ok
	case []any:
		return setOf(t)[Canonical(expected)], true
	}
	return false, false
}

func matches(actual, expected any) (holds, comparable bool) {
	text, okText := actual.(string)
	pattern, okPattern := expected.(string)
	if !okText || !okPattern {
		return false, false
	}
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(text), err == nil
}

func ordered(operator string, actual, expected any) (holds, comparable bool) {
	order, ok := compare(actual, expected)
	switch operator {
	case "greater_than":
		return order > 0, ok
	case "greater_or_equal":
		return order >= 0, ok
	case "less_than":
		return order < 0, ok
	case "less_or_equal":
		return order <= 0, ok
	}
	return false, false
}

func setRelation(operator string, actual, expected any) (holds, comparable bool) {
	x, okX := actual.([]any)
	y, okY := expected.([]any)
	if !okX || !okY {
		return false, false
	}
	a, b := setOf(x), setOf(y)
	switch operator {
	case "subset_of":
		return within(a, b), true
	case "superset_of":
		return within(b, a), true
	}
	return within(a, b) && within(b, a), true
}

func setOf(values []any) map[string]bool {
	set := make(map[string]bool, len(values))
	for _, v := range values {
		set[Canonical(v)] = true
	}
	return set
}

func within(a, b map[string]bool) bool {
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return true
}
