package contract

import (
	"context"
	"path"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/git-longtask/git-longtask/contract/canonical"
	"github.com/git-longtask/git-longtask/contract/freeze"
	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/pathglob"
	"github.com/git-longtask/git-longtask/contract/rules"
	"github.com/git-longtask/git-longtask/contract/shape"
	"github.com/git-longtask/git-longtask/contract/yamlcore"
)

// FileName is the contract's name in its work directory, ConfigPath the
// optional configuration's in the repository.
const (
	FileName   = "delivery-contract.yaml"
	ConfigPath = ".longtask.yaml"
)

// Options bound one compilation.
type Options struct {
	Workdir string   // repository relative, slash separated
	Changed []string // paths changed since the base, for project_context/risk-surfaces.yaml; may be nil
}

// Result is what a compilation found. Compiled is nil when the contract could
// not be understood far enough to have an identity.
type Result struct {
	Compiled *Compiled
	Findings []Finding // every independent problem, in the order of the files
	Coverage Coverage
	Source   SourceCoverage
	Path     string // of the contract file

	places map[string]Place
}

// Position tells where a part of the contract stands. The reference is one of
// outcome:K, claim:<outcome>.<claim>, check:<outcome>.<check>,
// assertion:<outcome>.<check>.<assertion>, binding:<outcome>.<binding>,
// counterfactual:<outcome>.<key>, source_claim:K; GLOBAL stands for an outcome
// in the global section. Unknown references give an empty path.
func (r Result) Position(ref string) (path string, line, column int) {
	p := r.places[ref]
	return p.Path, p.Line, p.Column
}

// FindContracts lists the directories that hold a contract, sorted.
func FindContracts(tree *Tree) []string {
	dirs := []string{}
	for _, e := range tree.Entries {
		if path.Base(e.Path) == FileName && path.Dir(e.Path) != "." {
			dirs = append(dirs, path.Dir(e.Path))
		}
	}
	slices.Sort(dirs)
	return dirs
}

// Compile reads the contract in a work directory and everything it names. The
// same tree and options give the same result on every machine.
func Compile(ctx context.Context, tree *Tree, opt Options) Result {
	c := &compilation{ctx: ctx, opt: opt, result: Result{Coverage: emptyCoverage(), Source: SourceCoverage{Unresolved: []string{}}}}
	workdir, err := pathglob.File(opt.Workdir)
	switch {
	case opt.Workdir == "" || opt.Workdir == ".":
		c.add(Place{Path: FileName}.Error("long_task_workdir_must_not_be_repository_root", "the work directory is the repository root", "move the contract into a directory of its own"))
	case err != nil:
		c.add(Place{Path: opt.Workdir}.Errorf(err.Code, err.Hint, "the work directory %q %s", opt.Workdir, err.Reason))
	default:
		c.result.Path = workdir + "/" + FileName
		c.repo = freeze.Open(tree, workdir)
		c.run(workdir)
	}
	c.result.Findings = tidy(c.result.Findings)
	return c.result
}

func emptyCoverage() Coverage {
	return Coverage{UncoveredClaims: []string{}, ClaimsByGlobal: map[string]ClaimCoverage{}, ClaimsByOutcome: map[string]map[string]ClaimCoverage{}}
}

// compilation is one run of Compile.
type compilation struct {
	ctx    context.Context
	opt    Options
	repo   *freeze.Repository
	result Result
	files  []Frozen
}

func (c *compilation) add(findings ...Finding) {
	c.result.Findings = append(c.result.Findings, findings...)
}

func (c *compilation) run(workdir string) {
	config := c.config()
	root := c.parse(c.result.Path, FileContract, "protected_input_not_found", Place{Path: c.result.Path})
	if root == nil {
		return
	}
	doc := shape.Read(c.result.Path, root)
	if doc.Contract.SchemaVersion == SchemaGoals {
		c.add(doc.Unsupported()...)
		return
	}
	for i, name := range doc.FragmentPaths {
		if slices.Contains(doc.FragmentPaths[:i], name) {
			continue // listed twice, which was reported
		}
		place := doc.Place("outcome_files", i)
		if fragment := c.parse(workdir+"/"+name, FileFragment, "outcome_fragment_not_found", place); fragment != nil {
			doc.AddFragment(workdir+"/"+name, fragment)
		} else {
			doc.Broken["outcomes"] = true
		}
	}
	if len(doc.FragmentPaths) > 0 {
		doc.SortOutcomes()
		f := doc.Place("outcome_files").Error("outcome_files_compatibility_only", "outcome_files exists only for contracts that have it already", "move the outcomes of those files into outcomes")
		f.Level = LevelWarning
		c.add(f)
	}
	c.add(doc.Findings...)
	if doc.Retired() {
		return // another format, in which nearly every field is wrong
	}
	c.add(doc.Unsupported()...)
	c.judge(doc, config)
}

// judge applies the rules and freezes the files of a contract that was read.
func (c *compilation) judge(doc *shape.Document, config *Config) {
	g := rules.Build(doc)
	f := freeze.New(c.repo, g)
	f.Sources(c.ctx)
	incomplete := rules.Complete(g, f.Items)
	c.add(incomplete...)
	g = rules.Build(doc) // with the texts that were taken from the sources
	f.Graph = g
	f.Context(c.ctx)
	f.Technical()
	f.Checks(c.ctx)
	f.Counterfactuals(c.ctx)
	c.add(f.Findings...)

	c.add(rules.Keys(g)...)
	c.add(rules.Dependencies(g)...)
	c.add(rules.Owners(g)...)
	c.add(rules.Evidence(g)...)
	c.add(rules.Claims(g)...)
	coverage, uncovered := rules.Coverage(g)
	c.add(uncovered...)
	source, unmapped := rules.Sources(g, f.Items)
	c.add(unmapped...)
	level, reasons, risks := rules.Risk(g)
	c.add(risks...)
	c.add(rules.Sensitivity(g)...)
	c.riskSurfaces(doc)

	c.result.Coverage, c.result.Source, c.result.places = coverage, source, g.Places()
	if len(doc.Findings)+len(incomplete) == 0 && doc.Whole() {
		c.seal(&Compiled{Contract: doc.Contract, EffectiveRisk: level, RiskReasons: reasons, Config: config}, f)
	}
}

// seal completes the compiled form with what was frozen.
func (c *compilation) seal(compiled *Compiled, f *freeze.Freezer) {
	compiled.Format, compiled.Workdir = Format, path.Dir(c.result.Path)
	for _, item := range f.Items {
		if !item.Broken {
			compiled.SourceItems = append(compiled.SourceItems, item.SourceItem)
		}
	}
	compiled.Files = append(c.files, f.Files...)
	if err := compiled.seal(); err != nil {
		c.add(Place{Path: c.result.Path}.Errorf("bad_value", "shorten or correct the value", "the contract has no canonical form: %v", err))
		return
	}
	c.result.Compiled = compiled
}

// parse reads a YAML file that is frozen by its value.
func (c *compilation) parse(path, kind, absent string, place Place) *yaml.Node {
	data, missing := c.repo.Protect(c.ctx, path, place)
	if missing != nil {
		if missing.Code == "protected_input_not_found" {
			missing.Code = absent
		}
		c.add(*missing)
		return nil
	}
	c.files = append(c.files, Frozen{Path: path, Kind: kind})
	root, findings := yamlcore.Parse(path, data)
	c.add(findings...)
	return root
}

// config reads .longtask.yaml, where there is one.
func (c *compilation) config() *Config {
	if !c.repo.Has(ConfigPath) {
		return nil
	}
	data, problem := c.repo.Protect(c.ctx, ConfigPath, Place{Path: ConfigPath})
	if problem != nil {
		c.add(*problem)
		return nil
	}
	root, findings := yamlcore.Parse(ConfigPath, data)
	c.add(findings...)
	if root == nil {
		return nil
	}
	config, findings := shape.Config(ConfigPath, root)
	c.add(findings...)
	c.files = append(c.files, Frozen{Path: ConfigPath, Kind: FileConfig, SHA256: freeze.Digest(data)})
	return config
}

// riskSurfaces compares changed paths with the surfaces the project declares.
func (c *compilation) riskSurfaces(doc *shape.Document) {
	const file = freeze.ContextDir + "/risk-surfaces.yaml"
	if !c.repo.Has(file) {
		return
	}
	data, problem := c.repo.Protect(c.ctx, file, Place{Path: file})
	if problem != nil {
		c.add(*problem)
		return
	}
	root, findings := yamlcore.Parse(file, data)
	if root == nil {
		for i := range findings {
			findings[i].Code = "risk_surfaces_invalid"
		}
		c.add(findings...)
		return
	}
	surfaces, findings := shape.RiskSurfaces(file, root)
	c.add(findings...)
	if len(findings) == 0 && !doc.Broken["risk"] {
		c.add(rules.Surfaces(&doc.Contract, surfaces, c.opt.Changed)...)
	}
}

// tidy sorts findings and merges those that say the same of the same place.
func tidy(findings []Finding) []Finding {
	model.SortFindings(findings)
	out := findings[:0]
	for _, f := range findings {
		if n := len(out); n > 0 {
			last := &out[n-1]
			if last.Code == f.Code && last.Path == f.Path && last.Line == f.Line && last.Column == f.Column && last.Message == f.Message {
				last.Occurrences = max(last.Occurrences, 1) + 1
				continue
			}
		}
		out = append(out, f)
	}
	return out
}

// MatchPattern tells whether a pattern of the contract covers a path.
func MatchPattern(pattern, path string) bool { return pathglob.Match(pattern, path) }

// CompareValue tells whether two contract files, or fragments, say the same:
// they are compared by parsed value, not by bytes.
func CompareValue(a, b []byte) bool {
	x, okX := value(a)
	y, okY := value(b)
	return okX && okY && x == y
}

func value(data []byte) (string, bool) {
	root, findings := yamlcore.Parse("", data)
	if len(findings) > 0 {
		return "", false
	}
	v, _, err := yamlcore.Value(root)
	if err != nil {
		return "", false
	}
	canon, err := canonical.JSON([]any{v})
	return string(canon), err == nil
}
