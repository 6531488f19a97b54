// Package hooks puts git-longtask between a person and Git's own moments:
// before a commit, before a merge commit, before a push.
//
// It promises that a hook somebody else wrote is never lost, never edited and
// keeps running, that only files which are exactly ours are replaced or
// removed, and that an installation is called one only after the file Git would
// run has answered. It refuses to know how a verdict is reached.
package hooks

import "github.com/git-longtask/git-longtask/contract"

// Names are the Git hooks that are installed, in the order of reports.
var Names = []string{"pre-commit", "pre-merge-commit", "pre-push"}

// State is what stands where Git looks for one hook.
type State string

// States of a hook.
const (
	Installed     State = "installed"      // exactly ours, its program is there
	Managed       State = "managed"        // somebody else's, and it calls git-longtask
	Missing       State = "missing"        // nothing there
	Foreign       State = "foreign"        // somebody else's, and it does not call git-longtask
	Edited        State = "edited"         // ours once, changed by hand
	BinaryMissing State = "binary_missing" // ours, but the program is neither where it was nor on PATH
	NotExecutable State = "not_executable" // ours, but Git ignores it
	SavedMissing  State = "saved_missing"  // ours, but the previous hook it should call is gone
	Removed       State = "removed"        // by this uninstall
	Restored      State = "restored"       // by this uninstall: the previous hook is back
)

// HookState is one hook of a repository. Path is absolute. Binary is the
// program recorded in a hook of ours, Previous the path of the hook that ours
// calls first, Manager the program that owns a foreign hook.
type HookState struct {
	Name     string `json:"name"`
	State    State  `json:"state"`
	Path     string `json:"path"`
	Binary   string `json:"binary,omitempty"`
	Previous string `json:"previous,omitempty"`
	Manager  string `json:"manager,omitempty"`
	Proved   bool   `json:"proved"`
}

// Statuses of a Report.
const (
	StatusInstalled         = "installed"
	StatusAlreadyInstalled  = "already_installed"
	StatusPartlyInstalled   = "partly_installed"
	StatusRefused           = "refused"
	StatusNotProved         = "not_proved"
	StatusUninstalled       = "uninstalled"
	StatusNotInstalled      = "not_installed"
	StatusPartlyUninstalled = "partly_uninstalled"
)

// Report says what Install or Uninstall did. Dir is the absolute directory Git
// takes hooks from, empty when the repository was refused before it was asked.
type Report struct {
	Status   string             `json:"status"`
	Dir      string             `json:"dir,omitempty"`
	Hooks    []HookState        `json:"hooks"`
	Findings []contract.Finding `json:"findings"`
}
