package shape

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/yamlcore"
)

func (r *reader) outcomeCounterfactual(n *yaml.Node, field string) model.Counterfactual {
	o := r.object(n, field, []string{"key", "binding_key", "claims", "check_key", "mutation", "expected_assertion_failures"}, nil)
	c := o.counterfactual()
	c.BindingKey = o.key("binding_key")
	return c
}

func (r *reader) globalCounterfactual(n *yaml.Node, field string) model.Counterfactual {
	o := r.object(n, field, []string{"key", "binding_ref", "claims", "check_key", "mutation", "expected_assertion_failures"}, nil)
	c := o.counterfactual()
	before := len(r.findings)
	c.BindingRef = o.text("binding_ref")
	if outcome, binding, _ := strings.Cut(c.BindingRef, "."); o.has("binding_ref") && len(r.findings) == before && (!IsKey(outcome) || !IsKey(binding)) {
		r.fail(o.fields["binding_ref"], CodeValue, o.at("binding_ref"), "write <outcome>.<binding>", "%q does not name a binding", yamlcore.Trim(c.BindingRef))
	}
	for _, name := range []string{"claims", "expected_assertion_failures"} {
		if f := o.fields[name]; f != nil && f.Kind == yaml.SequenceNode && len(f.Content) == 0 {
			r.fail(f, CodeValue, o.at(name), "name at least one", "must not be empty")
		}
	}
	return c
}

// counterfactual reads what both forms share.
func (o object) counterfactual() model.Counterfactual {
	c := model.Counterfactual{Key: o.key("key"), Claims: o.texts("claims"), CheckKey: o.key("check_key"), ExpectedAssertionFailures: o.texts("expected_assertion_failures")}
	if m := o.fields["mutation"]; m != nil {
		c.Mutation = o.mutation(m, o.at("mutation"))
	}
	return c
}

func (r *reader) mutation(n *yaml.Node, field string) model.Mutation {
	kind := ""
	if t := fieldOf(n, "type"); t != nil && t.Kind == yaml.ScalarNode {
		kind = t.Value
	}
	switch kind {
	case "remove_paths":
		o := r.object(n, field, []string{"type", "paths"}, nil)
		if p := o.fields["paths"]; p != nil && p.Kind == yaml.SequenceNode && len(p.Content) == 0 {
			r.fail(p, CodeValue, o.at("paths"), "name the files to remove; removing nothing proves nothing", "must not be empty")
		}
		return model.Mutation{Type: kind, Paths: o.files("paths")}
	case "replace_file":
		o := r.object(n, field, []string{"type", "path", "fixture_path"}, nil)
		return model.Mutation{Type: kind, Path: o.file("path"), FixturePath: o.file("fixture_path")}
	}
	o := r.object(n, field, []string{"type"}, []string{"paths", "path", "fixture_path"})
	return model.Mutation{Type: o.enum("type", "", "remove_paths", "replace_file")}
}
