package freeze

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/git-longtask/git-longtask/contract/canonical"
	"github.com/git-longtask/git-longtask/contract/model"
)

// manifestPath is the project context's table of contents.
const manifestPath = ContextDir + "/context.toml"

// manifest is context.toml. Which of its fields matter is for topology to say.
type manifest struct {
	Areas   []area `toml:"areas"`
	Context []node `toml:"context"`
}

type area struct {
	ID        string   `toml:"id" json:"id"`
	Root      string   `toml:"root" json:"root"`
	Context   string   `toml:"context" json:"context"`
	Kind      string   `toml:"kind" json:"kind"`
	Default   bool     `toml:"default" json:"-"`
	Forbidden []string `toml:"forbidden_runtime_dependencies" json:"forbidden_runtime_dependencies"`
}

type node struct {
	Path       string   `toml:"path" json:"path"`
	Role       string   `toml:"role" json:"role"`
	ReadWhen   any      `toml:"read_when" json:"-"`
	ReadPolicy any      `toml:"read_policy" json:"-"`
	Triggers   any      `toml:"triggers" json:"-"`
	Children   []string `toml:"default_children" json:"default_children"`
}

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
	if !needed && f.entry(manifestPath) == nil {
		return
	}
	f.contextLinks(ctx)
	data, ok := f.protectContext(ctx, manifestPath, []any{"task", "context_refs"})
	if !ok {
		return
	}
	m, ok := f.manifestOf(data)
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
	if ok {
		f.freezeContext(ctx, m, chosen)
	}
}

// contextLinks refuses links anywhere below the context, selected or not.
func (f *Freezer) contextLinks(ctx context.Context) {
	for _, e := range f.entries {
		if within(e.Path, ContextDir) && e.Path != manifestPath {
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

// manifestOf reads context.toml strictly.
func (f *Freezer) manifestOf(data []byte) (manifest, bool) {
	var m manifest
	before := len(f.Findings)
	fail := func(line, column int, format string, args ...any) {
		place := model.Place{Path: manifestPath, Line: line, Column: column}
		f.Findings = append(f.Findings, place.Errorf("context_manifest_invalid", "correct the file; it has [[areas]] with id, root, context and [[context]] with path, role", format, args...))
	}
	meta, err := toml.Decode(string(data), &m)
	var syntax toml.ParseError
	switch {
	case errors.As(err, &syntax):
		fail(syntax.Position.Line, max(syntax.Position.Col, 1), "not valid TOML: %s", syntax.Message)
	case err != nil:
		fail(1, 1, "not valid: %s", strings.TrimPrefix(err.Error(), "toml: "))
	default:
		for _, key := range meta.Undecoded() {
			fail(lineOf(data, key[len(key)-1]), 1, "unknown field %q", key.String())
		}
		for i, a := range m.Areas {
			if a.ID == "" || a.Root == "" || a.Context == "" {
				fail(tableLine(data, "[[areas]]", i), 1, "an area lacks id, root or context")
			}
		}
		for i, n := range m.Context {
			if n.Path == "" || n.Role == "" {
				fail(tableLine(data, "[[context]]", i), 1, "a context entry lacks path or role")
			}
		}
	}
	return m, len(f.Findings) == before
}

// lineOf finds the first line that assigns a key.
func lineOf(data []byte, key string) int {
	for i, line := range strings.Split(string(data), "\n") {
		if name, _, ok := strings.Cut(line, "="); ok && strings.Trim(strings.TrimSpace(name), `"`) == key || strings.Trim(strings.TrimSpace(line), "[] ") == key {
			return i + 1
		}
	}
	return 1
}

// tableLine finds the n-th table of a name.
func tableLine(data []byte, header string, n int) int {
	for i, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), header) {
			if n == 0 {
				return i + 1
			}
			n--
		}
	}
	return 1
}

func (f *Freezer) standardContext(needed bool, chosen selection) {
	chosen[manifestPath] = true
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
func (f *Freezer) children(m manifest, chosen selection) {
	nodes := map[string]node{}
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
				f.contextProblem(manifestPath, p)
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
func (f *Freezer) freezeContext(ctx context.Context, m manifest, chosen selection) {
	for path, controlling := range chosen {
		data, problem := f.read(ctx, path)
		if problem != nil {
			continue // links were reported, and absent files are not selected
		}
		sum := Digest(data)
		if path == manifestPath {
			sum = m.topology(chosen)
		}
		f.owners[path] = "a context file"
		f.Files = append(f.Files, model.Frozen{Path: path, Kind: model.FileContext, SHA256: sum, Controlling: controlling})
	}
}

func (m manifest) topology(chosen selection) string {
	t := struct {
		Areas   []area `json:"areas"`
		Context []node `json:"context"`
	}{[]area{}, []node{}}
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
