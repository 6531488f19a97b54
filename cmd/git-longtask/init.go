package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/cmd/git-longtask/scaffold"
	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gitx"
)

func initCommand() *command {
	return &command{
		Name:  "init",
		Group: groupSetUp,
		Args:  "<workdir>",
		Usage: "write a contract to start from",
		JSON:  initFields{},
		Description: "Writes a contract and its source into the workdir, and beside your code a small example with an acceptance test that fails until " +
			"one line is fixed. It can be locked as it is. Nothing is ever overwritten, and either all files are written or none.",
		Examples: []string{
			"git longtask init plans/login",
			"git longtask init plans/login --template go  # inside a Go module",
			"git longtask init plans/login --source plans/login.md  # after git longtask source mark",
		},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "id", Usage: "the task's `ID`: lower-case letters, digits and dashes (default: from the workdir's name)"},
			&cli.StringFlag{Name: "title", Usage: "the task's `TITLE` (default: from the id)"},
			&cli.StringFlag{Name: "template", Value: scaffold.Names()[0], Usage: "the `KIND` of project: " + list(scaffold.Names()) + " (goals: not in this version yet)"},
			&cli.StringFlag{Name: "source", Usage: "make the contract from the marked items of `FILE`, leaving what it cannot say to decide"},
		},
		Run: runInit,
	}
}

type initFields struct {
	TaskID   string   `json:"task_id"`
	Title    string   `json:"title"`
	Workdir  string   `json:"workdir"`
	Template string   `json:"template,omitempty"` // without a source
	Subject  string   `json:"subject,omitempty"`  // the file to implement; without a source
	Source   string   `json:"source,omitempty"`   // what the contract was made from
	Written  []string `json:"written"`            // repository paths
	Kept     []string `json:"kept"`               // files that serve every task and were there
	Next     []string `json:"next"`               // commands to type

	ToDecide []contract.Finding `json:"to_decide,omitempty"` // with a source: what preflight says about the draft
}

func runInit(ctx context.Context, inv *invocation) (*report, error) {
	name, err := inv.template()
	if err != nil {
		return nil, err
	}
	repo, err := inv.Repo(ctx)
	if err != nil {
		return nil, err
	}
	if repo.Bare {
		return nil, &decideError{Code: "bare_repository", Message: "a bare repository has no work tree to write a contract into", Hint: "run this in a clone with a work tree"}
	}
	task, err := inv.newTask(repo)
	if err != nil {
		return nil, err
	}
	top, err := os.OpenRoot(repo.Top)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	if inv.Flags.String("source") != "" {
		return inv.initFromSource(ctx, repo, top, task)
	}
	from, err := inv.inRepo(repo, inv.Dir)
	if err != nil {
		from = "." // the work tree is elsewhere: GIT_WORK_TREE
	}
	files, subject, err := scaffold.Files(top.FS(), name, from, task)
	var refusal *scaffold.Refusal
	if errors.As(err, &refusal) {
		return nil, &decideError{Code: refusal.Code, Message: refusal.Message, Hint: refusal.Hint}
	}
	if err != nil {
		return nil, err
	}
	return inv.scaffold(ctx, repo, top, files, initFields{TaskID: task.ID, Title: task.Title, Workdir: task.Workdir, Template: name, Subject: subject,
		Written: []string{}, Kept: []string{}, Next: []string{}})
}

// template is the one asked for.
func (inv *invocation) template() (string, error) {
	name := inv.Flags.String("template")
	if inv.Flags.IsSet("template") && inv.Flags.String("source") != "" {
		return "", usageError(inv.Command, "--source makes a contract from your own text, --template from an example; give one of them")
	}
	if name == "goals" {
		return "", &decideError{Code: codeNotBuilt, Message: "the template goals is planned, but this version does not have it yet", Hint: "nothing was changed; there are: " + list(scaffold.Names())}
	}
	if !slices.Contains(scaffold.Names(), name) {
		return "", usageError(inv.Command, "there is no template %q; there are: %s", name, list(scaffold.Names()))
	}
	return name, nil
}

// scaffold writes the files, unless one is in the way or the contract could not
// be locked here.
func (inv *invocation) scaffold(ctx context.Context, repo *gitx.Repo, top *os.Root, files []scaffold.File, fields initFields) (*report, error) {
	there, err := scaffold.Existing(top, files)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f scaffold.File) bool {
		kept := f.Shared && slices.Contains(there, f.Path)
		if kept {
			fields.Kept = append(fields.Kept, f.Path)
		}
		return kept
	})
	there = slices.DeleteFunc(there, func(path string) bool { return slices.Contains(fields.Kept, path) })
	if len(there) > 0 {
		return nothingWritten(fields, inTheWay(there), "move away what is there, or choose another workdir and --id"), nil
	}
	undo, err := scaffold.Write(top, files)
	if err != nil {
		return nil, fmt.Errorf("nothing was written: %w", err)
	}
	found, err := contractFindings(ctx, repo, fields.Workdir)
	if err != nil || ctx.Err() != nil || contract.Refuses(found) {
		err = errors.Join(err, ctx.Err(), undo())
		return nothingWritten(fields, found, "the contract could not be locked here; the findings say why"), err
	}
	for _, f := range files {
		fields.Written = append(fields.Written, f.Path)
	}
	fields.Next = inv.afterInit(repo, fields)
	return &report{Status: "written", Findings: found, Fields: fields, Text: func(p *printer) { printInit(p, fields, found) }}, nil
}

func printInit(p *printer, fields initFields, found []contract.Finding) {
	p.line("%s: task %s, from the template %s", p.bold("written"), fields.TaskID, fields.Template)
	for _, f := range fields.Written {
		p.line("  %s", quotePath(f))
	}
	for _, f := range fields.Kept {
		p.line("  %s was there and is kept", quotePath(f))
	}
	p.findings(found)
	p.line("It can be locked as it is: verify fails until %s gives what the contract demands.", quotePath(fields.Subject))
	p.line("next:")
	for _, cmd := range fields.Next {
		p.line("  %s", cmd)
	}
}

func nothingWritten(fields initFields, found []contract.Finding, hint string) *report {
	return &report{Status: "refused", Exit: exitRefused, Findings: found, Fields: fields, Text: func(p *printer) {
		p.line("%s: %s", p.red("nothing was written"), count(problems(found), "problem"))
		p.line("")
		p.findings(found)
		p.line("")
		p.line("%s", hint)
	}}
}

func inTheWay(there []string) []contract.Finding {
	var found []contract.Finding
	for _, name := range there {
		found = append(found, contract.Finding{Code: "file_exists", Level: contract.LevelError, Path: name, Message: "this is there already, and init overwrites nothing",
			RepairHint: "move it away, or choose another workdir and --id"})
	}
	return found
}

// contractFindings reads the contract back the way preflight will: that also
// finds ignored directories and links in the way.
func contractFindings(ctx context.Context, repo *gitx.Repo, workdir string) ([]contract.Finding, error) {
	files, err := repo.WorkFiles(ctx)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	found := contract.Compile(ctx, gate.WorkTree(files), contract.Options{Workdir: workdir}).Findings
	contract.SortFindings(found)
	return found, nil
}

// afterInit are the next commands, for the directory the user stands in.
func (inv *invocation) afterInit(repo *gitx.Repo, fields initFields) []string {
	here := func(name string) string { return shellQuote(inv.fromHere(repo, name)) }
	add := "git add --"
	for _, name := range fields.Written {
		add += " " + here(name)
	}
	return []string{fmt.Sprintf("%s && git commit -m %s", add, shellQuote("Say what "+fields.TaskID+" must do")), "git longtask compile " + here(fields.Workdir), "git longtask verify"}
}

// fromHere is a repository path as the user would type it.
func (inv *invocation) fromHere(repo *gitx.Repo, name string) string {
	dir, err := filepath.EvalSymlinks(inv.Dir)
	if err != nil {
		return name
	}
	typed, err := filepath.Rel(dir, filepath.Join(repo.Top, filepath.FromSlash(name)))
	if err != nil {
		return name
	}
	return filepath.ToSlash(typed)
}
