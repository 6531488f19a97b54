package main

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-longtask/git-longtask/cmd/git-longtask/scaffold"
	"github.com/git-longtask/git-longtask/gate/authority"
	"github.com/git-longtask/git-longtask/gitx"
)

// newTask checks what was asked for and fills in what was not.
func (inv *invocation) newTask(repo *gitx.Repo) (scaffold.Task, error) {
	dir, err := inv.inRepo(repo, inv.arg(0))
	if err == nil {
		err = notADirectory(repo, dir, inv.arg(0))
	}
	if err != nil {
		return scaffold.Task{}, err
	}
	if dir == "." {
		return scaffold.Task{}, &decideError{Code: "long_task_workdir_must_not_be_repository_root", Message: "the work directory is the repository root",
			Hint: "a contract needs a directory of its own", Next: "git longtask init plans/first"}
	}
	if dir == ".git" || strings.HasPrefix(dir, ".git/") {
		return scaffold.Task{}, &decideError{Code: "path_outside_repository", Message: fmt.Sprintf("%s belongs to Git", inv.arg(0)), Hint: "name a directory of the work tree"}
	}
	id, err := inv.newID(repo, path.Base(dir))
	if err != nil {
		return scaffold.Task{}, err
	}
	title := inv.Flags.String("title")
	if !inv.Flags.IsSet("title") {
		title = titleFrom(id)
	}
	if strings.TrimSpace(title) == "" || strings.IndexFunc(title, unicode.IsControl) >= 0 || !utf8.ValidString(title) {
		return scaffold.Task{}, &decideError{Code: "task_title_invalid", Message: fmt.Sprintf("%q cannot be a title: it must be one line that is not blank", title), Hint: "name another: --title <title>"}
	}
	return scaffold.Task{ID: id, Title: title, Workdir: dir}, nil
}

// newID is the id asked for, or one made from the workdir's name.
func (inv *invocation) newID(repo *gitx.Repo, base string) (string, error) {
	id, wanted := idFrom(base), base
	if inv.Flags.IsSet("id") {
		id = inv.Flags.String("id")
		wanted = id
	}
	if !taskID.MatchString(id) || len(id) > longestID {
		return "", &decideError{Code: "task_id_invalid", Message: fmt.Sprintf("%q cannot be a task id: lower-case letters, digits and dashes, a letter or digit first, at most %d of them", wanted, longestID),
			Hint: "name another: --id <id>"}
	}
	if slices.Contains(authority.Tasks(repo), id) {
		return "", &decideError{Code: "task_id_taken", Message: fmt.Sprintf("this repository has a task %s already", id), Hint: "name another: --id <id>", Next: "git longtask tasks"}
	}
	return id, nil
}

const longestID = 64

var (
	taskID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	notID  = regexp.MustCompile(`[^a-z0-9]+`)
)

// idFrom makes a directory's name an id, "" when nothing of it can stay.
func idFrom(name string) string {
	id := strings.Trim(notID.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return strings.TrimRight(id[:min(len(id), longestID)], "-")
}

func titleFrom(id string) string {
	words := strings.ReplaceAll(id, "-", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
