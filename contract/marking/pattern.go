package marking

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled at its first use: every
// start of the program pays for what a package compiles, hooks included.
type pattern struct{ compiled func() *regexp.Regexp }

func lazy(expr string) pattern {
	return pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

func (p pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

func (p pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

func (p pattern) ReplaceAllString(s, by string) string { return p.compiled().ReplaceAllString(s, by) }
