package check

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/git-longtask/git-longtask/contract"
)

// unavailable is the first requirement the machine does not meet.
func unavailable(place Place, requirements []contract.Environment) (contract.Environment, string, bool) {
	for _, r := range requirements {
		if reason := probe(place, r); reason != "" {
			return r, reason, true
		}
	}
	return contract.Environment{}, "", false
}

// probe tells in one clause why the machine does not meet a requirement, ""
// when it does.
func probe(place Place, r contract.Environment) string {
	switch r.Kind {
	case "executable":
		if _, err := exec.LookPath(r.Target); err != nil {
			return fmt.Sprintf("the program %s is not on PATH", r.Target)
		}
	case "env_var":
		if neverPassed(r.Target) {
			return fmt.Sprintf("the variable %s is never passed to checks", r.Target)
		}
		if os.Getenv(r.Target) == "" {
			return fmt.Sprintf("the environment variable %s is not set", r.Target)
		}
	case "file":
		if info, err := statInTree(place.Dir, r.Target); err != nil || !info.Mode().IsRegular() {
			return fmt.Sprintf("the file %s is not in the tree", r.Target)
		}
	case "directory":
		if info, err := statInTree(place.Dir, r.Target); err != nil || !info.IsDir() {
			return fmt.Sprintf("the directory %s is not in the tree", r.Target)
		}
	case "loopback_tcp":
		if !listening(r) {
			return fmt.Sprintf("nothing listens on %s port %d", r.Host, r.Port)
		}
	default:
		return fmt.Sprintf("the kind %s is not known", r.Kind)
	}
	return ""
}

// listening dials the loopback addresses themselves: what the machine calls
// localhost may be elsewhere.
func listening(r contract.Environment) bool {
	hosts := []string{r.Host}
	if r.Host == "localhost" {
		hosts = []string{"127.0.0.1", "::1"}
	}
	for _, host := range hosts {
		conn, err := net.DialTimeout("tcp", net.JoinHostPort(host, strconv.Itoa(r.Port)), time.Duration(r.TimeoutMS)*time.Millisecond)
		if err == nil {
			conn.Close()
			return true
		}
	}
	return false
}

// statInTree follows symlinks, but never out of the tree.
func statInTree(dir, name string) (os.FileInfo, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Stat(name)
}
