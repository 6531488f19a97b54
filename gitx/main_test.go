package gitx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// roles are what a copy of the test program can do instead of testing, for
// tests that need several processes: set gitxRole to a name in it.
var roles = map[string]func() error{}

const gitxRole = "GITX_TEST_ROLE"

// TestMain cuts the tests off from the developer's own git: tests that run in
// a hook would otherwise work in the repository that is being committed to.
func TestMain(m *testing.M) {
	if role, ok := roles[os.Getenv(gitxRole)]; ok {
		if err := role(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(runHermetic(m))
}

func runHermetic(m *testing.M) int {
	home, err := os.MkdirTemp("", "gitx-home-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(home)
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_CACHE_HOME": filepath.Join(home, "cache"),
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": os.TempDir(),
		"GIT_AUTHOR_NAME": "Author", "GIT_AUTHOR_EMAIL": "author@example.invalid",
		"GIT_COMMITTER_NAME": "Committer", "GIT_COMMITTER_EMAIL": "committer@example.invalid",
	} {
		os.Setenv(name, value)
	}
	return m.Run()
}
