// Package model holds the nouns of a delivery contract: its normalised form,
// the findings about it and how much of it is proved. It knows no YAML, no
// repository and no rule; everything else of the room works on these types.
package model

// SchemaV2 is the full contract's schema_version.
const SchemaV2 = "long-task-delivery-v2"

// SchemaGoals is the light contract's schema_version.
const SchemaGoals = "longtask-goals-v1"

// Contract is the normalised form: defaults filled in, paths canonical. Its
// canonical JSON is what contract_sha256 is the digest of.
type Contract struct {
	SchemaVersion string        `json:"schema_version"`
	Task          Task          `json:"task"`
	SourceClaims  []SourceClaim `json:"source_claims"`
	Risk          Risk          `json:"risk"`
	Global        Global        `json:"global"`
	Outcomes      []Outcome     `json:"outcomes"`
}

// Task names the work and the texts it comes from.
type Task struct {
	ID                  string   `json:"id"`
	Title               string   `json:"title"`
	Goal                string   `json:"goal"`
	SourcePaths         []string `json:"source_paths"`
	ContextRefs         []string `json:"context_refs"`
	ContextSnapshotMode string   `json:"context_snapshot_mode"`
}

// SourceClaim maps one marked source item to what must hold for it.
type SourceClaim struct {
	Key         string      `json:"key"`
	SourceRef   string      `json:"source_ref"`
	Statement   string      `json:"statement"`
	Disposition Disposition `json:"disposition"`
}

// Disposition is where a source item went; the type decides which field holds.
type Disposition struct {
	Type   string   `json:"type"`
	Refs   []string `json:"refs,omitempty"`
	Ref    string   `json:"ref,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// Risk holds the requested level and, per fact, the outcomes it touches.
type Risk struct {
	RequestedLevel string              `json:"requested_level"`
	Facts          map[string][]string `json:"facts"`
}

// Keyed is a statement with a key.
type Keyed struct {
	Key       string `json:"key"`
	Statement string `json:"statement"`
}

// KeyedPath is a pattern with a key.
type KeyedPath struct {
	Key  string `json:"key"`
	Path string `json:"path"`
}

// Global holds what binds every outcome.
type Global struct {
	Product struct {
		NonGoals []Keyed `json:"non_goals"`
	} `json:"product"`
	Technical struct {
		Constraints        []Keyed     `json:"constraints"`
		ForbiddenPaths     []KeyedPath `json:"forbidden_paths"`
		ForbiddenShortcuts []Keyed     `json:"forbidden_shortcuts"`
	} `json:"technical"`
	Acceptance struct {
		Checks                 []Check                `json:"checks"`
		CounterfactualControls []Counterfactual       `json:"counterfactual_controls"`
		ExternalConfirmations  []ExternalConfirmation `json:"external_confirmations"`
	} `json:"acceptance"`
}

// ExternalConfirmation is something people must say; the tool never does.
type ExternalConfirmation struct {
	Key         string `json:"key"`
	Description string `json:"description"`
	Owner       string `json:"owner"`
}

// Outcome is an independently decidable result.
type Outcome struct {
	Key        string            `json:"key"`
	Title      string            `json:"title"`
	DependsOn  []string          `json:"depends_on"`
	Product    Product           `json:"product"`
	Technical  Technical         `json:"technical"`
	Acceptance OutcomeAcceptance `json:"acceptance"`
}

// Product is what people observe.
type Product struct {
	ObservableResult string `json:"observable_result"`
	Owner            struct {
		Label       string   `json:"label"`
		ContextRefs []string `json:"context_refs"`
		PathGlobs   []string `json:"path_globs"`
	} `json:"owner"`
	OwnerSurfaces         []string      `json:"owner_surfaces"`
	Requirements          []Requirement `json:"requirements"`
	Controls              []Control     `json:"controls"`
	NonCompletingOutcomes []Keyed       `json:"non_completing_outcomes"`
}

// Requirement and obligation share a shape: a statement to be proved on every
// listed surface.
type Requirement struct {
	Key                   string   `json:"key"`
	Statement             string   `json:"statement"`
	RequiredProofSurfaces []string `json:"required_proof_surfaces"`
}

// Control is one user-interface element.
type Control struct {
	Key          string `json:"key"`
	Location     string `json:"location"`
	Trigger      string `json:"trigger"`
	Input        string `json:"input"`
	LoadingState string `json:"loading_state"`
	EmptyState   string `json:"empty_state"`
	SuccessState string `json:"success_state"`
	FailureState string `json:"failure_state"`
	Feedback     string `json:"feedback"`
}

// Technical bounds where and how the change is made.
type Technical struct {
	ExpectedChangePaths []string      `json:"expected_change_paths"`
	AllowedSupportPaths []string      `json:"allowed_support_paths"`
	ForbiddenPaths      []string      `json:"forbidden_paths"`
	Obligations         []Requirement `json:"obligations"`
	ForbiddenShortcuts  []Keyed       `json:"forbidden_shortcuts"`
	Bindings            []Binding     `json:"bindings"`
	RollbackAndRecovery *Rollback     `json:"rollback_and_recovery"`
}

// Binding ties an outcome to the files that carry it.
type Binding struct {
	Key                  string   `json:"key"`
	Kind                 string   `json:"kind"` // file, path_glob, verified
	Target               string   `json:"target"`
	CarrierPaths         []string `json:"carrier_paths"`
	Existence            string   `json:"existence"` // existing, planned
	VerificationCheckKey string   `json:"verification_check_key,omitempty"`
}

// Rollback says how the change is undone and which checks prove it.
type Rollback struct {
	Rollback              string   `json:"rollback"`
	Recovery              string   `json:"recovery"`
	VerificationCheckKeys []string `json:"verification_check_keys"`
}

// OutcomeAcceptance is how an outcome is decided.
type OutcomeAcceptance struct {
	Checks                 []Check          `json:"checks"`
	Population             *Population      `json:"population"`
	CounterfactualControls []Counterfactual `json:"counterfactual_controls"`
}

// Counterfactual is a mutation under which named assertions must fail.
// BindingKey is set in outcomes, BindingRef (<outcome>.<binding>) in global.
type Counterfactual struct {
	Key                       string   `json:"key"`
	BindingKey                string   `json:"binding_key,omitempty"`
	BindingRef                string   `json:"binding_ref,omitempty"`
	Claims                    []string `json:"claims"`
	CheckKey                  string   `json:"check_key"`
	Mutation                  Mutation `json:"mutation"`
	ExpectedAssertionFailures []string `json:"expected_assertion_failures"`
}

// Mutation removes files or replaces one by a frozen fixture.
type Mutation struct {
	Type        string   `json:"type"` // remove_paths, replace_file
	Paths       []string `json:"paths,omitempty"`
	Path        string   `json:"path,omitempty"`
	FixturePath string   `json:"fixture_path,omitempty"`
}
