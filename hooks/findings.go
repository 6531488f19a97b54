package hooks

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gitx"
)

const installCommand = "git longtask install"

// finding is an error about a file of the hooks directory.
func finding(code, path, next, format string, args ...any) contract.Finding {
	return contract.Finding{Code: code, Level: contract.LevelError, Path: path, Next: next, Message: fmt.Sprintf(format, args...)}
}

func bareRepository(dir string) contract.Finding {
	return finding("bare_repository", dir, "git longtask ci -h",
		"this repository is bare: nobody commits or pushes from it, so there is nothing to install; run install in a clone, and let CI check what arrives here")
}

func hooksPathNotLocal(d gitx.HooksDir) contract.Finding {
	var lines strings.Builder
	for _, hook := range Names {
		lines.WriteString(filepath.Join(d.Path, hook) + ": " + callLine(hook) + "\n")
	}
	f := finding("hooks_path_not_local", d.Path, `git config --local core.hooksPath "$(git rev-parse --path-format=absolute --git-common-dir)/hooks"`,
		"core.hooksPath is set outside this repository (%s, from %s), so every repository that uses it would get our hooks; nothing was installed. "+
			"Give this repository hooks of its own with the command below and install again, or add the lines of the hint to the hooks in %s", d.Scope, d.Origin, d.Path)
	f.RepairHint = lines.String()
	f.Refs = map[string]any{"scope": d.Scope, "origin": d.Origin, "value": d.Value}
	return f
}

func hooksPathUnusable(d gitx.HooksDir) contract.Finding {
	if d.Scope == "" {
		return finding("hooks_path_unusable", d.Path, "ls -ld "+shellQuote(d.Path),
			"%s is not a directory, so Git runs no hooks; move it away and install again", d.Path)
	}
	return finding("hooks_path_unusable", d.Path, "git config --"+d.Scope+" --unset-all core.hooksPath",
		"core.hooksPath (%q, in %s) is not a directory, so Git runs no hooks; take it out of the configuration and install again", d.Value, d.Origin)
}

func binaryPathUnusable(binary string) contract.Finding {
	return finding("binary_path_unusable", "", "",
		"the hooks cannot start %q: the path of git-longtask must be absolute and without line breaks; put the program elsewhere and install again", binary)
}

func hookNotAFile(hook, path string) contract.Finding {
	return finding("hook_not_a_file", path, "ls -ld "+shellQuote(path),
		"where Git looks for the %s hook stands something that is not a file; move it away and install again", hook)
}

func hookEdited(hook, path string) contract.Finding {
	f := finding("hook_edited", path, installCommand+" --force",
		"the %s hook was written by git-longtask and edited since, so it is left alone; either take it over with --force (the edited file is kept as %s), or remove your lines until it is as it was",
		hook, path+editedSuffix)
	f.RepairHint = "to go on without it: rm " + shellQuote(path)
	return f
}

func hookBackupExists(hook, path, backup string) contract.Finding {
	return finding("hook_backup_exists", path, "diff "+shellQuote(path)+" "+shellQuote(backup),
		"the %s hook has to be kept as %s, but that file exists and differs; both are left alone. Compare them, remove or rename the one you do not need, and install again", hook, backup)
}

func hooksPathTracked(hook, path string) contract.Finding {
	f := finding("hooks_path_tracked", path, installCommand+" --force",
		"the %s hook is a file of the project, tracked by Git, so it is left alone; add this line to it: %s (or let it be replaced by one that calls it, with --force)", hook, callLine(hook))
	f.RepairHint = callLine(hook)
	return f
}

func foreignHookManager(m manager, hook, path string) contract.Finding {
	f := finding("foreign_hook_manager", path, installCommand,
		"the %s hook belongs to %s, which writes it again whenever it likes, so it is left alone; add the lines of the hint to %s and install again", hook, m.name, m.config(hook)[0])
	if m.name == "pre-commit" && hook == "pre-push" {
		f.Message = "the pre-push hook belongs to pre-commit, which keeps what is pushed from the hooks of its configuration, so it is left alone; run the commands of the hint: pre-commit then calls our hook first"
	}
	f.RepairHint = m.entry(hook)
	f.Refs = map[string]any{"manager": m.name, "configuration": m.config(hook)[0]}
	return f
}

func hookSavedMissing(hook, path string, level contract.Level) contract.Finding {
	f := finding("hook_saved_missing", path, installCommand,
		"the %s hook used to call the one that was there before it, kept as %s, but that file is gone; put it back, or install again to go on without it", hook, path+savedSuffix)
	f.Level = level
	return f
}

func hooksDirNotWritable(hook, path string, err error) contract.Finding {
	return finding("hooks_dir_not_writable", path, "ls -ld "+shellQuote(filepath.Dir(path)),
		"the %s hook cannot be written (%v); make the hooks directory writable and try again", hook, err)
}

func hookNotProved(hook, path, why string) contract.Finding {
	return finding("hook_not_proved", path, installCommand,
		"the %s hook is in place, but it did not answer when it was started as Git starts it: %s; mend that and install again, or take the hooks away with `git longtask uninstall`", hook, why)
}

func hooksPathPerWorktree(d gitx.HooksDir) contract.Finding {
	f := finding("hooks_path_per_worktree", d.Path, "",
		"core.hooksPath is relative (%s), so every linked worktree has hooks of its own: install again in each", d.Value)
	f.Level = contract.LevelWarning
	return f
}

func hooksPathShared(d gitx.HooksDir) contract.Finding {
	f := finding("hooks_path_shared", d.Path, "",
		"core.hooksPath leads out of this repository, so other repositories that use the same directory run these hooks too; without a task they do nothing")
	f.Level = contract.LevelWarning
	return f
}

func hooksUntracked(paths []string, exclude string) contract.Finding {
	lines := make([]string, len(paths))
	for i, p := range paths {
		lines[i] = shellQuote("/" + p)
	}
	f := finding("hooks_untracked", paths[0], "printf '%s\\n' "+strings.Join(lines, " ")+" >>"+shellQuote(exclude),
		"the hooks are new files in the work tree (%d of them), and a final gate wants a clean one; tell Git to ignore them in this clone", len(paths))
	f.Level, f.Occurrences = contract.LevelWarning, len(paths)
	return f
}

func editedStays(hook, path string) contract.Finding {
	f := hookEdited(hook, path)
	f.Message = fmt.Sprintf("the %s hook was written by git-longtask and edited since, so it stays; keep your lines and remove the rest, or remove the file", hook)
	f.Next, f.RepairHint = "rm "+shellQuote(path), ""
	return f
}

func savedStays(hook, path string) contract.Finding {
	f := finding("hook_backup_exists", path, "diff "+shellQuote(path)+" "+shellQuote(path+savedSuffix),
		"the %s hook was replaced by another program after git-longtask kept your previous one as %s; both stay, choose one", hook, path+savedSuffix)
	f.Level = contract.LevelWarning
	return f
}

func callStays(hook string, s HookState) contract.Finding {
	f := finding("hook_call_stays", s.Path, "", "the %s hook is not ours and calls git-longtask; take the line `git longtask hook %s` out of it yourself", hook, hook)
	if s.Manager != "" {
		f.Message = fmt.Sprintf("the %s hook belongs to %s, whose configuration calls git-longtask; take that entry out yourself", hook, s.Manager)
	}
	f.Level = contract.LevelWarning
	return f
}
