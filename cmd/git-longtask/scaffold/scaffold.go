// Package scaffold holds the files a new task starts from. It promises that the
// contract it renders can be locked as it is and that its acceptance test fails
// until one line is fixed; it knows nothing of Git and starts no process.
package scaffold

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// Names are the templates, the default first.
func Names() []string { return []string{"delivery", "go", "node", "python"} }

// Task is what the files are about. Workdir is a repository path.
type Task struct{ ID, Title, Workdir string }

// File is one file to write at a repository path. Shared files serve every task
// of the repository: one that is there already is kept.
type File struct {
	Path   string
	Data   []byte
	Exec   bool
	Shared bool
}

// Files renders a template for the project that from, a directory of the
// repository, belongs to. subject is the file to implement. Errors are a
// *Refusal or that of the file system.
func Files(top fs.FS, name, from string, t Task) (files []File, subject string, err error) {
	p, err := layouts[name](top, from, t)
	if err != nil {
		return nil, "", err
	}
	rendered := []struct {
		template string
		File
	}{
		{"contract.yaml", File{Path: path.Join(t.Workdir, "delivery-contract.yaml")}},
		{"source.md", File{Path: p.Source()}},
		{name + "/subject", File{Path: p.Subject(), Exec: p.execSubject}},
		{name + "/test", File{Path: path.Join(p.Dir, p.Frozen, p.test)}},
		{name + "/check", File{Path: path.Join(p.Dir, p.Target()), Exec: p.Runner == "project_binary"}},
		{name + "/longtask.yaml", File{Path: ".longtask.yaml", Shared: true}},
	}
	for _, r := range rendered {
		text, err := templates.ReadFile("templates/" + r.template + ".tmpl")
		if err != nil {
			continue // the language does without
		}
		if r.Data, err = p.render(r.template, string(text)); err != nil {
			return nil, "", err
		}
		files = append(files, r.File)
	}
	return files, p.Subject(), p.apart()
}

func (p *plan) render(name, text string) ([]byte, error) {
	t, err := template.New(name).Funcs(template.FuncMap{"q": quoted}).Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, p)
	return out.Bytes(), err
}

// quoted is a JSON string, which YAML reads as the same text.
func quoted(s string) (string, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(s)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// apart refuses a workdir that mingles with what the task may change or what
// proves it: the contract judges both and can be neither.
func (p *plan) apart() error {
	for _, dir := range []string{path.Dir(p.Subject()), path.Join(p.Dir, p.Frozen)} {
		if within(p.Workdir, dir) || within(dir, p.Workdir) {
			return &Refusal{Code: "workdir_overlaps_work",
				Message: fmt.Sprintf("the workdir %s and %s, where the template puts files of the work, lie within each other", p.Workdir, dir),
				Hint:    "a workdir holds only the contract and its source; name a directory of its own, such as plans/" + p.ID}
		}
	}
	return nil
}

// within tells whether a repository path is dir or below it.
func within(name, dir string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}

// Refusal says why there can be no such files, and what to do.
type Refusal struct{ Code, Message, Hint string }

func (r *Refusal) Error() string { return r.Code + ": " + r.Message }
