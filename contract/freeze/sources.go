package freeze

import (
	"context"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/rules"
	"github.com/git-longtask/git-longtask/contract/source"
)

// Freezer collects what a contract freezes and what is wrong with it.
type Freezer struct {
	*Repository
	Graph    *rules.Graph
	Files    []model.Frozen
	Findings []model.Finding
	Items    []source.Item

	verifiers map[string]*model.Frozen
	owners    map[string]string // protected path -> what it is
	checks    []*frozenCheck
}

// New starts freezing a contract.
func New(r *Repository, g *rules.Graph) *Freezer {
	return &Freezer{Repository: r, Graph: g, verifiers: map[string]*model.Frozen{}, owners: map[string]string{}}
}

// fail reports the part of the contract that a way leads to.
func (f *Freezer) fail(code string, way []any, refs map[string]any, hint, format string, args ...any) {
	finding := f.Graph.Doc.Place(way...).Errorf(code, hint, format, args...)
	finding.Refs = refs
	f.Findings = append(f.Findings, finding)
}

// protect reads a file that will be frozen, and reports why it cannot be.
func (f *Freezer) protect(ctx context.Context, path string, way []any, refs map[string]any) ([]byte, bool) {
	data, problem := f.read(ctx, path)
	if problem != nil {
		f.fail(problem.code, way, refs, problem.hint, "%q %s", path, problem.what)
	}
	return data, problem == nil
}

// Sources freezes the source documents, scans their items and resolves the
// anchors that source claims name.
func (f *Freezer) Sources(ctx context.Context) {
	if f.Graph.Doc.Broken["task"] {
		return
	}
	var scanner source.Scanner
	texts := map[string][]byte{}
	for i, path := range f.Graph.Contract.Task.SourcePaths {
		if _, twice := texts[path]; twice {
			continue
		}
		data, ok := f.protect(ctx, path, []any{"task", "source_paths", i}, map[string]any{"source": path})
		texts[path] = data
		f.owners[path] = "a source"
		if !ok {
			f.Items = append(f.Items, source.Item{Broken: true}) // some item is unknown
			continue
		}
		f.Files = append(f.Files, model.Frozen{Path: path, Kind: model.FileSource, SHA256: Digest(data)})
		scanner.Scan(path, data)
	}
	f.Items = append(f.Items, scanner.Items...)
	f.Findings = append(f.Findings, scanner.Findings...)
	f.anchors(texts)
}

func (f *Freezer) anchors(texts map[string][]byte) {
	if f.Graph.Doc.Broken["source_claims"] {
		return
	}
	known := map[string]map[string]bool{}
	for i, s := range f.Graph.Contract.SourceClaims {
		path, anchor, has := strings.Cut(s.SourceRef, "#")
		text, read := texts[path]
		if !has || !read || text == nil {
			continue
		}
		if known[path] == nil {
			known[path] = source.Anchors(text)
		}
		if !known[path][anchor] {
			f.fail("source_claim_anchor_not_found", []any{"source_claims", i, "source_ref"}, map[string]any{"source": s.SourceRef, "source_claim": s.Key},
				"name a heading of the file, or write "+path+" without an anchor", "%s has no anchor %q", path, anchor)
		}
	}
}
