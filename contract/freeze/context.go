package freeze

import (
	"context"
	"slices"

	"github.com/git-longtask/git-longtask/contract/canonical"
	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/projectcontext"
)

// selection is the context a contract freezes: path -> controlling.
type selection map[string]bool

// Context freezes the selected project context. Without context_refs it is
// optional: what exists of the standard files is frozen.
func (f *Freezer) Context(ctx context.Context) {
	if f.Graph.Doc.Broken["task"] {
		return
	}
	task := f.Graph.Contract.Task
	needed := len(task.ContextRefs) > 0
	if !needed && f.entry(projectcontext.ManifestPath) == nil {
		return
	}
	f.contextLinks(ctx)
	data, ok := f.protectContext(ctx, projectcontext.ManifestPath, []any{"task", "context_refs"})
	if !ok {
		return
	}
	m, findings := projectcontext.ParseManifest(data)
	f.Findings = append(f.Findings, findings...)
	chosen := selection{}
	if task.ContextSnapshotMode == "full" {
		for _, e := range f.entries {
			if within(e.Path, ContextDir) {
				chosen[e.Path] = true
			}
		}
		f.contextRefs(task.ContextRefs, selection{})
	} else {
		f.standardContext(needed, chosen)
		f.contextRefs(task.ContextRefs, chosen)
		f.children(m, chosen)
	}
	if len(findings) == 0 {
		f.freezeContext(ctx, m, chosen)
	}
}

// contextLinks refuses links anywhere below the context, selected or not.
func (f *Freezer) contextLinks(ctx context.Context) {
	for _, e := range f.entries {
		if within(e.Path, ContextDir) && e.Path != projectcontext.ManifestPath {
			if kind := f.problem(ctx, e.Path); kind != "" {
				f.contextProblem(e.Path, problemOf(kind))
			}
		}
	}
}

func (f *Freezer) contextProblem(path string, p *problem) {
	place := model.Place{Path: path}
	finding := place.Errorf(p.code, p.hint, "%q %s", path, p.what)
	finding.Refs = map[string]any{"context": path}
	f.Findings = append(f.Findings, finding)
}

func (f *Freezer) protectContext(ctx context.Context, path string, way []any) ([]byte, bool) {
	return f.protect(ctx, path, way, map[string]any{"context": path})
}

func (f *Freezer) standardContext(needed bool, chosen selection) {
	chosen[projectcontext.ManifestPath] = true
	for _, name := range []string{"global.md", "architecture.md"} {
		path := ContextDir + "/" + name
		switch {
		case f.entry(path) != nil:
			chosen[path] = true
		case needed:
			f.fail("context_snapshot_required_file_missing", []any{"task", "context_refs"}, map[string]any{"context": path}, "create it; the project context always has it", "%q does not exist", path)
		}
	}
}

func (f *Freezer) contextRefs(refs []string, chosen selection) {
	for i, ref := range refs {
		if !within(ref, ContextDir) || f.entry(ref) == nil {
			f.fail("context_ref_invalid", []any{"task", "context_refs", i}, map[string]any{"context": ref}, "name an existing file below "+ContextDir, "%q is no file below %s", ref, ContextDir)
			continue
		}
		chosen[ref] = true
	}
}

// children follows default_children from what is selected. A child that is
// only an index or an archive supports, everything else controls.
func (f *Freezer) children(m projectcontext.Manifest, chosen selection) {
	nodes := map[string]projectcontext.Node{}
	for _, n := range m.Context {
		nodes[n.Path] = n
	}
	var queue []string
	for path := range chosen {
		queue = append(queue, path)
	}
	slices.Sort(queue)
	for ; len(queue) > 0; queue = queue[1:] {
		for _, child := range nodes[queue[0]].Children {
			if _, known := chosen[child]; known {
				continue
			}
			if !within(child, ContextDir) || f.entry(child) == nil {
				p := &problem{"context_graph_child_missing", "names a default child that does not exist: " + child, "create the child or correct default_children"}
				f.contextProblem(projectcontext.ManifestPath, p)
				continue
			}
			role := nodes[child].Role
			chosen[child] = role != "implementation-index" && role != "archive"
			queue = append(queue, child)
		}
	}
}

// freezeContext records the selected files. context.toml is recorded by the
// topology of what is selected, so that hints for readers can change freely.
func (f *Freezer) freezeContext(ctx context.Context, m projectcontext.Manifest, chosen selection) {
	for path, controlling := range chosen {
		data, problem := f.read(ctx, path)
		if problem != nil {
			continue // links were reported, and absent files are not selected
		}
		sum := Digest(data)
		if path == projectcontext.ManifestPath {
			sum = topology(m, chosen)
		}
		f.owners[path] = "a context file"
		f.Files = append(f.Files, model.Frozen{Path: path, Kind: model.FileContext, SHA256: sum, Controlling: controlling})
	}
}

func topology(m projectcontext.Manifest, chosen selection) string {
	t := struct {
		Areas   []projectcontext.Area `json:"areas"`
		Context []projectcontext.Node `json:"context"`
	}{[]projectcontext.Area{}, []projectcontext.Node{}}
	for _, a := range m.Areas {
		if _, ok := chosen[a.Context]; ok {
			t.Areas = append(t.Areas, a)
		}
	}
	for _, n := range m.Context {
		if _, ok := chosen[n.Path]; ok {
			t.Context = append(t.Context, n)
		}
	}
	data, err := canonical.JSON(t)
	if err != nil {
		panic(err) // strings and lists always have a JSON form
	}
	return Digest(data)
}
