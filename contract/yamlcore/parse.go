// Package yamlcore reads the one YAML document the contract format allows: the
// 1.2 core schema, string keys, no anchor, alias, tag, merge key or directive.
// It gives back yaml.v3's nodes, so that every value keeps its place, and all
// the refused features at once. It promises an answer in linear time for any
// bytes; what the values mean is none of its business.
package yamlcore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/git-longtask/git-longtask/contract/model"
)

// Codes of this package's findings.
const (
	CodeSyntax  = "yaml_syntax"
	CodeFeature = "yaml_feature"
)

// Bounds of one file. A contract of 200 outcomes has about 500 KiB.
const (
	MaxBytes = 2 << 20
	maxDepth = 100
)

// Parse reads one document. The node is nil exactly when a finding says why.
func Parse(path string, data []byte) (*yaml.Node, []model.Finding) {
	p := &parser{path: path, data: data}
	if p.rawProblem() {
		return nil, p.findings
	}
	node := p.document()
	if node != nil {
		p.check(node, 0)
	}
	if len(p.findings) > 0 {
		return nil, p.findings
	}
	return node, nil
}

type parser struct {
	path     string
	data     []byte
	tags     map[[2]int]bool // line and column of every ! that may begin a tag
	lines    int
	findings []model.Finding
}

func (p *parser) add(code string, line, column int, hint, format string, args ...any) {
	if len(p.findings) < 100 { // a hostile file shall not make a hostile report
		place := model.Place{Path: p.path, Line: line, Column: column}
		p.findings = append(p.findings, place.Error(code, fmt.Sprintf(format, args...), hint))
	}
}

// rawProblem reports what can be seen in the bytes, before any YAML.
func (p *parser) rawProblem() bool {
	switch {
	case len(p.data) > MaxBytes:
		p.add(CodeSyntax, 1, 1, "move long texts out of the contract", "the file has %d bytes; at most %d are read", len(p.data), MaxBytes)
	case bytes.HasPrefix(p.data, []byte("\xef\xbb\xbf")):
		p.add(CodeFeature, 1, 1, "save the file as UTF-8 without a byte order mark", "the file starts with a byte order mark")
	default:
		p.characters()
		if len(p.findings) == 0 {
			p.directive()
		}
	}
	return len(p.findings) > 0
}

// characters reports the first byte that is no printable UTF-8 text. On the
// way it notes where tags may begin, since yaml.v3 does not keep the tag "!".
func (p *parser) characters() {
	p.tags, p.lines = map[[2]int]bool{}, 1
	column, previous := 1, byte(' ')
	for i := 0; i < len(p.data); {
		r, n := rune(p.data[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(p.data[i:])
		}
		switch {
		case r == utf8.RuneError && n == 1:
			p.add(CodeSyntax, p.lines, column, "save the file as UTF-8", "byte 0x%02x is not valid UTF-8", p.data[i])
			return
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r >= 0x7f && r < 0xa0 && r != 0x85, r == 0xfeff, r >= 0xfffe && r <= 0xffff:
			p.add(CodeSyntax, p.lines, column, `remove it, or write it as an escape in double quotes, such as "\u0007"`, "the control character U+%04X may not stand in YAML", r)
			return
		case r == '!' && strings.IndexByte(" \t\n\r[{,:", previous) >= 0:
			p.tags[[2]int{p.lines, column}] = true
		}
		previous = p.data[i]
		i += n
		column++
		if r == '\n' {
			p.lines, column = p.lines+1, 1
		}
	}
}

// directive looks only before the document: inside it, % is text.
func (p *parser) directive() {
	rest := p.data
	for i := 0; len(rest) > 0; i++ {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		text := bytes.TrimSpace(line)
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		if line[0] == '%' {
			p.add(CodeFeature, i+1, 1, "remove the line; YAML 1.2 is meant anyway", "YAML directives are not allowed: %q", Trim(string(text)))
		}
		return
	}
}

var errorLine = regexp.MustCompile(`^line (\d+): `)

func (p *parser) document() *yaml.Node {
	decoder := yaml.NewDecoder(bytes.NewReader(p.data))
	var doc, more yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		p.add(CodeSyntax, 1, 1, "write the contract into it; git longtask init makes a first one", "the file holds no YAML document")
		return nil
	case err != nil:
		p.syntax(err)
		return nil
	}
	switch err := decoder.Decode(&more); {
	case err == nil:
		p.add(CodeFeature, max(more.Line, 1), max(more.Column, 1), "keep one document and remove the --- line", "a second YAML document starts here")
	case !errors.Is(err, io.EOF):
		p.syntax(err)
	}
	if len(doc.Content) != 1 {
		p.add(CodeSyntax, 1, 1, "write the contract into it", "the file holds no YAML document")
		return nil
	}
	return doc.Content[0]
}

// syntax turns the library's "yaml: line N: text" into a finding.
func (p *parser) syntax(err error) {
	line, text := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if m := errorLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	line = min(max(line, 1), max(p.lines, 1))
	if strings.HasPrefix(text, "unknown anchor") {
		p.add(CodeFeature, line, 1, "write the value out", "YAML aliases are not allowed: %s", text)
		return
	}
	p.add(CodeSyntax, line, 1, "correct the indentation, quotes or punctuation there; the mistake may be on the line before", "not valid YAML: %s", text)
}

// check refuses features in a node and below it.
func (p *parser) check(n *yaml.Node, depth int) {
	if depth > maxDepth {
		if depth == maxDepth+1 {
			p.add(CodeSyntax, n.Line, n.Column, "flatten the structure", "nested deeper than %d levels", maxDepth)
		}
		return
	}
	switch {
	case n.Kind == yaml.AliasNode:
		p.add(CodeFeature, n.Line, n.Column, "write the value out", "YAML aliases are not allowed: *%s", Trim(n.Value))
		return
	case n.Anchor != "":
		p.add(CodeFeature, n.Line, n.Column, "remove the anchor and write repeated values out", "YAML anchors are not allowed: &%s", Trim(n.Anchor))
	case n.Style&yaml.TaggedStyle != 0 || p.tags[[2]int{n.Line, n.Column}]:
		p.add(CodeFeature, n.Line, n.Column, "remove the tag; put the value in quotes where a string is meant", "YAML explicit tags are not allowed: %s", Trim(n.Tag))
	}
	if n.Kind == yaml.MappingNode {
		p.keys(n)
	}
	for _, c := range n.Content {
		p.check(c, depth+1)
	}
}

// keys reports keys that are no plain text, merge keys and keys used twice.
func (p *parser) keys(n *yaml.Node) {
	first := make(map[string]int, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		k := n.Content[i]
		line, seen := first[k.Value]
		switch {
		case k.Kind == yaml.AliasNode:
			// reported as an alias
		case k.Kind != yaml.ScalarNode:
			p.add(CodeFeature, k.Line, k.Column, "use a name as key", "a mapping key must be text, not a list or a mapping")
		case k.Value == "<<" && k.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0:
			p.add(CodeFeature, k.Line, k.Column, "write the fields out", "YAML merge keys are not allowed: <<")
		case seen:
			p.add(CodeSyntax, k.Line, k.Column, "remove one of the two", "the key %q stands here and on line %d", Trim(k.Value), line)
		default:
			first[k.Value] = k.Line
		}
	}
}

// Trim keeps a message readable whatever stands in the file.
func Trim(s string) string {
	if len(s) <= 60 {
		return s
	}
	cut := 57
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}
