package freeze

import (
	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/pathglob"
	"github.com/git-longtask/git-longtask/contract/rules"
)

// changePath is a path that some outcome may change.
type changePath struct {
	pattern pathglob.Pattern
	unit    *rules.Unit
	way     []any
}

// forbiddenPath is a path that no outcome may change.
type forbiddenPath struct {
	pattern pathglob.Pattern
	by      string
}

// changePaths lists expected and support paths of one outcome, or of all.
func (f *Freezer) changePaths(only *rules.Unit) []changePath {
	var paths []changePath
	for _, u := range f.Graph.Outcomes {
		if u.Broken || only != nil && u != only {
			continue
		}
		t := u.Outcome.Technical
		for i, p := range t.ExpectedChangePaths {
			paths = append(paths, changePath{pathglob.Parse(p), u, u.Way("technical", "expected_change_paths", i)})
		}
		for i, p := range t.AllowedSupportPaths {
			paths = append(paths, changePath{pathglob.Parse(p), u, u.Way("technical", "allowed_support_paths", i)})
		}
	}
	return paths
}

func (f *Freezer) forbiddenPaths() []forbiddenPath {
	var paths []forbiddenPath
	if !f.Graph.Global.Broken {
		for _, p := range f.Graph.Contract.Global.Technical.ForbiddenPaths {
			paths = append(paths, forbiddenPath{pathglob.Parse(p.Path), "the global forbidden path " + p.Key})
		}
	}
	for _, u := range f.Graph.Outcomes {
		if !u.Broken {
			for _, p := range u.Outcome.Technical.ForbiddenPaths {
				paths = append(paths, forbiddenPath{pathglob.Parse(p), "a forbidden path of outcome " + u.Key})
			}
		}
	}
	return paths
}

// Technical checks change paths and bindings against the repository.
func (f *Freezer) Technical() {
	workdir := pathglob.Parse(f.workdir + "/**")
	forbidden := f.forbiddenPaths()
	for _, p := range f.changePaths(nil) {
		refs := map[string]any{"outcome": p.unit.Key, "path": p.pattern.String()}
		if !p.pattern.Disjoint(workdir) {
			f.fail("protected_path_declared", p.way, refs, "narrow the pattern so that it cannot reach "+f.workdir, "%q may match files in the work directory %q, which hold the contract", p.pattern, f.workdir)
		}
		for _, b := range forbidden {
			if !p.pattern.Disjoint(b.pattern) {
				f.fail("allowed_forbidden_path_overlap", p.way, refs, "narrow one of the two until they cannot match the same file", "%q may match files of %q, which is %s", p.pattern, b.pattern, b.by)
			}
		}
	}
	for _, u := range f.Graph.Outcomes {
		if !u.Broken {
			own := f.changePaths(u)
			for i, b := range u.Outcome.Technical.Bindings {
				f.binding(u, b, own, u.Way("technical", "bindings", i))
			}
		}
	}
}

// binding checks the carriers and the target of one binding.
func (f *Freezer) binding(u *rules.Unit, b model.Binding, own []changePath, way []any) {
	at := func(steps ...any) []any { return append(append([]any{}, way...), steps...) }
	refs := map[string]any{"outcome": u.Key, "binding": b.Key}
	onCarrier := false
	for j, c := range b.CarrierPaths {
		carrier := pathglob.Parse(c)
		onCarrier = onCarrier || carrier.Match(b.Target)
		inside := false
		for _, p := range own {
			inside = inside || carrier.Within(p.pattern)
		}
		if !inside {
			f.fail("binding_carrier_outside_change_paths", at("carrier_paths", j), refs, "add it to expected_change_paths or bind to a path that is there", "the carrier %q is not inside the paths this outcome may change", c)
		}
		if b.Existence == "existing" && len(f.matches(c)) == 0 {
			f.fail("binding_carrier_path_not_found", at("carrier_paths", j), refs, "create the file, correct the path, or write existence: planned", "the carrier %q matches no file", c)
		}
	}
	switch {
	case b.Kind == "file" && !onCarrier && len(b.CarrierPaths) > 0:
		f.fail("binding_target_outside_carrier", at("target"), refs, "add the target to carrier_paths", "the target %q is not among the carriers of its binding", b.Target)
	case b.Kind == "path_glob" && b.Existence == "existing" && len(f.matches(b.Target)) == 0:
		f.fail("binding_target_not_found", at("target"), refs, "create a file there, correct the pattern, or write existence: planned", "the target %q matches no file", b.Target)
	}
}
