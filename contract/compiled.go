package contract

import "context"

// Entry is one file of the content a contract is compiled against. Problem is
// set where the work tree offers the path in a way that cannot be frozen:
// "symlink", "hardlink", "not_regular", "outside_repository", "unreadable".
type Entry struct {
	Path    string
	Mode    uint32 // 0o100644, 0o100755, 0o120000 or 0o160000
	Problem string
}

// Tree is the repository content a contract is compiled against, either a
// commit's tree or what the work tree would commit. Entries hold every tracked
// and every untracked, not ignored file, sorted by path. Read gives a file's
// bytes as Git would store them. Problem classifies a path that is not among
// the entries ("" when there is simply nothing).
type Tree struct {
	Entries []Entry
	Read    func(ctx context.Context, path string) ([]byte, error)
	Problem func(path string) string
}

// Options bound one compilation.
type Options struct {
	Workdir string // repository relative, slash separated
}

// Result is what a compilation found. Compiled is nil when the contract could
// not be understood far enough to have an identity.
type Result struct {
	Compiled *Compiled
	Findings []Finding
	Coverage Coverage
	Source   SourceCoverage
	Path     string // of the contract file
}

// Format is the version of the compiled form this binary writes.
const Format = 1

// File kinds of the compiled form.
const (
	FileContract = "contract"
	FileFragment = "fragment"
	FileSource   = "source"
	FileContext  = "context"
	FileConfig   = "config"   // .longtask.yaml
	FileVerifier = "verifier" // verification input, runner target, lock file
)

// Frozen is one file whose bytes belong to the authority. A path that serves
// several purposes is listed once for each kind. Checks names the internal ids
// (CHECK.<outcome>.<check>) that freeze a verifier file.
type Frozen struct {
	Path        string   `json:"path"`
	Kind        string   `json:"kind"`
	SHA256      string   `json:"sha256,omitempty"` // of the bytes; absent for contract and fragment, whose value counts
	Checks      []string `json:"checks,omitempty"`
	Controlling bool     `json:"controlling,omitempty"` // context only
}

// Compiled is the frozen meaning of a contract. Its canonical JSON is
// compiled.json; the SHA-256 of those bytes is the authority's identity. It
// holds no absolute path, no machine, no clock, no base and no revision.
type Compiled struct {
	Format         int          `json:"format"`
	Workdir        string       `json:"workdir"`
	ContractSHA256 string       `json:"contract_sha256"`
	Contract       Contract     `json:"contract"`
	SourceItems    []SourceItem `json:"source_items"`
	Files          []Frozen     `json:"files"`
	EffectiveRisk  string       `json:"effective_risk"` // standard, strict
	RiskReasons    []string     `json:"risk_reasons"`
	Config         *Config      `json:"config,omitempty"`
}

// SourceItem is one marked item of a source file.
type SourceItem struct {
	Key     string `json:"key"`
	Kind    string `json:"kind"`
	Path    string `json:"path"`
	Text    string `json:"text"`
	Fact    string `json:"fact,omitempty"`
	Outcome string `json:"outcome,omitempty"`
}

// Config is the frozen meaning of .longtask.yaml (spec/evidence.md).
type Config struct {
	Env         []string `json:"env,omitempty"`
	Integration string   `json:"integration,omitempty"`
}

// Coverage tells which claims are proved by what.
type Coverage struct {
	ClaimsTotal     int                                 `json:"claims_total"`
	ClaimsCovered   int                                 `json:"claims_covered"`
	UncoveredClaims []string                            `json:"uncovered_claims"`
	ClaimsByGlobal  map[string]ClaimCoverage            `json:"claims_by_global"`
	ClaimsByOutcome map[string]map[string]ClaimCoverage `json:"claims_by_outcome"`
}

// ClaimCoverage is one claim's proofs.
type ClaimCoverage struct {
	RequiredSurfaces []string `json:"required_surfaces"`
	CoveredSurfaces  []string `json:"covered_surfaces"`
	MissingSurfaces  []string `json:"missing_surfaces"`
	Covered          bool     `json:"covered"`
	Proofs           []Proof  `json:"proofs"`
}

// Proof is one assertion, population or counterfactual that names a claim.
type Proof struct {
	CheckKey     string `json:"check_key"`
	AssertionKey string `json:"assertion_key"`
	Polarity     string `json:"polarity"`
	ProofSurface string `json:"proof_surface"`
}

// SourceCoverage counts where the source items went.
type SourceCoverage struct {
	Total                       int      `json:"total"`
	Resolved                    int      `json:"resolved"`
	MappedToProductClaims       int      `json:"mapped_to_product_claims"`
	MappedToAcceptance          int      `json:"mapped_to_acceptance"`
	MappedToOutcomeResults      int      `json:"mapped_to_outcome_results"`
	MappedToGlobalConstraints   int      `json:"mapped_to_global_constraints"`
	MappedToRiskFacts           int      `json:"mapped_to_risk_facts"`
	MappedToExternalConfirmings int      `json:"mapped_to_external_confirmations"`
	DecisionRequired            int      `json:"decision_required"`
	Unresolved                  []string `json:"unresolved"`
}
