package check

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/check/process"
)

// OutputLimit bounds stdout and stderr of a run together, and the evidence
// file on its own, in bytes.
const OutputLimit = 2 << 20

// resolve turns a runner into a command to start. The error is one clause
// about what is missing and how to get it.
func resolve(place Place, r contract.Runner) (process.Command, Program, error) {
	c := process.Command{
		Dir:     filepath.Join(place.Dir, filepath.FromSlash(r.Cwd)),
		Timeout: time.Duration(r.TimeoutMS) * time.Millisecond,
		Limit:   OutputLimit,
	}
	root, err := os.OpenRoot(place.Dir)
	if err != nil {
		return c, Program{}, err
	}
	defer root.Close()
	cwd := path.Clean(r.Cwd)
	if info, err := root.Stat(cwd); err != nil || !info.IsDir() {
		return c, Program{}, fmt.Errorf("its cwd %s is not a directory of the tree", r.Cwd)
	}
	switch r.Type {
	case contract.RunnerCommand:
		if strings.Contains(r.Argv[0], "/") {
			return projectBinary(root, c, path.Join(cwd, r.Argv[0]), r.Argv[1:])
		}
		return fromPath(c, r.Argv[0], r.Argv[1:])
	case contract.RunnerProjectBinary:
		return projectBinary(root, c, path.Join(cwd, r.Target), r.Argv)
	case contract.RunnerNodeOracle:
		if info, err := root.Stat(path.Join(cwd, r.Target)); err != nil || !info.Mode().IsRegular() {
			return c, Program{}, fmt.Errorf("its target %s is not a file of the tree", path.Join(cwd, r.Target))
		}
		return fromPath(c, "node", append([]string{"./" + r.Target}, r.Argv...))
	case contract.RunnerPackageScript:
		if !hasManifest(root, cwd) {
			return c, Program{}, fmt.Errorf("there is no package.json in %s or above it in the tree", r.Cwd)
		}
		return fromPath(c, "npm", append([]string{"--no-update-notifier", "run", r.Target, "--"}, r.Argv...))
	}
	return c, Program{}, fmt.Errorf("its runner %s cannot be run by this version", r.Type)
}

func projectBinary(root *os.Root, c process.Command, target string, argv []string) (process.Command, Program, error) {
	info, err := root.Stat(target)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return c, Program{}, fmt.Errorf("its target %s is not a file of the tree", target)
	case info.Mode()&0o111 == 0:
		return c, Program{}, fmt.Errorf("its target %s is not executable; run: git update-index --chmod=+x %s, and commit", target, target)
	}
	f, err := root.Open(target)
	if err != nil {
		return c, Program{}, err
	}
	defer f.Close()
	sha, err := hashOf(f)
	c.Path, c.Args = filepath.Join(root.Name(), filepath.FromSlash(target)), argv
	return c, Program{Path: target, SHA256: sha}, err
}

// fromPath starts the name as found, since shims look at it, and records what
// it resolves to.
func fromPath(c process.Command, name string, args []string) (process.Command, Program, error) {
	found, err := exec.LookPath(name)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	if err != nil {
		return c, Program{}, fmt.Errorf("%s is not on PATH; install it or extend PATH", name)
	}
	resolved, err := filepath.EvalSymlinks(found)
	if err != nil {
		return c, Program{}, err
	}
	sha, err := digestOfProgram(resolved)
	c.Path, c.Args = found, args
	return c, Program{Path: resolved, SHA256: sha}, err
}

// hasManifest looks for a package.json from cwd upwards; npm itself would go
// on above the tree.
func hasManifest(root *os.Root, cwd string) bool {
	for dir := cwd; ; dir = path.Dir(dir) {
		if info, err := root.Stat(path.Join(dir, "package.json")); err == nil && info.Mode().IsRegular() {
			return true
		}
		if dir == "." {
			return false
		}
	}
}

// programs remembers digests: node alone is some 90 MB, once per check.
var programs sync.Map

func digestOfProgram(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	key := fmt.Sprint(name, "\x00", info.Size(), info.ModTime().UnixNano())
	if sha, ok := programs.Load(key); ok {
		return sha.(string), nil
	}
	sha, err := hashOf(f)
	if err == nil {
		programs.Store(key, sha)
	}
	return sha, err
}

func hashOf(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}
