package revision

import (
	"slices"
	"strings"
)

// The tables say for every field of the compiled form what a difference means.
// Reasons of protected changes are the reference's names.

var claimAdded, claimRemoved = mark{"product_claim_added", true}, mark{"product_claim_removed", true}

func claims(changed rule) rule { return keyed(claimAdded, claimRemoved, changed) }

// tightening is a list whose elements may be added freely.
func tightening(added, removed string) rule {
	return keyed(mark{added, false}, mark{removed, true}, deep(removed))
}

// compiledRule is the whole; it is a function because the tables refer to it.
func compiledRule(w *walk, old, next any) {
	fields(map[string]rule{
		"format":          unseen,
		"contract_sha256": unseen,
		"source_items":    unseen, // they are the text of the sources
		"config":          unseen, // it is the text of .longtask.yaml
		"workdir":         protected("workdir_changed"),
		"effective_risk":  effectiveRisk,
		"risk_reasons":    riskReasons,
		"contract":        contractRule,
		"files":           unseen,
	})(w, old, next)
	w.files()
}

// effectiveRisk may rise with approval and never falls.
func effectiveRisk(w *walk, old, next any) {
	if old == "strict" && next != "strict" {
		w.reject(show(old), show(next))
	}
}

func riskReasons(w *walk, old, next any) {
	for _, reason := range texts(old) {
		if !slices.Contains(texts(next), reason) {
			w.reject(reason, "")
		}
	}
}

var contractRule = fields(map[string]rule{
	"schema_version": protected("acceptance_not_monotonic"),
	"task":           taskRule,
	"source_claims":  keyed(mark{"source_claim_added", true}, mark{"source_claim_removed_or_changed", true}, deep("source_claim_removed_or_changed")),
	"risk":           deep("risk_changed_requires_review"),
	"global":         globalRule,
	"outcomes":       claims(outcomeRule),
})

var taskRule = fields(map[string]rule{
	"id":                    free("task_id_changed"),
	"title":                 free("title_changed"),
	"goal":                  protected("product_semantics_changed"),
	"source_paths":          set(mark{"source_file_content_changed", true}, mark{"source_path_removed_or_replaced", true}),
	"context_refs":          set(mark{"context_authority_changed", true}, mark{"context_authority_changed", true}),
	"context_snapshot_mode": protected("context_authority_changed"),
})

var globalRule = fields(map[string]rule{
	"product": fields(map[string]rule{"non_goals": claims(deep("product_semantics_changed"))}),
	"technical": fields(map[string]rule{
		"constraints":         globalText,
		"forbidden_shortcuts": globalText,
		"forbidden_paths":     forbiddenKeyed,
	}),
	"acceptance": fields(map[string]rule{
		"checks":                  checks,
		"counterfactual_controls": tightening("counterfactual_added", "counterfactual_removed"),
		"external_confirmations":  tightening("external_confirmation_added", "acceptance_not_monotonic"),
	}),
})

var globalText = keyed(mark{"global_semantics_changed", true}, mark{"global_semantics_changed", true}, deep("global_semantics_changed"))

// forbiddenKeyed compares what is forbidden; under which key says nothing.
func forbiddenKeyed(w *walk, old, next any) {
	paths := func(list any) []any {
		elements, _ := list.([]any)
		out := make([]any, len(elements))
		for i, e := range elements {
			object, _ := e.(map[string]any)
			out[i] = object["path"]
		}
		return out
	}
	before := len(w.changes)
	forbidden(w, paths(old), paths(next))
	if len(w.changes) == before {
		free("order_changed")(w, old, next)
	}
}

var forbidden = covering("forbidden_path_added", "forbidden_path_removed")

var outcomeRule = fields(map[string]rule{
	"key":        unseen,
	"title":      protected("product_semantics_changed"),
	"depends_on": free("dependency_changed"),
	"product":    productRule,
	"technical":  technicalRule,
	"acceptance": fields(map[string]rule{
		"checks":                  checks,
		"population":              addable("population_added", "population_weakened", deep("population_weakened")),
		"counterfactual_controls": tightening("counterfactual_added", "counterfactual_removed"),
	}),
})

var productRule = fields(map[string]rule{
	"observable_result": protected("product_semantics_changed"),
	"owner": fields(map[string]rule{
		"label":        protected("product_semantics_changed"),
		"context_refs": set(mark{"owner_context_ref_added", false}, mark{"owner_context_ref_removed", true}),
		"path_globs":   bounded("owner_path_expanded"),
	}),
	"owner_surfaces": protected("product_semantics_changed"),
	"requirements": claims(fields(map[string]rule{
		"key":                     unseen,
		"statement":               protected("product_claim_changed"),
		"required_proof_surfaces": protected("product_semantics_changed"),
	})),
	"controls":                claims(deep("product_semantics_changed")),
	"non_completing_outcomes": claims(deep("product_semantics_changed")),
})

var technicalRule = fields(map[string]rule{
	"expected_change_paths": bounded("expected_change_path_expanded"),
	"allowed_support_paths": bounded("allowed_path_expanded"),
	"forbidden_paths":       forbidden,
	"obligations": keyed(mark{"obligation_added", false}, mark{"obligation_removed_or_weakened", true}, fields(map[string]rule{
		"key":                     unseen,
		"statement":               protected("obligation_removed_or_weakened"),
		"required_proof_surfaces": set(mark{"proof_surface_added", false}, mark{"obligation_removed_or_weakened", true}),
	})),
	"forbidden_shortcuts": tightening("obligation_added", "obligation_removed_or_weakened"),
	"bindings": keyed(mark{"binding_added", false}, mark{"binding_removed_or_expanded", true}, fields(map[string]rule{
		"key":                    unseen,
		"kind":                   protected("binding_removed_or_expanded"),
		"target":                 protected("binding_removed_or_expanded"),
		"existence":              protected("binding_removed_or_expanded"),
		"verification_check_key": protected("binding_removed_or_expanded"),
		"carrier_paths":          bounded("binding_removed_or_expanded"),
	})),
	"rollback_and_recovery": addable("rollback_added", "rollback_or_recovery_weakened", fields(map[string]rule{
		"rollback":                protected("rollback_or_recovery_weakened"),
		"recovery":                protected("rollback_or_recovery_weakened"),
		"verification_check_keys": set(mark{"rollback_added", false}, mark{"rollback_or_recovery_weakened", true}),
	})),
})

var checks = keyed(mark{"check_added", false}, mark{"check_removed", true}, checkRule)

// checkRule knows which of the check's verifier files only moved.
func checkRule(w *walk, old, next any) {
	moved := w.moved(w.checkID())
	fields(map[string]rule{
		"key":                      unseen,
		"proof_surface":            protected("proof_surface_changed"),
		"runner":                   runner(moved),
		"verification_inputs":      verificationInputs(moved),
		"frozen_absent":            set(mark{"frozen_absent_added", false}, mark{"runner_definition_changed", true}),
		"input_paths":              inputPaths,
		"expected_output_paths":    set(mark{"expected_output_added", false}, mark{"expected_output_requirement_weakened", true}),
		"artifact_globs":           set(mark{"artifact_added", false}, mark{"artifact_removed", true}),
		"positive_assertions":      tightening("assertion_added", "acceptance_not_monotonic"),
		"negative_assertions":      tightening("assertion_added", "negative_assertion_removed"),
		"environment_requirements": tightening("environment_requirement_added", "environment_requirement_removed"),
	})(w, old, next)
}

// checkID is the internal id of the check at w.path, which is
// contract.outcomes.<outcome>.acceptance.checks.<key> or the global one.
func (w *walk) checkID() string {
	outcome := "GLOBAL"
	if w.path[1] == "outcomes" {
		outcome = w.path[2]
	}
	return "CHECK." + outcome + "." + w.path[len(w.path)-1]
}

// runner is protected throughout, but for a target that moved with its bytes.
func runner(moved map[string]string) rule {
	return func(w *walk, old, next any) {
		a, _ := old.(map[string]any)
		b, _ := next.(map[string]any)
		for _, name := range union(a, b) {
			r := deep("runner_definition_changed")
			if name == "target" && a["cwd"] == b["cwd"] && moved[targetOf(a)] == targetOf(b) {
				r = free("verifier_relocated")
			}
			w.at(name, r, a[name], b[name])
		}
	}
}

func targetOf(runner map[string]any) string {
	cwd, _ := runner["cwd"].(string)
	target, _ := runner["target"].(string)
	return strings.TrimPrefix(cwd+"/"+target, "./")
}

// verificationInputs may grow. One file that moved with its bytes is the same
// input; a pattern that is gone would no longer catch new files.
func verificationInputs(moved map[string]string) rule {
	return func(w *walk, old, next any) {
		was, is := texts(old), texts(next)
		from := func(p string) bool { return slices.Contains(is, moved[p]) }
		to := func(p string) bool {
			return slices.ContainsFunc(was, func(o string) bool { return moved[o] == p })
		}
		for _, p := range was {
			if from(p) {
				w.tell(mark{"verifier_relocated", false}, p, moved[p])
			}
		}
		w.covering(slices.DeleteFunc(slices.Clone(was), from), slices.DeleteFunc(slices.Clone(is), to), "verification_input_added", "verification_input_removed_or_replaced")
	}
}

// inputPaths may grow; none at all means everything.
func inputPaths(w *walk, old, next any) {
	const widened, reduced = "input_paths_widened", "input_path_coverage_reduced"
	was, is := texts(old), texts(next)
	switch {
	case len(was) > 0 && len(is) == 0:
		w.tell(mark{widened, false}, show(old), "")
	case len(was) == 0 && len(is) > 0:
		w.tell(mark{reduced, true}, "", show(next))
	default:
		w.covering(was, is, widened, reduced)
	}
}
