package rules

import (
	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/pathglob"
	"github.com/git-longtask/git-longtask/contract/shape"
)

// Surfaces reports changed paths on a risk surface whose fact names no
// outcome. One path of each surface is enough to say so.
func Surfaces(c *model.Contract, surfaces []shape.Surface, changed []string) []model.Finding {
	var findings []model.Finding
	for _, s := range surfaces {
		path := touched(s.Paths, changed)
		switch {
		case path == "":
		case s.Risk == shape.ClassificationRequired:
			findings = append(findings, s.Place.Errorf("risk_classification_required", "name the risk of this surface in risk-surfaces.yaml", "%q was changed, and nobody has said what risk that is", path))
		case len(c.Risk.Facts[s.Risk]) == 0:
			findings = append(findings, s.Place.Errorf("risk_fact_underdeclared", "list the outcome under "+s.Risk+" in risk.facts", "%q was changed, which is a %s, and risk.facts names no outcome for it", path, s.Risk))
		}
	}
	return findings
}

func touched(patterns, changed []string) string {
	for _, pattern := range patterns {
		p := pathglob.Parse(pattern)
		for _, path := range changed {
			if p.Match(path) {
				return path
			}
		}
	}
	return ""
}
