package contract

import (
	"fmt"
	"slices"

	"github.com/git-longtask/git-longtask/contract/pathglob"
)

// Scope answers which paths the work may change. It is made once and asked
// often.
type Scope struct {
	allowed   []pathglob.Pattern
	forbidden []forbidden
	exempt    map[string]bool
}

type forbidden struct {
	pattern pathglob.Pattern
	by      string
}

// Scope returns the contract's scope.
func (c *Compiled) Scope() Scope {
	s := Scope{exempt: map[string]bool{}}
	for _, p := range c.Contract.Global.Technical.ForbiddenPaths {
		s.forbid(p.Path, "global forbidden path "+p.Key)
	}
	var allowed []string
	for _, o := range c.Contract.Outcomes {
		allowed = append(append(allowed, o.Technical.ExpectedChangePaths...), o.Technical.AllowedSupportPaths...)
		for _, p := range o.Technical.ForbiddenPaths {
			s.forbid(p, "forbidden path of outcome "+o.Key)
		}
	}
	slices.Sort(allowed)
	for _, p := range slices.Compact(allowed) {
		s.allowed = append(s.allowed, pathglob.Parse(p))
	}
	for _, f := range c.Files {
		s.exempt[f.Path] = true
	}
	return s
}

func (s *Scope) forbid(pattern, by string) {
	s.forbidden = append(s.forbidden, forbidden{pathglob.Parse(pattern), by})
}

// Allows tells whether an outcome expects or permits changes of the path.
func (s Scope) Allows(path string) bool {
	return slices.ContainsFunc(s.allowed, func(p pathglob.Pattern) bool { return p.Match(path) })
}

// Forbidden tells whether the path is forbidden, and by what.
func (s Scope) Forbidden(path string) (by string, is bool) {
	for _, f := range s.forbidden {
		if f.pattern.Match(path) {
			return fmt.Sprintf("%s (%q)", f.by, f.pattern), true
		}
	}
	return "", false
}

// Exempt tells whether the path is frozen by the authority itself: contract,
// fragment, source, selected context, configuration or verifier. Whether its
// content is still the frozen one is not for the scope to say.
func (s Scope) Exempt(path string) bool { return s.exempt[path] }

// Patterns lists the expected and support paths, sorted, for messages.
func (s Scope) Patterns() []string {
	patterns := make([]string, len(s.allowed))
	for i, p := range s.allowed {
		patterns[i] = p.String()
	}
	return patterns
}
