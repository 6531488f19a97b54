package shape

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/pathglob"
	"github.com/git-longtask/git-longtask/contract/yamlcore"
)

// Retired and later schema versions have codes of their own.
const (
	schemaV1       = "long-task-delivery-v1"
	CodeRetired    = "long_task_delivery_v1_retired_use_v2"
	CodeOutOfScope = "out_of_scope_requires_non_goal_or_decision"
)

// maxTaskID keeps refs and directories named after a task portable.
const maxTaskID = 64

// Read reads the contract file. Fragments it names are read by AddFragment.
func Read(path string, root *yaml.Node) *Document {
	d := &Document{path: path, root: root, Broken: map[string]bool{}}
	d.Contract.Outcomes = []model.Outcome{}
	r := &reader{path: path}
	o := r.object(root, "", []string{"schema_version", "task", "source_claims", "risk", "global"}, []string{"outcomes", "outcome_files"})
	section := func(name string, read func()) {
		before := len(r.findings)
		read()
		if len(r.findings) > before || root.Kind != yaml.MappingNode || !o.has(name) && name != "outcomes" {
			d.Broken[name] = true
		}
	}
	c := &d.Contract
	c.SchemaVersion = o.schema()
	section("task", func() { c.Task = o.task() })
	section("source_claims", func() { c.SourceClaims = list(o, "source_claims", r.sourceClaim) })
	section("risk", func() { c.Risk = o.risk() })
	section("global", func() { c.Global = o.global() })
	section("outcomes", func() {
		d.addOutcomes(r, o.fields["outcomes"], "outcomes")
		d.FragmentPaths = o.outcomeFiles()
	})
	d.Findings = r.findings
	return d
}

func (o object) schema() string {
	s := o.text("schema_version")
	n := o.fields["schema_version"]
	switch s {
	case "", model.SchemaV2, model.SchemaGoals:
	case schemaV1:
		o.fail(n, CodeRetired, "schema_version", "write "+model.SchemaV2+" and rewrite the contract in its form", "%s is retired", schemaV1)
	default:
		o.fail(n, CodeValue, "schema_version", "write "+model.SchemaV2, "%q is not a known schema", yamlcore.Trim(s))
	}
	return s
}

func (o object) task() model.Task {
	t := o.sub("task", []string{"id", "title", "goal", "source_paths", "context_refs"}, []string{"context_snapshot_mode"})
	task := model.Task{
		ID: t.key("id"), Title: t.text("title"), Goal: t.text("goal"),
		SourcePaths: t.files("source_paths"), ContextRefs: t.files("context_refs"),
		ContextSnapshotMode: t.enum("context_snapshot_mode", "referenced", "referenced", "full"),
	}
	if len(task.ID) > maxTaskID {
		t.fail(t.fields["id"], CodeValue, t.at("id"), "choose a shorter id", "has %d characters, at most %d are allowed", len(task.ID), maxTaskID)
	}
	return task
}

// Facts are the names of the risk facts, in the order of the format.
var Facts = []string{
	"public_api_or_schema_change", "persistent_data_change", "data_migration", "security_boundary_change",
	"permission_boundary_change", "irreversible_external_effect", "critical_user_path", "full_population_operation",
	"multi_repository_change", "weak_observability",
}

func (o object) risk() model.Risk {
	r := o.sub("risk", []string{"facts"}, []string{"requested_level"})
	risk := model.Risk{RequestedLevel: r.enum("requested_level", "auto", "auto", "standard", "strict"), Facts: map[string][]string{}}
	facts := r.sub("facts", nil, Facts)
	for _, f := range Facts {
		risk.Facts[f] = facts.keys(f)
	}
	return risk
}

func (o object) outcomeFiles() []string {
	n, both := o.fields["outcome_files"], o.has("outcomes")
	switch {
	case n != nil && both:
		o.fail(n, CodeValue, "outcome_files", "move the outcomes of those files into outcomes and remove outcome_files", "cannot stand beside outcomes")
	case n == nil && !both && o.fields != nil:
		o.fail(o.node, CodeMissing, "the contract", "add outcomes: with at least one outcome", "lacks the field %q", "outcomes")
	}
	seen := map[string]bool{}
	return list(o, "outcome_files", func(n *yaml.Node, field string) string {
		before := len(o.findings)
		path := o.fileAt(n, field)
		switch {
		case len(o.findings) > before:
		case !strings.HasSuffix(path, ".yaml"):
			o.fail(n, pathglob.CodeUnsafe, field, "name a file that ends in .yaml", "%q does not end in .yaml", path)
		case seen[path]:
			o.fail(n, CodeValue, field, "remove one of the two", "%q is listed twice", path)
		}
		seen[path] = true
		return path
	})
}

// sourceClaim reads where one marked source item went. Without a statement the
// item's own text is meant.
func (r *reader) sourceClaim(n *yaml.Node, field string) model.SourceClaim {
	o := r.object(n, field, []string{"key", "source_ref", "disposition"}, []string{"statement"})
	c := model.SourceClaim{Key: o.key("key"), SourceRef: o.sourceRef(), Statement: o.text("statement")}
	if d := o.fields["disposition"]; d != nil {
		c.Disposition = r.disposition(d, o.at("disposition"))
	}
	return c
}

func (o object) sourceRef() string {
	before := len(o.findings)
	s := o.text("source_ref")
	n := o.fields["source_ref"]
	if n == nil || len(o.findings) > before {
		return ""
	}
	file, anchor, found := strings.Cut(s, "#")
	path, err := pathglob.File(file)
	switch {
	case err != nil:
		o.fail(n, err.Code, o.at("source_ref"), err.Hint, "%q %s", yamlcore.Trim(file), err.Reason)
	case found && (anchor == "" || strings.Contains(anchor, "#")):
		o.fail(n, CodeValue, o.at("source_ref"), "write path or path#anchor", "%q does not have the form path#anchor", yamlcore.Trim(s))
	case found:
		return path + "#" + anchor
	}
	return path
}

// disposition reads the fields that its type has, and no other.
func (r *reader) disposition(n *yaml.Node, field string) model.Disposition {
	kind := ""
	if t := fieldOf(n, "type"); t != nil && t.Kind == yaml.ScalarNode {
		kind = t.Value
	}
	switch kind {
	case "claim", "acceptance", "global_constraint", "risk_fact", "external_confirmation":
		o := r.object(n, field, []string{"type", "refs"}, nil)
		d := model.Disposition{Type: kind, Refs: o.texts("refs")}
		if kind == "acceptance" && o.has("refs") && len(d.Refs) != 1 {
			r.fail(o.fields["refs"], "source_claim_acceptance_ref_count", o.at("refs"), "name the one assertion that carries the criterion: <outcome>.<check>.<assertion>", "an acceptance item needs exactly one ref, not %d", len(d.Refs))
		}
		return d
	case "outcome_result":
		o := r.object(n, field, []string{"type", "ref"}, nil)
		return model.Disposition{Type: kind, Ref: o.text("ref")}
	case "decision_required":
		o := r.object(n, field, []string{"type", "reason"}, nil)
		return model.Disposition{Type: kind, Reason: o.text("reason")}
	case "out_of_scope":
		r.fail(fieldOf(n, "type"), CodeOutOfScope, field, "map it to a non-goal (global_constraint), or write decision_required with a reason", "the disposition out_of_scope does not exist")
		return model.Disposition{Type: kind}
	}
	o := r.object(n, field, []string{"type"}, []string{"refs", "ref", "reason"})
	return model.Disposition{Type: o.enum("type", "", "claim", "acceptance", "outcome_result", "global_constraint", "risk_fact", "external_confirmation", "decision_required")}
}

func (r *reader) keyed(n *yaml.Node, field string) model.Keyed {
	o := r.object(n, field, []string{"key", "statement"}, nil)
	return model.Keyed{Key: o.key("key"), Statement: o.text("statement")}
}

func (o object) global() model.Global {
	g := o.sub("global", nil, []string{"product", "technical", "acceptance"})
	product := g.sub("product", nil, []string{"non_goals"})
	technical := g.sub("technical", nil, []string{"constraints", "forbidden_paths", "forbidden_shortcuts"})
	acceptance := g.sub("acceptance", nil, []string{"checks", "counterfactual_controls", "external_confirmations"})
	var out model.Global
	out.Product.NonGoals = list(product, "non_goals", o.keyed)
	out.Technical.Constraints = list(technical, "constraints", o.keyed)
	out.Technical.ForbiddenShortcuts = list(technical, "forbidden_shortcuts", o.keyed)
	out.Technical.ForbiddenPaths = list(technical, "forbidden_paths", func(n *yaml.Node, field string) model.KeyedPath {
		p := o.object(n, field, []string{"key", "path"}, nil)
		return model.KeyedPath{Key: p.key("key"), Path: p.glob("path")}
	})
	out.Acceptance.Checks = list(acceptance, "checks", o.check)
	out.Acceptance.CounterfactualControls = list(acceptance, "counterfactual_controls", o.globalCounterfactual)
	out.Acceptance.ExternalConfirmations = list(acceptance, "external_confirmations", func(n *yaml.Node, field string) model.ExternalConfirmation {
		e := o.object(n, field, []string{"key", "description", "owner"}, nil)
		return model.ExternalConfirmation{Key: e.text("key"), Description: e.text("description"), Owner: e.text("owner")}
	})
	return out
}
