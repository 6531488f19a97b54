package main

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// codeUse is what the source says about one code.
type codeUse struct {
	room     string
	causes   []string
	remedies []string
}

// codesOf reads the codes of findings and errors out of the source below root:
// the Code of a composite literal or an assignment, the argument for a
// parameter named code, and sentinels whose text is a code. The literals that
// stand beside it say what happened and what to do.
func codesOf(t *testing.T, root string) map[string]*codeUse {
	t.Helper()
	s := &codeScan{consts: map[string]string{}, params: map[string][]string{}, found: map[string]*codeUse{}}
	var files []*ast.File
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
			return err
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := goparser.ParseFile(token.NewFileSet(), path, nil, goparser.SkipObjectResolution)
		if err == nil {
			f.Doc, f.Comments = nil, nil
			rel, _ := filepath.Rel(root, filepath.Dir(path))
			s.rooms = append(s.rooms, strings.Split(filepath.ToSlash(rel), "/")[0])
			files = append(files, f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, visit := range []func(*ast.File, ast.Node){s.declare, s.collect} {
		for i, f := range files {
			s.room = s.rooms[i]
			ast.Inspect(f, func(n ast.Node) bool {
				visit(f, n)
				return true
			})
		}
	}
	return s.found
}

type codeScan struct {
	rooms  []string            // of the files
	room   string              // of the file at hand
	consts map[string]string   // package.Name → value
	params map[string][]string // package.function or package..method → names of parameters
	found  map[string]*codeUse
}

// declare learns constants, sentinels and functions with a parameter "code".
func (s *codeScan) declare(f *ast.File, n ast.Node) {
	pkg := f.Name.Name + "."
	switch n := n.(type) {
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if i >= len(n.Values) {
				continue
			}
			value := n.Values[i]
			if call, ok := value.(*ast.CallExpr); ok && len(call.Args) == 1 && strings.HasSuffix(spell(call.Fun), "errors.New") {
				value = call.Args[0]
			}
			if text, ok := literal(value); ok {
				s.consts[pkg+name.Name] = text
			}
		}
	case *ast.FuncDecl:
		if n.Recv != nil {
			pkg += "."
		}
		s.function(pkg+n.Name.Name, n.Type)
	case *ast.AssignStmt:
		for i, value := range n.Rhs {
			if fn, ok := value.(*ast.FuncLit); ok && len(n.Lhs) == len(n.Rhs) {
				s.function(pkg+spell(n.Lhs[i]), fn.Type)
			}
		}
	case *ast.Field:
		if fn, ok := n.Type.(*ast.FuncType); ok && len(n.Names) == 1 {
			s.function(pkg+n.Names[0].Name, fn)
		}
	}
}

func (s *codeScan) function(name string, fn *ast.FuncType) {
	var params []string
	for _, field := range fn.Params.List {
		for _, p := range field.Names {
			params = append(params, p.Name)
		}
	}
	if slices.Contains(params, "code") {
		s.params[name] = params
	}
}

// collect takes the codes out of one place.
func (s *codeScan) collect(f *ast.File, n ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		for i, param := range s.params[callee(f, n)] {
			if i < len(n.Args) && param == "code" {
				s.call(f, n, s.params[callee(f, n)], i)
			}
		}
		if strings.HasSuffix(spell(n.Fun), "errors.New") && len(n.Args) == 1 {
			s.add(f, n.Args[0], "", "")
		}
	case *ast.CompositeLit:
		fields := map[string]ast.Expr{}
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				fields[spell(kv.Key)] = kv.Value
			}
		}
		if code := fields["Code"]; code != nil {
			s.add(f, code, s.told(f, fields, "Message", "What"), s.told(f, fields, "RepairHint", "Hint", "Next", "Command"))
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if sel, ok := left.(*ast.SelectorExpr); ok && sel.Sel.Name == "Code" && i < len(n.Rhs) {
				s.add(f, n.Rhs[i], "", "")
			}
		}
	}
}

// told is what some fields of a literal say, one after the other.
func (s *codeScan) told(f *ast.File, fields map[string]ast.Expr, names ...string) string {
	var texts []string
	for _, name := range names {
		if text := s.said(f, fields[name]); strings.Trim(text, "… ") != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}

func (s *codeScan) call(f *ast.File, n *ast.CallExpr, params []string, code int) {
	var cause, remedy string
	for i, param := range params {
		if i >= len(n.Args) {
			break
		}
		switch param {
		case "format", "message":
			cause = s.said(f, n.Args[i])
		case "hint", "next":
			remedy = s.said(f, n.Args[i])
		}
	}
	s.add(f, n.Args[code], cause, remedy)
}

var codeShape = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)+$|^(usage|locked|interrupted|retired|closed)$`)

func (s *codeScan) add(f *ast.File, code ast.Expr, cause, remedy string) {
	text, ok := literal(code)
	if !ok {
		name := strings.TrimSuffix(spell(code), ".Error()")
		if !strings.Contains(name, ".") {
			name = f.Name.Name + "." + name
		}
		text = s.consts[name]
	}
	if !codeShape.MatchString(text) {
		return
	}
	use := s.found[text]
	if use == nil {
		use = &codeUse{room: s.room}
		s.found[text] = use
	}
	if cause != "" && !slices.Contains(use.causes, cause) {
		use.causes = append(use.causes, cause)
	}
	if remedy != "" && !slices.Contains(use.remedies, remedy) {
		use.remedies = append(use.remedies, remedy)
	}
}

// callee names what is called as params does, whatever the receiver.
func callee(f *ast.File, n *ast.CallExpr) string {
	switch fun := n.Fun.(type) {
	case *ast.Ident:
		return f.Name.Name + "." + fun.Name
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok && slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
			return strings.HasSuffix(strings.Trim(i.Path.Value, `"`), "/"+x.Name)
		}) {
			return x.Name + "." + fun.Sel.Name
		}
		return f.Name.Name + ".." + fun.Sel.Name
	}
	return ""
}

func spell(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return spell(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		return spell(e.Fun) + "()"
	}
	return ""
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

var verb = regexp.MustCompile(`"?%[-+#0-9.*\[\]]*[a-zA-Z]"?`)

// said is a text of the source with "…" for what is filled in at run time.
func (s *codeScan) said(f *ast.File, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := literal(e)
		return strings.ReplaceAll(verb.ReplaceAllString(text, "…"), "%%", "%")
	case *ast.BinaryExpr:
		left, right := s.said(f, e.X), s.said(f, e.Y)
		return strings.ReplaceAll(left+right, "……", "…")
	case *ast.CallExpr:
		if strings.HasSuffix(spell(e.Fun), "Sprintf") {
			return s.said(f, e.Args[0])
		}
		return "…"
	case *ast.Ident:
		if text := s.consts[f.Name.Name+"."+e.Name]; text != "" {
			return text
		}
	case nil:
		return ""
	}
	return "…"
}

// TestEveryCodeIsExplained keeps a code from being shown that docs/findings.md
// does not explain.
func TestEveryCodeIsExplained(t *testing.T) {
	for code, use := range explainedCodes(t) {
		if len(use.causes) == 0 || len(use.remedies) == 0 {
			t.Errorf("%s (%s): say in codesToldHere what it means and what to do: causes %q, remedies %q", code, use.room, use.causes, use.remedies)
		}
	}
}

// explainedCodes are the codes of the source, with what is told here.
func explainedCodes(t *testing.T) map[string]*codeUse {
	t.Helper()
	codes := codesOf(t, filepath.Join("..", ".."))
	for code, told := range codesToldHere {
		use := codes[code]
		if use == nil && told.room == "" {
			continue
		}
		if use == nil {
			use = &codeUse{room: told.room}
			codes[code] = use
		}
		if told.cause != "" {
			use.causes = []string{told.cause}
		}
		if told.remedy != "" {
			use.remedies = []string{told.remedy}
		}
	}
	for _, use := range codes {
		bare := func(s string) bool { return strings.Trim(s, "… ") == "" }
		use.causes, use.remedies = slices.DeleteFunc(use.causes, bare), slices.DeleteFunc(use.remedies, bare)
	}
	return codes
}
