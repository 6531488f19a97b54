package main

import (
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// jsonPage is docs/json.md: the envelope, each command's own members, and the
// shapes they are made of, with the comments of the source.
func jsonPage(t *testing.T) string {
	p := &jsonDoc{t: t, comments: map[string]map[string]string{}}
	p.printf(`# JSON

Generated from the source: go test ./cmd/git-longtask -run Generated -update

With --json every command prints exactly one object on stdout. All have the members of the envelope; "ok" is true exactly when the exit
code is 0, "findings" is never null, and "error" is there exactly when nothing could be decided (exit 2 or 130). Commands add members of
their own beside these. Later versions may add members, and never change what one means.

## Envelope

`)
	p.members(reflect.TypeFor[envelope]())
	for _, c := range commands() {
		if c.Run == nil || c.Hidden {
			continue
		}
		p.printf("\n## %s\n\n", c.Name)
		if c.JSON == nil {
			t.Errorf("command %s: say in JSON what its answer adds to the envelope", c.Name)
			continue
		}
		p.members(reflect.TypeOf(c.JSON))
	}
	p.printf("\n# Shapes\n")
	for i := 0; i < len(p.shapes); i++ { // describing one may name more
		p.printf("\n## %s\n\n", p.shapes[i].Name())
		if doc := p.comment(p.shapes[i], ""); doc != "" {
			p.printf("%s\n\n", doc)
		}
		p.members(p.shapes[i])
	}
	return p.String()
}

type jsonDoc struct {
	strings.Builder
	t        *testing.T
	shapes   []reflect.Type
	comments map[string]map[string]string // package → "Type" or "Type.Field" → text
}

func (p *jsonDoc) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// members lists what a struct puts into an object.
func (p *jsonDoc) members(of reflect.Type) {
	if of.Kind() != reflect.Struct {
		p.printf("%s\n", p.kind(of))
		return
	}
	p.printf("| member | type | |\n|---|---|---|\n")
	p.rows(of)
}

func (p *jsonDoc) rows(of reflect.Type) {
	for i := range of.NumField() {
		f := of.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			if f.Type.Kind() == reflect.Pointer {
				f.Type = f.Type.Elem()
			}
			p.rows(f.Type)
			continue
		case name == "-" || !f.IsExported() || of != reflect.TypeFor[envelope]() && slices.Contains(envelopeNames, name):
			continue
		case name == "":
			p.t.Errorf("%s.%s has no JSON name", of, f.Name)
		}
		note, kind := p.comment(of, f.Name), p.kind(f.Type)
		if strings.Contains(options, "omitempty") {
			note, kind = strings.TrimSuffix("may be absent; "+note, "; "), strings.TrimSuffix(kind, " or null")
		}
		p.printf("| `%s` | %s | %s |\n", name, kind, strings.ReplaceAll(note, "|", `\|`))
	}
}

// kind names a type as a reader of JSON knows it.
func (p *jsonDoc) kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return p.kind(t.Elem()) + " or null"
	case reflect.Slice, reflect.Array:
		return "list of " + p.kind(t.Elem())
	case reflect.Map:
		return "object, name to " + p.kind(t.Elem())
	case reflect.Struct:
		if t.PkgPath() == "time" {
			return "time, RFC 3339"
		}
		if t.Name() == "" {
			return "object"
		}
		if !slices.Contains(p.shapes, t) {
			p.shapes = append(p.shapes, t)
		}
		return fmt.Sprintf("[%s](#%s)", t.Name(), strings.ToLower(t.Name()))
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "string"
	case reflect.Interface:
		return "any"
	}
	return "number"
}

// comment is what the source says about a type, or about a field of it.
func (p *jsonDoc) comment(t reflect.Type, field string) string {
	if t.Name() == "" {
		return ""
	}
	key := t.Name()
	if field != "" {
		key += "." + field
	}
	dir, ours := strings.CutPrefix(t.PkgPath(), module+"/")
	if t.PkgPath() == "main" {
		dir, ours = "cmd/git-longtask", true
	}
	if !ours {
		return ""
	}
	if p.comments[dir] == nil {
		p.comments[dir] = commentsOf(p.t, filepath.Join("..", "..", filepath.FromSlash(dir)))
	}
	return p.comments[dir][key]
}

func commentsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		f, err := goparser.ParseFile(token.NewFileSet(), path, nil, goparser.ParseComments|goparser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range decl.Specs {
				if spec, ok := s.(*ast.TypeSpec); ok {
					typeComments(found, decl, spec)
				}
			}
		}
	}
	return found
}

func typeComments(found map[string]string, decl *ast.GenDecl, spec *ast.TypeSpec) {
	doc := spec.Doc
	if doc == nil {
		doc = decl.Doc
	}
	found[spec.Name.Name] = flat(doc)
	body, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range body.Fields.List {
		text := field.Comment
		if text == nil {
			text = field.Doc
		}
		for _, name := range field.Names {
			found[spec.Name.Name+"."+name.Name] = flat(text)
		}
	}
}

func flat(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
