package shape

import (
	"gopkg.in/yaml.v3"

	"github.com/git-longtask/git-longtask/contract/model"
)

// Surfaces are the proof surfaces of the format.
var Surfaces = []string{
	"ui_browser", "runtime_behavior", "api_contract", "data_state", "security_boundary", "population_coverage", "implementation_structure",
}

func (r *reader) outcome(n *yaml.Node, field string) model.Outcome {
	o := r.object(n, field, []string{"key", "title", "product", "technical", "acceptance"}, []string{"depends_on"})
	return model.Outcome{
		Key: o.key("key"), Title: o.text("title"), DependsOn: o.keys("depends_on"),
		Product: o.product(), Technical: o.technical(), Acceptance: o.acceptance(),
	}
}

func (o object) product() model.Product {
	p := o.sub("product", []string{"observable_result", "owner"}, []string{"requirements", "owner_surfaces", "controls", "non_completing_outcomes"})
	owner := p.sub("owner", []string{"label", "context_refs", "path_globs"}, nil)
	product := model.Product{
		ObservableResult: p.text("observable_result"), OwnerSurfaces: p.texts("owner_surfaces"),
		Requirements: list(p, "requirements", o.requirement), Controls: list(p, "controls", o.control),
		NonCompletingOutcomes: list(p, "non_completing_outcomes", o.keyed),
	}
	product.Owner.Label = owner.text("label")
	product.Owner.ContextRefs = owner.files("context_refs")
	product.Owner.PathGlobs = owner.globs("path_globs")
	return product
}

// requirement reads a requirement or an obligation. Without a statement the
// text of the source item mapped to it is meant.
func (r *reader) requirement(n *yaml.Node, field string) model.Requirement {
	o := r.object(n, field, []string{"key", "required_proof_surfaces"}, []string{"statement"})
	seen := map[string]bool{}
	q := model.Requirement{Key: o.key("key"), Statement: o.text("statement")}
	q.RequiredProofSurfaces = list(o, "required_proof_surfaces", func(n *yaml.Node, field string) string {
		s := r.enumAt(n, field, Surfaces)
		if s != "" && seen[s] {
			r.fail(n, "required_proof_surface_duplicate", field, "remove one of the two", "%s is listed twice", s)
		}
		seen[s] = true
		return s
	})
	if f := o.fields["required_proof_surfaces"]; f != nil && f.Kind == yaml.SequenceNode && len(f.Content) == 0 {
		r.fail(f, "required_proof_surfaces_empty", o.at("required_proof_surfaces"), "name at least one surface on which it must be proved", "must not be empty")
	}
	return q
}

func (r *reader) control(n *yaml.Node, field string) model.Control {
	o := r.object(n, field, []string{"key", "location"}, []string{"trigger", "input", "loading_state", "empty_state", "success_state", "failure_state", "feedback"})
	return model.Control{
		Key: o.key("key"), Location: o.text("location"), Trigger: o.text0("trigger"), Input: o.text0("input"),
		LoadingState: o.text0("loading_state"), EmptyState: o.text0("empty_state"), SuccessState: o.text0("success_state"),
		FailureState: o.text0("failure_state"), Feedback: o.text0("feedback"),
	}
}

func (o object) technical() model.Technical {
	t := o.sub("technical", []string{"expected_change_paths"}, []string{"allowed_support_paths", "forbidden_paths", "obligations", "forbidden_shortcuts", "bindings", "rollback_and_recovery"})
	return model.Technical{
		ExpectedChangePaths: t.globs("expected_change_paths"), AllowedSupportPaths: t.globs("allowed_support_paths"),
		ForbiddenPaths: t.globs("forbidden_paths"), Obligations: list(t, "obligations", o.requirement),
		ForbiddenShortcuts: list(t, "forbidden_shortcuts", o.keyed), Bindings: list(t, "bindings", o.binding),
		RollbackAndRecovery: t.rollback(),
	}
}

func (o object) rollback() *model.Rollback {
	if !o.has("rollback_and_recovery") || o.null("rollback_and_recovery") {
		return nil
	}
	b := o.sub("rollback_and_recovery", []string{"rollback", "recovery", "verification_check_keys"}, nil)
	return &model.Rollback{Rollback: b.text("rollback"), Recovery: b.text("recovery"), VerificationCheckKeys: b.keys("verification_check_keys")}
}

func (r *reader) binding(n *yaml.Node, field string) model.Binding {
	o := r.object(n, field, []string{"key", "kind", "target", "carrier_paths"}, []string{"existence", "verification_check_key"})
	b := model.Binding{
		Key: o.key("key"), Kind: o.enum("kind", "", "file", "path_glob", "verified"), CarrierPaths: o.globs("carrier_paths"),
		Existence: o.enum("existence", "existing", "existing", "planned"), VerificationCheckKey: o.key("verification_check_key"),
	}
	switch b.Kind {
	case "file":
		b.Target = o.file("target")
	case "path_glob":
		b.Target = o.glob("target")
	default:
		b.Target = o.text("target")
	}
	check := o.fields["verification_check_key"]
	switch {
	case b.Kind == "verified" && check == nil:
		r.fail(n, CodeMissing, o.field, "add verification_check_key: with the check that proves the binding", "a verified binding lacks the field %q", "verification_check_key")
	case check != nil && (b.Kind == "file" || b.Kind == "path_glob"):
		r.fail(check, CodeValue, o.at("verification_check_key"), "remove it, or use kind: verified", "is allowed only for a verified binding")
	}
	return b
}

func (o object) acceptance() model.OutcomeAcceptance {
	a := o.sub("acceptance", []string{"checks"}, []string{"population", "counterfactual_controls"})
	out := model.OutcomeAcceptance{Checks: list(a, "checks", o.check), CounterfactualControls: list(a, "counterfactual_controls", o.outcomeCounterfactual)}
	if a.has("population") && !a.null("population") {
		out.Population = a.population()
	}
	return out
}

func (o object) population() *model.Population {
	p := o.sub("population", []string{"check_key", "claims", "observations", "exclusion_rules"}, []string{"allow_empty"})
	obs := p.sub("observations", []string{"eligible_ids", "observed_ids", "excluded_items"}, nil)
	out := &model.Population{CheckKey: p.key("check_key"), Claims: p.texts("claims"), ExclusionRules: list(p, "exclusion_rules", o.keyed), AllowEmpty: p.flag("allow_empty")}
	out.Observations.EligibleIDs = obs.text("eligible_ids")
	out.Observations.ObservedIDs = obs.text("observed_ids")
	out.Observations.ExcludedItems = obs.text("excluded_items")
	return out
}
