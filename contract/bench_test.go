package contract

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkCompile compiles a contract of 200 outcomes, each with a
// requirement, a check and a counterfactual, in a tree of 2000 files.
func BenchmarkCompile(b *testing.B) {
	repo := manyOutcomes(200)
	for i := 0; i < 2000; i++ {
		repo.files[fmt.Sprintf("lib/d%d/f%d.go", i%40, i)] = nil
	}
	tree := repo.tree()
	for b.Loop() {
		r := Compile(context.Background(), tree, Options{Workdir: "work/task"})
		if Refuses(r.Findings) {
			b.Fatal(summary(r.Findings))
		}
		if _, err := r.Compiled.Canonical(); err != nil {
			b.Fatal(err)
		}
	}
}

// manyOutcomes makes a valid contract with n outcomes.
func manyOutcomes(n int) *memory {
	repo := newMemory()
	var source, claims, outcomes strings.Builder
	for i := 0; i < n; i++ {
		fmt.Fprintf(&source, "<!-- ty-source-item:start key=sum-%d kind=requirement -->\nReport %d adds lines.\n<!-- ty-source-item:end -->\n", i, i)
		fmt.Fprintf(&claims, "- {key: sum-%d, source_ref: docs/request.md, statement: Report %d adds lines., disposition: {type: claim, refs: [o%d.requirement.sum]}}\n", i, i, i)
		fmt.Fprintf(&outcomes, outcomeText, i, i, i, i, i, i, i, i, i)
		repo.files[fmt.Sprintf("src/o%d/impl.json", i)] = []byte("{}")
		repo.files[fmt.Sprintf("verify/o%d.mjs", i)] = []byte("//")
	}
	repo.files["docs/request.md"] = []byte(source.String())
	repo.files["work/task/"+FileName] = []byte("schema_version: long-task-delivery-v2\ntask: {id: t, title: T, goal: G, source_paths: [docs/request.md], context_refs: []}\nsource_claims:\n" +
		claims.String() + "risk: {facts: {}}\nglobal: {}\noutcomes:\n" + outcomes.String())
	return repo
}

const outcomeText = `- key: o%d
  title: A report
  product:
    observable_result: It shows its total.
    owner: {label: core, context_refs: [], path_globs: ["src/**"]}
    requirements:
    - {key: sum, statement: Report %d adds lines., required_proof_surfaces: [runtime_behavior]}
  technical:
    expected_change_paths: ["src/o%d/**"]
    bindings:
    - {key: carrier, kind: file, target: src/o%d/impl.json, carrier_paths: [src/o%d/impl.json]}
  acceptance:
    checks:
    - key: run
      proof_surface: runtime_behavior
      runner: {type: node_oracle, target: verify/o%d.mjs, effect: read_only}
      verification_inputs: [verify/o%d.mjs]
      input_paths: [src/o%d/impl.json]
      positive_assertions:
      - {key: total, criterion: The total is right., claims: [result, requirement.sum], observation: total, operator: equals, expected: 42}
    counterfactual_controls:
    - key: without
      binding_key: carrier
      claims: [result, requirement.sum]
      check_key: run
      mutation: {type: remove_paths, paths: [src/o%d/impl.json]}
      expected_assertion_failures: [total]
`
