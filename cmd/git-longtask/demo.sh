# The whole story of git-longtask in one throw-away repository. Run by
# `git longtask demo`; needs git, sh and git-longtask on PATH. $1 is an empty
# directory. Every step says what it expects; the first surprise ends it with 1.
set -u
unset CDPATH
cd "$1" || exit 1

say() { printf '\n== %s\n' "$*"; }
show() { # print a command, run it, keep its output and exit code
	printf '$ %s\n' "$*"
	"$@" >"$log" 2>&1
	code=$?
	sed 's/^/  /' "$log"
}
surprise() {
	printf '\nNOT AS EXPECTED: %s\n' "$*" >&2
	exit 1
}
expect() { # exit code, then a text the output must hold
	[ "$code" = "$1" ] || surprise "exit code $code instead of $1"
	[ $# -lt 2 ] || grep -q -- "$2" "$log" || surprise "the output does not say $2"
}
log=$1/log

git init -q --bare origin.git && git -C origin.git symbolic-ref HEAD refs/heads/main && git init -q work && cd work || exit 1
git symbolic-ref HEAD refs/heads/main
git remote add origin ../origin.git
mkdir -p src verify plans/greeting

cat >src/greet.sh <<'FILE'
#!/bin/sh
echo "Hello"
FILE
cat >verify/greet.sh <<'FILE'
#!/bin/sh
said=$(sh src/greet.sh Ada 2>/dev/null) || said=""
printf '{"schema_version":"long-task-check-result-v2","execution_status":"completed","observations":{"greeting":"%s"}}\n' "$said"
FILE
chmod +x src/greet.sh verify/greet.sh
cat >plans/greeting/source.md <<'FILE'
# What we want

<!-- ty-source-item:start key=greet kind=requirement -->
greet.sh NAME greets that person by name.
<!-- ty-source-item:end -->

<!-- ty-source-item:start key=ada kind=acceptance -->
greet.sh Ada prints exactly Hello, Ada!
<!-- ty-source-item:end -->
FILE
cat >plans/greeting/delivery-contract.yaml <<'FILE'
schema_version: long-task-delivery-v2
task:
  id: greeting
  title: Greeting
  goal: People are greeted by name.
  source_paths: [plans/greeting/source.md]
  context_refs: []
source_claims:
  - key: greet
    source_ref: plans/greeting/source.md
    statement: greet.sh NAME greets that person by name.
    disposition: { type: claim, refs: [greet.requirement.by-name] }
  - key: ada
    source_ref: plans/greeting/source.md
    statement: greet.sh Ada prints exactly Hello, Ada!
    disposition: { type: acceptance, refs: [greet.run.ada] }
risk: { facts: {} }
global: {}
outcomes:
  - key: greet
    title: Greeting by name
    product:
      observable_result: A person is greeted by name.
      owner: { label: core, context_refs: [], path_globs: ["src/**"] }
      requirements:
        - key: by-name
          statement: greet.sh NAME greets that person by name.
          required_proof_surfaces: [runtime_behavior]
    technical:
      expected_change_paths: ["src/**"]
      bindings:
        - { key: script, kind: file, target: src/greet.sh, carrier_paths: [src/greet.sh] }
    acceptance:
      checks:
        - key: run
          proof_surface: runtime_behavior
          runner: { type: project_binary, target: verify/greet.sh, effect: read_only }
          verification_inputs: [verify/greet.sh]
          input_paths: [src/greet.sh]
          positive_assertions:
            - key: ada
              criterion: greet.sh Ada prints exactly Hello, Ada!
              claims: [result, requirement.by-name]
              observation: greeting
              operator: equals
              expected: "Hello, Ada!"
      counterfactual_controls:
        - key: without-script
          binding_key: script
          claims: [result, requirement.by-name]
          check_key: run
          mutation: { type: remove_paths, paths: [src/greet.sh] }
          expected_assertion_failures: [ada]
FILE
git add -A && git commit -q -m "Say what we want" && git push -q origin main && git checkout -q -b feature || exit 1
base=$(git rev-parse HEAD)

say "A tracked contract says what must become true. Lock it."
show git longtask preflight plans/greeting
expect 0 ready
show git longtask compile plans/greeting
expect 0 locked
show git longtask install
expect 0

say "A commit outside the declared scope is refused."
echo "rm -rf /" >deploy.sh
git add deploy.sh
show git commit -m "While I was there"
[ "$code" != 0 ] || surprise "the commit went through"
expect "$code" scope_escape
git rm -q --cached deploy.sh && rm deploy.sh

say "A worker says it is done. The gate names the criterion that is not met."
cat >src/greet.sh <<'FILE'
#!/bin/sh
echo "Hello, $1"
FILE
git commit -q -a -m "Done" || surprise "a commit inside the scope was refused"
show git longtask final-gate
expect 1 assertion_value_mismatch
expect 1 "greet.sh Ada prints exactly Hello, Ada!"

say "Making the verifier agree does not help: it is frozen."
sed 's/"$said"/"Hello, Ada!"/' verify/greet.sh >verify/new && cat verify/new >verify/greet.sh && rm verify/new
show git commit -a -m "Fix the test"
[ "$code" != 0 ] || surprise "the commit went through"
expect "$code" runner_changed_after_compile
git checkout -q -- verify

say "The real fix is accepted, on exactly one commit."
cat >src/greet.sh <<'FILE'
#!/bin/sh
echo "Hello, $1!"
FILE
git commit -q -a -m "Greet by name" || surprise "a commit inside the scope was refused"
show git longtask final-gate
expect 0 accepted
head=$(git rev-parse HEAD)

say "The receipt is a Git note on that commit."
show git log -1 --oneline --notes=longtask --format="%h %s%n%N"
expect 0 machine_accepted
show git push -q origin feature
expect 0
show git longtask sync origin
expect 0

say "CI believes none of that. It fetches the authority and runs everything again."
cd .. && git clone -q origin.git ci && cd ci || exit 1
show git longtask sync
expect 0
show git longtask ci --base "$base" --head "$head" --task greeting --require
expect 0 machine_accepted
show git longtask ci --base "$base" --head "$head~1" --task greeting --require
expect 1 assertion_value_mismatch

say "Back home the task is closed."
cd ../work || exit 1
show git longtask close
expect 0 closed
printf '\nThe story went as it should: accepted on commit %s, and nothing else was.\n' "$(git rev-parse --short "$head")"
