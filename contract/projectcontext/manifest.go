// Package projectcontext reads what a project tells those who work on it: the
// manifest project_context/context.toml and the texts beside it. It answers
// which texts to read for some words, which may be out of date after a change,
// and what is wrong with them. It takes a tree of files and keeps nothing; what
// of the context a contract freezes is not for it to say.
package projectcontext

import (
	"errors"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/git-longtask/git-longtask/contract/model"
)

// Dir holds the project context, Manifest its table of contents, and Global
// and Architecture the texts that everybody reads.
const (
	Dir              = "project_context"
	ManifestPath     = Dir + "/context.toml"
	GlobalPath       = Dir + "/global.md"
	ArchitecturePath = Dir + "/architecture.md"
)

// Manifest is context.toml.
type Manifest struct {
	Areas   []Area `toml:"areas"`
	Context []Node `toml:"context"`
}

// Area is a part of the repository, and the text that describes it.
type Area struct {
	ID        string   `toml:"id" json:"id"`
	Root      string   `toml:"root" json:"root"`
	Context   string   `toml:"context" json:"context"`
	Kind      string   `toml:"kind" json:"kind"`
	Default   bool     `toml:"default" json:"-"`
	Forbidden []string `toml:"forbidden_runtime_dependencies" json:"forbidden_runtime_dependencies"`
}

// Node is a text of the context. Its JSON holds what is part of the authority
// of a contract that selects it; hints for readers are not.
type Node struct {
	Path       string   `toml:"path" json:"path"`
	Role       string   `toml:"role" json:"role"`
	ReadWhen   any      `toml:"read_when" json:"-"`
	ReadPolicy any      `toml:"read_policy" json:"-"`
	Triggers   any      `toml:"triggers" json:"-"`
	Children   []string `toml:"default_children" json:"default_children"`
}

// ParseManifest reads context.toml strictly: unknown and missing fields are
// findings, each with its line.
func ParseManifest(data []byte) (Manifest, []model.Finding) {
	var m Manifest
	var findings []model.Finding
	fail := func(line, column int, format string, args ...any) {
		place := model.Place{Path: ManifestPath, Line: line, Column: column}
		findings = append(findings, place.Errorf("context_manifest_invalid", "correct the file; it has [[areas]] with id, root, context and [[context]] with path, role", format, args...))
	}
	meta, err := toml.Decode(string(data), &m)
	var syntax toml.ParseError
	switch {
	case errors.As(err, &syntax):
		fail(syntax.Position.Line, max(syntax.Position.Col, 1), "not valid TOML: %s", syntax.Message)
		return m, findings
	case err != nil:
		fail(1, 1, "not valid: %s", strings.TrimPrefix(err.Error(), "toml: "))
		return m, findings
	}
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
	return m, findings
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

// nodes are the manifest's texts by path; the first entry of a path counts.
func (m Manifest) nodes() map[string]Node {
	nodes := make(map[string]Node, len(m.Context))
	for _, n := range m.Context {
		if _, twice := nodes[n.Path]; !twice {
			nodes[n.Path] = n
		}
	}
	return nodes
}

// always tells whether everybody reads a text.
func (n Node) always() bool {
	return n.ReadPolicy == "default" || n.ReadPolicy == "always"
}

// phrases are the strings of a field that holds one or a list of them.
func phrases(field any) []string {
	switch v := field.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

// owner is the area with the longest root that holds a path.
func (m Manifest) owner(path string) (Area, bool) {
	var best Area
	found := false
	for _, a := range m.Areas {
		root := a.root()
		if (root == "" || path == root || strings.HasPrefix(path, root+"/")) && (!found || len(root) > len(best.root())) {
			best, found = a, true
		}
	}
	return best, found
}

// root is the area's directory, "" for the whole repository.
func (a Area) root() string {
	root := strings.TrimPrefix(a.Root, "./")
	root = strings.TrimSuffix(strings.TrimSuffix(root, "/**"), "/")
	if root == "." || root == "**" {
		return ""
	}
	return root
}
