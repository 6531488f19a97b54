package check

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// inherited are the variables every check gets from the caller, besides LC_*.
var inherited = []string{"PATH", "LANG", "TZ", "TERM", "CI", "NO_COLOR"}

// environ is the complete environment of a run.
func environ(place Place, spec Spec, dir runDir) []string {
	vars := map[string]string{}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_") {
			vars[name] = value
		}
	}
	for _, name := range passed(place, spec) {
		if value, ok := os.LookupEnv(name); ok {
			vars[name] = value
		}
	}
	vars["HOME"] = place.Home
	vars["TMPDIR"] = dir.tmp
	vars["GIT_CEILING_DIRECTORIES"] = ceiling(place.Dir)
	vars["LONGTASK_EVIDENCE_FILE"] = dir.evidenceFile()
	vars["LONGTASK_EVIDENCE_NONCE"] = dir.nonce
	env := make([]string, 0, len(vars))
	for name, value := range vars {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// ceiling keeps a git that a check runs in the tree, which is no repository,
// from finding one above it.
func ceiling(dir string) string {
	list := filepath.Dir(dir)
	if more := os.Getenv("GIT_CEILING_DIRECTORIES"); more != "" {
		list += string(os.PathListSeparator) + more
	}
	return list
}

// passed are the further names a check is given: its declared variables and
// those of .longtask.yaml, never one that changes how programs load or git works.
func passed(place Place, spec Spec) []string {
	names := slices.Clone(place.PassEnv)
	for _, r := range spec.Check.EnvironmentRequirements {
		if r.Kind == "env_var" {
			names = append(names, r.Target)
		}
	}
	return slices.DeleteFunc(names, neverPassed)
}

func neverPassed(name string) bool {
	for _, prefix := range []string{"GIT_", "LD_", "DYLD_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "NODE_OPTIONS" || name == ""
}

// minSecret is the shortest value that counts as a secret. Shorter ones, and
// the words every JSON text may hold, would be found in any output.
const minSecret = 4

var commonWords = []string{"true", "false", "null"}

// secrets are the values that must not appear in output, by the name of their
// variable. Variables every check gets anyway are none.
func secrets(place Place, spec Spec) map[string]string {
	found := map[string]string{}
	for _, name := range passed(place, spec) {
		value := os.Getenv(name)
		if len(value) < minSecret || slices.Contains(commonWords, value) ||
			slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_") {
			continue
		}
		found[name] = value
	}
	return found
}

// leakedInBytes names the variable whose value the output holds.
func leakedInBytes(secrets map[string]string, outputs ...[]byte) (name string, leaked bool) {
	for name, value := range secrets {
		for _, out := range outputs {
			if bytes.Contains(out, []byte(value)) {
				return name, true
			}
		}
	}
	return "", false
}

// leakedInValue does the same for a decoded value, where escapes are undone.
func leakedInValue(secrets map[string]string, v any) (name string, leaked bool) {
	switch t := v.(type) {
	case string:
		return leakedInBytes(secrets, []byte(t))
	case []any:
		for _, e := range t {
			if name, leaked = leakedInValue(secrets, e); leaked {
				return name, true
			}
		}
	case map[string]any:
		for k, e := range t {
			if name, leaked = leakedInBytes(secrets, []byte(k)); leaked {
				return name, true
			}
			if name, leaked = leakedInValue(secrets, e); leaked {
				return name, true
			}
		}
	}
	return "", false
}
