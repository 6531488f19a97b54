package check

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// collectArtifacts hashes what the artifact globs match in the tree after the
// run, and tells whether one of them matches nothing.
func (r *Result) collectArtifacts(place Place, spec Spec) (missing bool) {
	for _, glob := range spec.Check.ArtifactGlobs {
		n, err := r.hashMatches(place.Dir, glob)
		if err == nil && n > 0 {
			continue
		}
		missing = true
		message := fmt.Sprintf("%s left no file that matches its artifact glob %s.", spec.ID(), glob)
		if err != nil {
			message = fmt.Sprintf("The artifacts %s of %s could not be read: %v.", glob, spec.ID(), err)
		}
		r.Findings = append(r.Findings, spec.finding(codeArtifact, message, "Make the check write it, below the root of the tree.",
			map[string]any{"expected": glob}))
	}
	return missing
}

func (r *Result) hashMatches(dir, glob string) (int, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	n := 0
	pattern := strings.Split(glob, "/")
	err = fs.WalkDir(root.FS(), literalPrefix(pattern), func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			if os.IsNotExist(err) {
				return nil
			}
			return err
		}
		if !e.Type().IsRegular() || !matchSegments(pattern, strings.Split(name, "/")) {
			return nil
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		n++
		r.ArtifactHashes[name], err = hashOf(f)
		return err
	})
	return n, err
}

// literalPrefix is the directory, or the file, a pattern can match below.
func literalPrefix(pattern []string) string {
	n := 0
	for n < len(pattern) && !strings.ContainsAny(pattern[n], "*?") {
		n++
	}
	return path.Join(append([]string{"."}, pattern[:n]...)...)
}

// matchSegments matches a contract pattern: * and ? inside a segment, ** for
// any number of segments.
func matchSegments(pattern, name []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for i := 0; i <= len(name); i++ {
				if matchSegments(pattern[1:], name[i:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], name[0]); err != nil || !ok {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return len(name) == 0
}
