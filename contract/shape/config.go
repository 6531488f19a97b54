package shape

import (
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/pathglob"
	"github.com/git-longtask/git-longtask/contract/yamlcore"
)

// configKeys are the keys of .longtask.yaml besides version.
var configKeys = []string{"env", "prepare", "share", "snapshot", "integration", "runtime_check", "design", "docs"}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Config reads .longtask.yaml.
func Config(path string, root *yaml.Node) (*model.Config, []model.Finding) {
	r := &reader{path: path}
	o := r.object(root, "", []string{"version"}, configKeys)
	o.whole("version", 1, 1, 1)
	c := &model.Config{Env: list(o, "env", r.variable)}
	if o.has("integration") {
		c.Integration = o.text("integration")
	}
	for i := 0; root.Kind == yaml.MappingNode && i < len(root.Content); i += 2 {
		key := root.Content[i]
		if what := unsupportedConfig[key.Value]; what != "" && !o.null(key.Value) {
			r.fail(key, CodeUnsupported, key.Value, "remove the key until a version evaluates it", "%s", what)
		}
	}
	return c, r.findings
}

// variable reads the name of an environment variable that checks may see.
func (r *reader) variable(n *yaml.Node, field string) string {
	s := r.textAt(n, field)
	reserved := s == "NODE_OPTIONS"
	for _, prefix := range []string{"GIT_", "LD_", "DYLD_"} {
		reserved = reserved || strings.HasPrefix(s, prefix)
	}
	switch {
	case s == "":
	case !variableName.MatchString(s):
		r.fail(n, CodeValue, field, "write the name only, without a value", "%q is no variable name", yamlcore.Trim(s))
	case reserved:
		r.fail(n, CodeValue, field, "remove it", "%s could change what a check runs and is never passed", s)
	}
	return s
}

// Surface is an entry of risk-surfaces.yaml: paths whose change is a risk.
type Surface struct {
	Risk  string // a fact, or ClassificationRequired
	Paths []string
	Place model.Place
}

// ClassificationRequired marks a surface whose risk nobody has named yet.
const ClassificationRequired = "classification_required"

// RiskSurfaces reads risk-surfaces.yaml. All its problems have one code.
func RiskSurfaces(path string, root *yaml.Node) ([]Surface, []model.Finding) {
	r := &reader{path: path}
	surfaces := items(r, root, "the file", func(n *yaml.Node, field string) Surface {
		o := r.object(n, field, []string{"risk", "paths"}, nil)
		s := Surface{Risk: o.enum("risk", "", append([]string{ClassificationRequired}, Facts...)...), Place: model.Place{Path: path, Line: n.Line, Column: n.Column}}
		s.Paths = list(o, "paths", func(n *yaml.Node, field string) string { return r.pathAt(n, field, pathglob.Glob) })
		return s
	})
	for i := range r.findings {
		r.findings[i].Code = "risk_surfaces_invalid"
	}
	return surfaces, r.findings
}
