package projectcontext

import (
	"context"
	"slices"
	"strings"
	"unicode"
)

// Route is what to read for some words: what everybody reads, what the manifest
// names for them, and where else they occur.
type Route struct {
	Read   []Entry `json:"read"`
	Search Search  `json:"search"`
}

// Route answers from the texts alone and keeps nothing. A word may be a path
// of the repository: it stands for the area that owns it.
func (c *Context) Route(ctx context.Context, words []string) (Route, error) {
	r, err := c.byDefault(ctx)
	if err != nil {
		return Route{}, err
	}
	asked := terms(words)
	areas := map[string]bool{}
	for _, a := range c.Manifest.Areas {
		if c.meant(a, words, asked) {
			areas[a.ID] = true
			if err := r.add(ctx, a.Context, "area "+a.ID); err != nil {
				return Route{}, err
			}
		}
	}
	for _, n := range c.Manifest.Context {
		if why := c.reason(n, areas, asked); why != "" {
			if err := r.add(ctx, n.Path, why); err != nil {
				return Route{}, err
			}
		}
	}
	if err := r.children(ctx); err != nil {
		return Route{}, err
	}
	found, err := c.search(ctx, asked, r.seen)
	return Route{Read: r.entries, Search: found}, err
}

// meant tells whether words name an area or a path that it owns.
func (c *Context) meant(a Area, words, asked []string) bool {
	if covered(a.ID, asked) {
		return true
	}
	return slices.ContainsFunc(words, func(w string) bool {
		owner, ok := c.Manifest.owner(strings.TrimSuffix(w, "/"))
		return ok && owner.ID == a.ID && strings.Contains(w, "/")
	})
}

// reason tells why a text is to be read, or "".
func (c *Context) reason(n Node, areas map[string]bool, asked []string) string {
	for _, a := range c.Manifest.Areas {
		if areas[a.ID] && (n.Path == a.Context || strings.HasPrefix(n.Path, strings.TrimSuffix(a.Context, ".md")+"/")) {
			return "area " + a.ID
		}
	}
	if covered(n.Role, asked) {
		return "role " + n.Role
	}
	for _, t := range phrases(n.Triggers) {
		if covered(t, asked) {
			return "trigger " + t
		}
	}
	return ""
}

// covered tells whether every word of a phrase was asked for.
func covered(phrase string, asked []string) bool {
	words := terms([]string{phrase})
	for _, w := range words {
		if !slices.Contains(asked, w) {
			return false
		}
	}
	return len(words) > 0
}

// terms are the words of texts, in lower case.
func terms(texts []string) []string {
	var all []string
	for _, t := range texts {
		all = append(all, strings.FieldsFunc(strings.ToLower(t), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
