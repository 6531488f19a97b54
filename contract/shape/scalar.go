package shape

import (
	"math"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-longtask/git-longtask/contract/pathglob"
	"github.com/git-longtask/git-longtask/contract/yamlcore"
)

var keyGrammar = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// IsKey tells whether a text is a key of the contract.
func IsKey(s string) bool { return keyGrammar.MatchString(s) }

// anyText reads a string, the empty one included; absent is "".
func (r *reader) anyText(n *yaml.Node, field string) string {
	if n == nil {
		return ""
	}
	s, ok := "", n.Kind == yaml.ScalarNode
	if ok {
		s, ok = yamlcore.Scalar(n).(string)
	}
	if !ok {
		hint := "write a text"
		if n.Kind == yaml.ScalarNode {
			hint = "put it in quotes if the text is meant"
		}
		r.fail(n, CodeType, field, hint, "must be a text, not %s", describe(n))
	}
	return s
}

// textAt reads a string that says something.
func (r *reader) textAt(n *yaml.Node, field string) string {
	before := len(r.findings)
	s := r.anyText(n, field)
	if n != nil && len(r.findings) == before && strings.TrimSpace(s) == "" {
		r.fail(n, CodeValue, field, "write what is meant, or remove the entry", "must not be blank")
	}
	return s
}

func (r *reader) keyAt(n *yaml.Node, field string) string {
	before := len(r.findings)
	s := r.anyText(n, field)
	if n != nil && len(r.findings) == before && !IsKey(s) {
		r.fail(n, CodeValue, field, "use lower-case letters, digits and dashes, not starting with a dash", "%q is not a key", yamlcore.Trim(s))
	}
	return s
}

// pathAt reads a path with one of pathglob's File, Cwd and Glob.
func (r *reader) pathAt(n *yaml.Node, field string, parse func(string) (string, *pathglob.Error)) string {
	before := len(r.findings)
	s := r.anyText(n, field)
	if n == nil || len(r.findings) > before {
		return ""
	}
	path, err := parse(s)
	if err != nil {
		r.fail(n, err.Code, field, err.Hint, "%q %s", yamlcore.Trim(s), err.Reason)
	}
	return path
}

func (r *reader) fileAt(n *yaml.Node, field string) string { return r.pathAt(n, field, pathglob.File) }
func (r *reader) globAt(n *yaml.Node, field string) string { return r.pathAt(n, field, pathglob.Glob) }

func (r *reader) enumAt(n *yaml.Node, field string, values []string) string {
	before := len(r.findings)
	s := r.anyText(n, field)
	if n != nil && len(r.findings) == before && !contains(values, s) {
		r.fail(n, CodeValue, field, "use one of "+strings.Join(values, ", "), "%q is not allowed here", yamlcore.Trim(s))
	}
	return s
}

func (o object) text(name string) string    { return o.textAt(o.fields[name], o.at(name)) }
func (o object) text0(name string) string   { return o.anyText(o.fields[name], o.at(name)) }
func (o object) key(name string) string     { return o.keyAt(o.fields[name], o.at(name)) }
func (o object) file(name string) string    { return o.fileAt(o.fields[name], o.at(name)) }
func (o object) glob(name string) string    { return o.globAt(o.fields[name], o.at(name)) }
func (o object) texts(name string) []string { return list(o, name, o.textAt) }
func (o object) keys(name string) []string  { return list(o, name, o.keyAt) }
func (o object) files(name string) []string { return list(o, name, o.fileAt) }
func (o object) globs(name string) []string { return list(o, name, o.globAt) }

// enum reads one of values; absent is the fallback.
func (o object) enum(name, fallback string, values ...string) string {
	if !o.has(name) {
		return fallback
	}
	return o.enumAt(o.fields[name], o.at(name), values)
}

func (o object) flag(name string) bool {
	n := o.fields[name]
	if n == nil {
		return false
	}
	if n.Kind == yaml.ScalarNode {
		if b, ok := yamlcore.Scalar(n).(bool); ok {
			return b
		}
	}
	o.fail(n, CodeType, o.at(name), "write true or false", "must be true or false, not %s", describe(n))
	return false
}

// whole reads an integer between low and high; absent is the fallback.
func (o object) whole(name string, low, high, fallback int) int {
	n := o.fields[name]
	if n == nil {
		return fallback
	}
	f, ok := 0.0, n.Kind == yaml.ScalarNode
	if ok {
		f, ok = yamlcore.Scalar(n).(float64)
	}
	switch {
	case !ok:
		o.fail(n, CodeType, o.at(name), "write a number without quotes", "must be a number, not %s", describe(n))
	case f != math.Trunc(f) || f < float64(low) || f > float64(high):
		o.fail(n, CodeValue, o.at(name), "correct the number", "must be a whole number from %d to %d, not %s", low, high, yamlcore.Trim(n.Value))
	default:
		return int(f)
	}
	return fallback
}
