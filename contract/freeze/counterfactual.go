package freeze

import (
	"context"
	"slices"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/pathglob"
	"github.com/git-longtask/git-longtask/contract/rules"
)

// Counterfactuals checks the files that each mutation touches. It needs what
// the earlier steps protected.
func (f *Freezer) Counterfactuals(ctx context.Context) {
	for _, u := range f.Graph.Units() {
		for i, cf := range u.Counterfactuals {
			way := u.Way("acceptance", "counterfactual_controls", i, "mutation")
			m := mutation{Freezer: f, unit: u, cf: cf, binding: f.Graph.Binding(u, cf)}
			for j, p := range cf.Mutation.Paths {
				m.path(ctx, p, append(slices.Clone(way), "paths", j))
			}
			if cf.Mutation.Type == "replace_file" {
				m.path(ctx, cf.Mutation.Path, append(slices.Clone(way), "path"))
				m.fixture(ctx, append(slices.Clone(way), "fixture_path"))
			}
		}
	}
}

type mutation struct {
	*Freezer
	unit    *rules.Unit
	cf      model.Counterfactual
	binding *model.Binding // nil when unknown, which was reported
}

func (m mutation) refs(p string) map[string]any {
	return map[string]any{"outcome": m.unit.Key, "counterfactual": m.cf.Key, "path": p}
}

// path checks a file that the mutation removes or replaces.
func (m mutation) path(ctx context.Context, p string, way []any) {
	if what := m.owners[p]; what != "" {
		m.fail("counterfactual_verification_input_protected", way, m.refs(p), "mutate a file that carries the implementation", "%q is %s, which a counterfactual may not touch", p, what)
	}
	if within(p, m.workdir) || within(p, ".git") || hasSegment(p, "node_modules") {
		m.fail("counterfactual_path_protected", way, m.refs(p), "mutate a file that carries the implementation", "%q lies in a place that a counterfactual may not touch", p)
	}
	if m.binding == nil {
		return
	}
	file := pathglob.Parse(p)
	if !slices.ContainsFunc(m.binding.CarrierPaths, func(c string) bool { return file.Within(pathglob.Parse(c)) }) {
		m.fail("counterfactual_path_outside_binding", way, m.refs(p), "mutate one of the carriers, or add the file to carrier_paths", "%q is not among the carriers of binding %s", p, m.binding.Key)
	}
	if m.binding.Existence == "existing" && !m.inManifest(p) {
		m.fail("counterfactual_path_not_found", way, m.refs(p), "correct the path, or write existence: planned in the binding", "%q does not exist, and its binding says it does", p)
	}
}

// fixture checks the file that the mutation puts in the place of another.
func (m mutation) fixture(ctx context.Context, way []any) {
	p := m.cf.Mutation.FixturePath
	refs := m.refs(p)
	if _, ok := m.protect(ctx, p, way, refs); !ok {
		return
	}
	check := m.unit.Check(m.cf.CheckKey)
	if check == nil {
		return
	}
	for _, fc := range m.checks {
		if fc.ID() == check.ID() && fc.files[p] {
			return
		}
	}
	m.fail("counterfactual_fixture_must_be_verification_input", way, refs, "add it to verification_inputs of check "+check.Key, "the fixture %q is not frozen by check %s", p, check.Key)
}
