package model

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
	Total                         int      `json:"total"`
	Resolved                      int      `json:"resolved"`
	MappedToProductClaims         int      `json:"mapped_to_product_claims"`
	MappedToAcceptance            int      `json:"mapped_to_acceptance"`
	MappedToOutcomeResults        int      `json:"mapped_to_outcome_results"`
	MappedToGlobalConstraints     int      `json:"mapped_to_global_constraints"`
	MappedToRiskFacts             int      `json:"mapped_to_risk_facts"`
	MappedToExternalConfirmations int      `json:"mapped_to_external_confirmations"`
	DecisionRequired              int      `json:"decision_required"`
	Unresolved                    []string `json:"unresolved"`
}
