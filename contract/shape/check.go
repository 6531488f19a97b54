package shape

import (
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/pathglob"
	"github.com/git-longtask/git-longtask/contract/yamlcore"
)

func (r *reader) check(n *yaml.Node, field string) model.Check {
	optional := []string{"input_paths", "expected_output_paths", "artifact_globs", "positive_assertions", "negative_assertions", "environment_requirements"}
	isCommand := commandRunner(fieldOf(n, "runner"))
	if isCommand {
		optional = append(optional, "frozen_absent")
	}
	o := r.object(n, field, []string{"key", "proof_surface", "runner", "verification_inputs"}, optional)
	c := model.Check{
		Key: o.key("key"), ProofSurface: o.enum("proof_surface", "", Surfaces...), Runner: o.runner(),
		VerificationInputs: o.globs("verification_inputs"), InputPaths: o.globs("input_paths"),
		ExpectedOutputPaths: o.globs("expected_output_paths"), ArtifactGlobs: o.globs("artifact_globs"),
		PositiveAssertions: list(o, "positive_assertions", r.assertion), NegativeAssertions: list(o, "negative_assertions", r.assertion),
		EnvironmentRequirements: list(o, "environment_requirements", r.environment),
	}
	if o.has("frozen_absent") {
		c.FrozenAbsent = o.files("frozen_absent")
	}
	return c
}

// commandRunner tells whether a runner is written as one of type command.
func commandRunner(n *yaml.Node) bool {
	if n == nil {
		return false
	}
	t := fieldOf(n, "type")
	return t != nil && t.Value == model.RunnerCommand
}

var runnerTypes = []string{model.RunnerPackageScript, model.RunnerProjectBinary, model.RunnerNodeOracle, model.RunnerPlaywright, model.RunnerCommand}

// Adapters of the runner command.
var adapters = []string{model.AdapterStructured, model.AdapterJUnit, model.AdapterGoTest, model.AdapterTAP, model.AdapterExitStatus}

func (o object) runner() model.Runner {
	optional := []string{"argv", "cwd", "timeout_ms", "retry_policy", "idempotent"}
	required := []string{"type", "target", "effect"}
	isCommand := commandRunner(o.fields["runner"])
	if isCommand {
		required = []string{"type", "argv", "effect", "adapter"}
		optional = append(optional[1:], "report")
	}
	r := o.sub("runner", required, optional)
	out := model.Runner{
		Type: r.enum("type", "", runnerTypes...), Argv: list(r, "argv", o.anyText), Cwd: ".",
		Effect: r.enum("effect", "", "read_only", "test_sandbox"), TimeoutMS: r.whole("timeout_ms", 100, 3_600_000, 30_000),
		RetryPolicy: r.enum("retry_policy", "none", "none", "transient_once"), Idempotent: r.flag("idempotent"),
	}
	if r.has("cwd") {
		out.Cwd = r.pathAt(r.fields["cwd"], r.at("cwd"), pathglob.Cwd)
	}
	switch {
	case isCommand:
		r.command(&out)
	case out.Type == model.RunnerPackageScript:
		out.Target = r.text("target")
	default:
		out.Target = r.file("target")
	}
	return out
}

// command reads what only the runner command has.
func (o object) command(out *model.Runner) {
	if n := o.fields["argv"]; n != nil && n.Kind == yaml.SequenceNode {
		switch {
		case len(out.Argv) == 0:
			o.fail(n, CodeValue, o.at("argv"), "name the program to start", "must not be empty")
		case strings.TrimSpace(out.Argv[0]) == "" || strings.HasPrefix(out.Argv[0], "/"):
			o.fail(n, CodeValue, o.at("argv"), "write a name that PATH finds, or ./ and a path of the repository", "must start with a program that every machine can find, not %q", yamlcore.Trim(out.Argv[0]))
		}
	}
	out.Adapter = o.enum("adapter", "", adapters...)
	if o.has("report") {
		out.Report = o.glob("report")
	}
	switch {
	case out.Adapter == model.AdapterJUnit && !o.has("report"):
		o.fail(o.node, CodeMissing, o.field, "add report: with the path or pattern of the XML files", "junit_xml_v1 lacks the field %q", "report")
	case out.Adapter != model.AdapterJUnit && out.Adapter != "" && o.has("report"):
		o.fail(o.fields["report"], CodeValue, o.at("report"), "remove it", "is read only by junit_xml_v1")
	}
}

// Operators by what they compare with.
var (
	valueOperators  = []string{"equals", "not_equals", "contains", "not_contains"}
	regexOperators  = []string{"matches", "not_matches"}
	numberOperators = []string{"greater_than", "greater_or_equal", "less_than", "less_or_equal"}
	setOperators    = []string{"set_equals", "subset_of", "superset_of"}
	unaryOperators  = []string{"exists", "truthy", "falsy"}
	operators       = append(append(append(append(append([]string{}, valueOperators...), regexOperators...), numberOperators...), setOperators...), unaryOperators...)
)

func (r *reader) assertion(n *yaml.Node, field string) model.Assertion {
	o := r.object(n, field, []string{"key", "claims", "observation", "operator"}, []string{"criterion", "expected", "regression_guard"})
	a := model.Assertion{
		Key: o.key("key"), Criterion: o.text("criterion"), Claims: o.texts("claims"), Observation: o.text("observation"),
		Operator: o.enum("operator", "", operators...), RegressionGuard: o.flag("regression_guard"),
	}
	expected := o.fields["expected"]
	switch {
	case !contains(operators, a.Operator):
	case contains(unaryOperators, a.Operator):
		if expected != nil {
			r.fail(expected, CodeValue, o.at("expected"), "remove expected, or use equals", "the operator %s compares with nothing", a.Operator)
		}
	case expected == nil:
		r.fail(n, CodeMissing, o.field, "add expected: with the value it must have", "the operator %s lacks the field %q", a.Operator, "expected")
	default:
		a.Expected, a.HasExpected = r.expected(expected, o.at("expected"), a.Operator), true
	}
	return a
}

// expected reads the value an observation is compared with.
func (r *reader) expected(n *yaml.Node, field, operator string) any {
	v, at, err := yamlcore.Value(n)
	if err != nil {
		r.fail(at, CodeValue, field, "use a finite number", "%v", err)
		return nil
	}
	wrong := func(want, hint string) {
		r.fail(n, CodeType, field, hint, "%s compares with %s, not %s", operator, want, describe(n))
	}
	switch {
	case contains(regexOperators, operator):
		text, ok := v.(string)
		if !ok {
			wrong("a regular expression", "write the expression in quotes")
			break
		}
		if _, err := regexp.Compile(text); err != nil {
			r.fail(n, CodeValue, field, "write it in RE2 syntax (https://github.com/google/re2/wiki/Syntax); lookaround and back references do not exist there",
				"is no RE2 expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
	case contains(numberOperators, operator):
		if _, ok := v.(float64); !ok {
			wrong("a number", "write a number without quotes")
		}
	case contains(setOperators, operator):
		if _, ok := v.([]any); !ok {
			wrong("a list", "write a list, [] is the empty one")
		}
	}
	return v
}

func (r *reader) environment(n *yaml.Node, field string) model.Environment {
	kind := ""
	if k := fieldOf(n, "kind"); k != nil && k.Kind == yaml.ScalarNode {
		kind = k.Value
	}
	switch kind {
	case "executable", "env_var":
		o := r.object(n, field, []string{"key", "kind", "target"}, nil)
		return model.Environment{Key: o.key("key"), Kind: kind, Target: o.text("target")}
	case "file", "directory":
		o := r.object(n, field, []string{"key", "kind", "target"}, nil)
		return model.Environment{Key: o.key("key"), Kind: kind, Target: o.file("target")}
	case "loopback_tcp":
		o := r.object(n, field, []string{"key", "kind", "host", "port", "timeout_ms"}, nil)
		return model.Environment{
			Key: o.key("key"), Kind: kind, Host: o.enum("host", "", "127.0.0.1", "::1", "localhost"),
			Port: o.whole("port", 1, 65535, 0), TimeoutMS: o.whole("timeout_ms", 10, 60_000, 0),
		}
	}
	o := r.object(n, field, []string{"key", "kind"}, []string{"target", "host", "port", "timeout_ms"})
	return model.Environment{Key: o.key("key"), Kind: o.enum("kind", "", "executable", "env_var", "file", "directory", "loopback_tcp")}
}
