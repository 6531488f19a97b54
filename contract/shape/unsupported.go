package shape

import (
	"github.com/git-longtask/git-longtask/contract/model"
)

// CodeUnsupported marks a part of the format that is read and checked, and
// that this version does not evaluate. It refuses: what is not evaluated must
// never count as proved.
const CodeUnsupported = "not_supported_yet"

// The parts that are not evaluated. Removing an entry is all it takes.
var (
	unsupportedRunners = map[string]string{
		model.RunnerPlaywright: "this version does not run playwright_test checks",
	}
	unsupportedSchemas = map[string]string{
		model.SchemaGoals: "this version does not evaluate " + model.SchemaGoals + " contracts",
	}
	unsupportedConfig = map[string]string{
		"prepare":       "this version does not prepare dependencies",
		"share":         "this version does not share ignored dependencies",
		"snapshot":      "this version does not take partial snapshots",
		"runtime_check": "this version has no runtime check",
		"design":        "this version does not ask for design documents",
		"docs":          "this version does not check that documents follow",
	}
)

// Unsupported reports the parts of the contract that are not evaluated.
func (d *Document) Unsupported() []model.Finding {
	r := &reader{path: d.path}
	if what := unsupportedSchemas[d.Contract.SchemaVersion]; what != "" {
		r.fail(fieldOf(d.root, "schema_version"), CodeUnsupported, "schema_version", "write the contract in "+model.SchemaV2, "%s", what)
		return r.findings
	}
	checks := func(list []model.Check, way ...any) {
		for i, c := range list {
			if what := unsupportedRunners[c.Runner.Type]; what != "" {
				place := d.Place(append(append([]any{}, way...), i, "runner", "type")...)
				f := place.Error(CodeUnsupported, what, "prove it with "+model.RunnerCommand+", "+model.RunnerProjectBinary+", "+model.RunnerNodeOracle+" or "+model.RunnerPackageScript)
				f.Refs = map[string]any{"check": c.Key, "text": c.Runner.Type}
				r.findings = append(r.findings, f)
			}
		}
	}
	checks(d.Contract.Global.Acceptance.Checks, "global", "acceptance", "checks")
	for i, o := range d.Contract.Outcomes {
		checks(o.Acceptance.Checks, "outcomes", i, "acceptance", "checks")
	}
	return r.findings
}
