// Package contract turns the text of a delivery contract into a compiled
// graph. Text in, graph and findings out: it knows no git, starts no process,
// reads no clock and touches no file except through the Tree it is given. Its
// nouns live in the package model and are named here for those who use them.
package contract

import "github.com/git-longtask/git-longtask/contract/model"

// The contract's schemas and runner types.
const (
	SchemaV2            = model.SchemaV2
	SchemaGoals         = model.SchemaGoals
	RunnerPackageScript = model.RunnerPackageScript
	RunnerProjectBinary = model.RunnerProjectBinary
	RunnerNodeOracle    = model.RunnerNodeOracle
	RunnerPlaywright    = model.RunnerPlaywright
	RunnerCommand       = model.RunnerCommand
	AdapterStructured   = model.AdapterStructured
	AdapterJUnit        = model.AdapterJUnit
	AdapterGoTest       = model.AdapterGoTest
	AdapterTAP          = model.AdapterTAP
	AdapterExitStatus   = model.AdapterExitStatus
)

// Levels of findings, and kinds of frozen files.
const (
	LevelError    = model.LevelError
	LevelDecision = model.LevelDecision
	LevelWarning  = model.LevelWarning

	FileContract = model.FileContract
	FileFragment = model.FileFragment
	FileSource   = model.FileSource
	FileContext  = model.FileContext
	FileConfig   = model.FileConfig
	FileVerifier = model.FileVerifier
)

// The nouns of a contract.
type (
	Assertion            = model.Assertion
	Binding              = model.Binding
	Check                = model.Check
	ClaimCoverage        = model.ClaimCoverage
	Config               = model.Config
	Contract             = model.Contract
	Control              = model.Control
	Counterfactual       = model.Counterfactual
	Coverage             = model.Coverage
	Disposition          = model.Disposition
	Entry                = model.Entry
	Environment          = model.Environment
	ExternalConfirmation = model.ExternalConfirmation
	Finding              = model.Finding
	Frozen               = model.Frozen
	Global               = model.Global
	Keyed                = model.Keyed
	KeyedPath            = model.KeyedPath
	Level                = model.Level
	Mutation             = model.Mutation
	Outcome              = model.Outcome
	OutcomeAcceptance    = model.OutcomeAcceptance
	Place                = model.Place
	Population           = model.Population
	Product              = model.Product
	Proof                = model.Proof
	Requirement          = model.Requirement
	Risk                 = model.Risk
	Rollback             = model.Rollback
	Runner               = model.Runner
	SourceClaim          = model.SourceClaim
	SourceCoverage       = model.SourceCoverage
	SourceItem           = model.SourceItem
	Task                 = model.Task
	Technical            = model.Technical
	Tree                 = model.Tree
)

// CaseOf is the key of the test case an observation is about, "" for others.
func CaseOf(observation string) string { return model.CaseOf(observation) }

// Refuses tells whether any finding stands in the way.
func Refuses(findings []Finding) bool { return model.Refuses(findings) }

// SortFindings orders by path, line, column and code, errors before warnings.
func SortFindings(findings []Finding) { model.SortFindings(findings) }
