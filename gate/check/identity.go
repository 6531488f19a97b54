package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/check/evidence"
)

// RawIdentity is the digest of what is run: adapter, runner, frozen files and
// environment requirements. Specs that share it share one run. It holds no
// path of the machine, so two clones agree.
func (s Spec) RawIdentity() string {
	env := slices.Clone(s.Check.EnvironmentRequirements)
	slices.SortFunc(env, func(a, b contract.Environment) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return digest(map[string]any{
		"adapter": s.adapter(), "runner": s.Check.Runner, "frozen": s.Frozen, "environment": env,
	})
}

// Identity is the digest of what is run and of how it is judged.
func (s Spec) Identity() string {
	c := s.Check
	return digest(map[string]any{
		"raw": s.RawIdentity(), "outcome": s.Outcome, "check": c.Key, "proof_surface": c.ProofSurface,
		"verification_inputs": c.VerificationInputs, "input_paths": c.InputPaths,
		"expected_output_paths": c.ExpectedOutputPaths, "artifact_globs": c.ArtifactGlobs,
		"positive_assertions": c.PositiveAssertions, "negative_assertions": c.NegativeAssertions,
		"population": s.Population,
	})
}

// digest hashes the canonical JSON of v, so that a contract read from YAML and
// the same one read back from compiled.json agree on numbers.
func digest(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("check: a contract value that is no JSON: %v", err))
	}
	var value any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	_ = dec.Decode(&value)
	return sum([]byte(evidence.Canonical(value)))
}

func sum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}
