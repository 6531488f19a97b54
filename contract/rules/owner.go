package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/pathglob"
)

// Owners reports paths and bindings outside the boundary their owner gives.
func Owners(g *Graph) []model.Finding {
	c := &checker{Graph: g}
	for _, u := range g.Outcomes {
		if !u.Broken {
			c.owner(u)
		}
	}
	return c.findings
}

func (c *checker) owner(u *Unit) {
	owner := u.Outcome.Product.Owner
	for i, ref := range owner.ContextRefs {
		if !c.Doc.Broken["task"] && !slices.Contains(c.Contract.Task.ContextRefs, ref) {
			c.fail("owner_context_ref_unknown", u.Way("product", "owner", "context_refs", i), u.refs("context_ref", ref),
				"add "+ref+" to task.context_refs, or remove it here", "%q is not among task.context_refs", ref)
		}
	}
	globs := make([]pathglob.Pattern, len(owner.PathGlobs))
	for i, glob := range owner.PathGlobs {
		globs[i] = pathglob.Parse(glob)
	}
	var blocked []string
	if len(globs) == 0 {
		c.fail("owner_path_globs_empty", u.Way("product", "owner", "path_globs"), u.refs(), "name the paths that belong to the owner of this outcome", "outcome %s has an owner without paths", u.Key)
		blocked = []string{"owner_path_globs_empty"}
	}
	inside := func(code string, path string, way []any, hint string) {
		p := pathglob.Parse(path)
		if slices.ContainsFunc(globs, p.Within) {
			return
		}
		f := c.fail(code, way, u.refs("path", path, "owner_paths", owner.PathGlobs), hint, "%q is not inside owner paths %s", path, quoteAll(owner.PathGlobs))
		f.BlockedBy = blocked
	}
	t := u.Outcome.Technical
	for i, p := range t.ExpectedChangePaths {
		inside("path_outside_owner_boundary", p, u.Way("technical", "expected_change_paths", i), "widen product.owner.path_globs or narrow this path")
	}
	for i, p := range t.AllowedSupportPaths {
		inside("path_outside_owner_boundary", p, u.Way("technical", "allowed_support_paths", i), "widen product.owner.path_globs or narrow this path")
	}
	for i, b := range t.Bindings {
		for j, p := range b.CarrierPaths {
			inside("binding_carrier_outside_owner_boundary", p, u.Way("technical", "bindings", i, "carrier_paths", j), "bind to a path the owner owns")
		}
		c.verified(u, b, i)
	}
}

// verified checks that a verified binding is proved by its own check.
func (c *checker) verified(u *Unit, b model.Binding, i int) {
	if b.Kind != "verified" {
		return
	}
	way := u.Way("technical", "bindings", i, "verification_check_key")
	check := u.Check(b.VerificationCheckKey)
	if check == nil {
		c.fail("verified_binding_check_unknown", way, u.refs("binding", b.Key, "check", b.VerificationCheckKey), "write the key of a check of this outcome: "+u.checkList(), "outcome %s has no check %q", u.Key, b.VerificationCheckKey)
		return
	}
	local := "obligation." + b.Key
	for _, a := range check.assertions {
		if slices.Contains(a.Claims, local) {
			return
		}
	}
	c.fail("verified_binding_obligation_uncovered", way, u.refs("binding", b.Key, "check", check.Key, "claim", local),
		"add the obligation "+b.Key+" and claim "+local+" in an assertion of that check", "no assertion of check %s claims %s, which the verified binding stands for", check.Key, local)
}

func (u *Unit) checkList() string {
	keys := make([]string, len(u.Checks))
	for i, c := range u.Checks {
		keys[i] = c.Key
	}
	return strings.Join(keys, ", ")
}

func quoteAll(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	if len(quoted) == 0 {
		return "(none)"
	}
	return strings.Join(quoted, ", ")
}

func quote(s string) string { return fmt.Sprintf("%+q", s) }
