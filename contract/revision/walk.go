package revision

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/contract/pathglob"
)

// walk goes through both contracts at once.
type walk struct {
	old, next Side
	base      Base
	scope     contract.Scope // of old
	path      []string
	changes   []Change
}

// rule compares the values of both contracts at w.path. A value that is not
// there is nil.
type rule func(w *walk, old, next any)

// mark is what a difference means.
type mark struct {
	reason    string
	protected bool
}

func (w *walk) tell(m mark, old, next string) {
	w.changes = append(w.changes, Change{Reason: m.reason, Place: strings.Join(w.path, "."), Old: old, New: next, Protected: m.protected})
}

func (w *walk) reject(old, next string) {
	w.changes = append(w.changes, Change{Reason: DowngradeRejected, Place: strings.Join(w.path, "."), Old: old, New: next, Protected: true, Rejected: true})
}

// at applies a rule one step deeper.
func (w *walk) at(step string, r rule, old, next any) {
	w.path = append(w.path, step)
	r(w, old, next)
	w.path = w.path[:len(w.path)-1]
}

// unseen is for what another rule tells already.
func unseen(*walk, any, any) {}

// protected says that any difference needs approval.
func protected(reason string) rule { return differs(mark{reason, true}) }

// free says that no difference needs approval.
func free(reason string) rule { return differs(mark{reason, false}) }

func differs(m mark) rule {
	return func(w *walk, old, next any) {
		if !reflect.DeepEqual(old, next) {
			w.tell(m, show(old), show(next))
		}
	}
}

// addable is protected, except where there was nothing before.
func addable(added, changed string, inner rule) rule {
	return func(w *walk, old, next any) {
		switch {
		case old == nil && next == nil:
		case old == nil:
			w.tell(mark{added, false}, "", show(next))
		case next == nil:
			w.tell(mark{changed, true}, show(old), "")
		default:
			inner(w, old, next)
		}
	}
}

// fields goes through an object. A field without a rule is protected, so that
// nobody forgets one.
func fields(rules map[string]rule) rule {
	return func(w *walk, old, next any) {
		a, _ := old.(map[string]any)
		b, _ := next.(map[string]any)
		for _, name := range union(a, b) {
			r := rules[name]
			if r == nil {
				r = protected("acceptance_not_monotonic")
			}
			w.at(name, r, a[name], b[name])
		}
	}
}

// deep goes through objects and tells each field that differs, all protected
// for the same reason.
func deep(reason string) rule {
	return func(w *walk, old, next any) {
		a, okA := old.(map[string]any)
		b, okB := next.(map[string]any)
		if !okA || !okB {
			protected(reason)(w, old, next)
			return
		}
		for _, name := range union(a, b) {
			w.at(name, deep(reason), a[name], b[name])
		}
	}
}

func union(a, b map[string]any) []string {
	var names []string
	for name := range a {
		names = append(names, name)
	}
	for name := range b {
		if _, twice := a[name]; !twice {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// keyed goes through a list whose elements have keys.
func keyed(added, removed mark, element rule) rule {
	return func(w *walk, old, next any) {
		a, was := byKey(old)
		b, is := byKey(next)
		for _, key := range was {
			if v, ok := b[key]; ok {
				w.at(key, element, a[key], v)
			} else {
				w.at(key, differs(removed), a[key], nil)
			}
		}
		for _, key := range is {
			if _, known := a[key]; !known {
				w.at(key, differs(added), nil, b[key])
			}
		}
		w.order(common(was, b), common(is, a))
	}
}

func byKey(list any) (map[string]any, []string) {
	elements, _ := list.([]any)
	found := make(map[string]any, len(elements))
	var keys []string
	for _, e := range elements {
		object, _ := e.(map[string]any)
		key, _ := object["key"].(string)
		found[key] = e
		keys = append(keys, key)
	}
	return found, keys
}

func common(keys []string, in map[string]any) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { _, ok := in[key]; return !ok })
}

// order tells that the same things stand in another order, which means
// nothing to a gate.
func (w *walk) order(old, next []string) {
	if !slices.Equal(old, next) {
		w.tell(mark{"order_changed", false}, strings.Join(old, ", "), strings.Join(next, ", "))
	}
}

// set goes through a list of texts whose order means nothing.
func set(added, removed mark) rule {
	return func(w *walk, old, next any) { w.texts(texts(old), texts(next), added, removed) }
}

func (w *walk) texts(was, is []string, added, removed mark) {
	for _, t := range was {
		if !slices.Contains(is, t) {
			w.tell(removed, t, "")
		}
	}
	for _, t := range is {
		if !slices.Contains(was, t) {
			w.tell(added, "", t)
		}
	}
	kept := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(t string) bool { return !slices.Contains(other, t) })
	}
	w.order(kept(was, is), kept(is, was))
}

func texts(list any) []string {
	elements, _ := list.([]any)
	out := make([]string, 0, len(elements))
	for _, e := range elements {
		text, _ := e.(string)
		out = append(out, text)
	}
	return out
}

// bounded is a list of patterns that may be narrowed freely. A pattern that
// is not proved to lie inside an old one is protected.
func bounded(widened string) rule {
	return func(w *walk, old, next any) {
		was, is := texts(old), texts(next)
		for _, p := range is {
			if slices.Contains(was, p) {
				continue
			}
			w.tell(mark{"paths_narrowed", false}.unless(insideOne(p, was), widened), "", p)
		}
		for _, p := range was {
			if !slices.Contains(is, p) {
				w.tell(mark{"paths_narrowed", false}, p, "")
			}
		}
	}
}

// covering is a list of patterns that may be widened freely. An old pattern
// that is not proved to lie inside a new one is protected.
func covering(added, reduced string) rule {
	return func(w *walk, old, next any) { w.covering(texts(old), texts(next), added, reduced) }
}

func (w *walk) covering(was, is []string, added, reduced string) {
	for _, p := range was {
		if !slices.Contains(is, p) {
			w.tell(mark{added, false}.unless(insideOne(p, is), reduced), p, "")
		}
	}
	for _, p := range is {
		if !slices.Contains(was, p) {
			w.tell(mark{added, false}, "", p)
		}
	}
}

// unless gives the mark when something was proved, else a protected one.
func (m mark) unless(proved bool, reason string) mark {
	if proved {
		return m
	}
	return mark{reason, true}
}

func insideOne(pattern string, owners []string) bool {
	p := pathglob.Parse(pattern)
	return slices.ContainsFunc(owners, func(o string) bool { return p.Within(pathglob.Parse(o)) })
}

// show is a value for people: texts as they are, all else as JSON.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // came out of a JSON decoder
	}
	return strings.TrimSuffix(b.String(), "\n")
}
