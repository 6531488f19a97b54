package projectcontext

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/git-longtask/git-longtask/contract/model"
)

// Bounds of what everybody is made to read, in bytes, and of paragraphs that
// count as duplicates.
const (
	FileLimit      = 16 << 10
	ReadLimit      = 64 << 10
	paragraphBytes = 80
)

// Examination is the state of a context.
type Examination struct {
	Read     []Entry         `json:"default_read_set"`
	Bytes    int             `json:"default_read_bytes"`
	Findings []model.Finding `json:"-"`
}

// Examine looks at everything: the manifest, what it names, how much of it
// everybody reads, and what is said twice in the same words.
func (c *Context) Examine(ctx context.Context) (Examination, error) {
	read, err := c.Default(ctx)
	if err != nil {
		return Examination{}, err
	}
	x := Examination{Read: read, Findings: append([]model.Finding{}, c.Findings...)}
	x.Findings = append(x.Findings, c.missing()...)
	for _, e := range read {
		x.Bytes += e.Bytes
		if e.Bytes > FileLimit {
			x.Findings = append(x.Findings, warning("context_file_large", model.Place{Path: e.Path}, "move what only some tasks need into a text with triggers",
				"has %d bytes and everybody reads it; up to %d are good", e.Bytes, FileLimit))
		}
	}
	if x.Bytes > ReadLimit {
		x.Findings = append(x.Findings, warning("context_read_set_large", model.Place{Path: ManifestPath}, "make fewer areas and texts default",
			"everybody reads %d bytes in %d files; up to %d are good", x.Bytes, len(read), ReadLimit))
	}
	twice, err := c.duplicates(ctx)
	x.Findings = append(x.Findings, twice...)
	return x, err
}

func warning(code string, place model.Place, hint, format string, args ...any) model.Finding {
	f := place.Errorf(code, hint, format, args...)
	f.Level = model.LevelWarning
	return f
}

// missing are files that must or are said to exist.
func (c *Context) missing() []model.Finding {
	var findings []model.Finding
	for _, p := range []string{GlobalPath, ArchitecturePath} {
		if !c.files[p] {
			findings = append(findings, warning("context_snapshot_required_file_missing", model.Place{Path: p}, "create it; a contract with context_refs needs it", "does not exist"))
		}
	}
	told := map[string]bool{}
	named := func(by, path string) {
		if path != "" && !c.files[path] && !told[path] {
			told[path] = true
			f := model.Place{Path: ManifestPath, Line: 1, Column: 1}.Errorf("context_file_missing", "create the file below "+Dir+" or correct the manifest", "%s names %q, which is no file below %s", by, path, Dir)
			f.Refs = map[string]any{"context": path}
			findings = append(findings, f)
		}
	}
	for _, a := range c.Manifest.Areas {
		named("the area "+a.ID, a.Context)
	}
	for _, n := range c.Manifest.Context {
		named("an entry of [[context]]", n.Path)
		for _, child := range n.Children {
			named("default_children of "+n.Path, child)
		}
	}
	return findings
}

// duplicates finds files with the same bytes, and paragraphs that stand word
// for word in two files.
func (c *Context) duplicates(ctx context.Context) ([]model.Finding, error) {
	var findings []model.Finding
	files, paragraphs := map[[32]byte]string{}, map[[32]byte]model.Place{}
	for _, path := range c.paths() {
		data, err := c.tree.Read(ctx, path)
		if err != nil {
			return findings, fmt.Errorf("project context: %w", err)
		}
		sum := sha256.Sum256(data)
		if first := files[sum]; first != "" && len(data) > 0 {
			findings = append(findings, twice(model.Place{Path: path}, "the file", model.Place{Path: first}, first))
			continue
		}
		files[sum] = path
		for _, p := range paragraphsOf(path, string(data)) {
			first, again := paragraphs[p.sum]
			if !again {
				paragraphs[p.sum] = p.place
			} else if first.Path != path {
				findings = append(findings, twice(p.place, "the paragraph", first, fmt.Sprintf("%s:%d", first.Path, first.Line)))
			}
		}
	}
	return findings, nil
}

func twice(place model.Place, what string, first model.Place, where string) model.Finding {
	f := warning("context_duplicate", place, "keep one of them and refer to it", "%s is the same as %s", what, where)
	f.Refs = map[string]any{"context": []string{first.Path, place.Path}}
	return f
}

type textBlock struct {
	place model.Place
	sum   [32]byte
}

// paragraphsOf are the paragraphs that are long enough to be no chance.
func paragraphsOf(path, text string) []textBlock {
	var found []textBlock
	var block []string
	number := 0
	end := func(next int) {
		if text := strings.Join(block, "\n"); len(text) >= paragraphBytes {
			found = append(found, textBlock{model.Place{Path: path, Line: next - len(block), Column: 1}, sha256.Sum256([]byte(text))})
		}
		block = nil
	}
	for line := range strings.Lines(text) {
		number++
		if line = strings.TrimRight(line, " \t\r\n"); line == "" {
			end(number)
		} else {
			block = append(block, line)
		}
	}
	end(number + 1)
	return found
}
