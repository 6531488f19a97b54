package gitx

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

// OID is a full object id: 40 or 64 lower-case hexadecimal digits.
type OID string

// IsZero tells whether the id is absent: empty or all zeros, as git writes it.
func (o OID) IsZero() bool { return strings.Trim(string(o), "0") == "" }

// Short is the id cut for people.
func (o OID) Short() string {
	if len(o) < 7 {
		return string(o)
	}
	return string(o[:7])
}

// ActiveRef names the marker of the task that is active in one worktree.
const ActiveRef = "refs/worktree/longtask/active"

// chainGlob matches, in one walk over the refs, ActiveRef, every authority chain
// and every published copy; what else it matches is passed over.
const chainGlob = "refs/*longtask*/a[cu]t*"

// Repo is one repository seen from one worktree. All paths are absolute.
type Repo struct {
	GitDir    string // of this worktree
	CommonDir string // shared by all worktrees
	IndexFile string // honours GIT_INDEX_FILE
	Objects   string // object directory, honours GIT_OBJECT_DIRECTORY
	Top       string // work tree, "" when bare
	Bare      bool
	Shallow   bool
	Format    string   // "sha1" or "sha256"
	Branch    string   // full name HEAD points at; "" when detached or, in a bare repository, not asked
	Unborn    bool     // Branch has no commit yet
	Bound     bool     // ActiveRef existed at discovery
	Chains    []string // authority chains at discovery, local and published: full ref names, sorted

	here  place
	mu    sync.Mutex // guards batch
	batch *catFile

	treesMu  sync.Mutex
	trees    map[OID][]TreeEntry
	configMu sync.Mutex
	config   *Config
}

// Open finds the repository of dir with one git child, as git itself would:
// GIT_DIR, GIT_WORK_TREE and GIT_INDEX_FILE are honoured. Errors:
// ErrGitMissing, ErrGitTooOld, ErrUnsafe and ErrNotRepository (with git's own
// sentence).
func Open(ctx context.Context, dir string) (*Repo, error) {
	return open(ctx, place{dir, hereEnv()})
}

// OpenForeign is Open for a repository that is not the one the process was
// started in: every variable that ties us to a repository is dropped.
func OpenForeign(ctx context.Context, dir string) (*Repo, error) {
	return open(ctx, place{dir, ForeignEnv()})
}

func open(ctx context.Context, p place) (*Repo, error) {
	out, err := p.run(ctx, nil, "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir",
		"--git-path", "index", "--git-path", "objects", "--is-bare-repository", "--is-shallow-repository",
		"--show-object-format", "--symbolic-full-name", "--glob="+chainGlob, "--show-toplevel", "HEAD")
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if err != nil && (len(lines) < 7 || len(lines[0]) == 0) {
		return nil, discoveryError(ctx, p, err)
	}
	r := &Repo{GitDir: lines[0], CommonDir: lines[1], IndexFile: lines[2], Objects: lines[3],
		Bare: lines[4] == "true", Shallow: lines[5] == "true", Format: lines[6]}
	rest := lines[7:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "refs/") && (len(rest) > 1 || r.Bare) {
		r.sawRef(rest[0])
		rest = rest[1:]
	}
	if !r.Bare && len(rest) > 0 {
		r.Top, rest = rest[0], rest[1:]
	}
	if lines[4] != "true" && lines[4] != "false" || (r.Format != "sha1" && r.Format != "sha256") || len(rest) > 1 {
		return nil, fmt.Errorf("%w: git described the repository in a way we cannot read (a line break in its path?)", ErrNotRepository)
	}
	r.here = p.pinned(r)
	if !r.Bare && r.Top == "" {
		return nil, fmt.Errorf("%w: inside a git directory, not in a work tree; change to the work tree first", ErrNotRepository)
	}
	if r.Top != "" {
		r.head(ctx, rest, err)
	}
	return r, nil
}

// sawRef sorts in a ref that chainGlob matched.
func (r *Repo) sawRef(name string) {
	switch {
	case name == ActiveRef:
		r.Bound = true
	case strings.HasSuffix(name, "/authority") && (strings.HasPrefix(name, "refs/longtask/") || strings.HasPrefix(name, "refs/longtask-remotes/")):
		r.Chains = append(r.Chains, name)
	}
}

// head reads what rev-parse said of HEAD: its branch, "HEAD" when detached,
// and a failure after everything else when the branch has no commit yet.
func (r *Repo) head(ctx context.Context, rest []string, failed error) {
	switch {
	case failed != nil:
		r.Unborn = true
		out, _ := r.here.run(ctx, nil, "symbolic-ref", "-q", "HEAD")
		r.Branch = strings.TrimSpace(string(out))
	case len(rest) == 1 && rest[0] != "HEAD":
		r.Branch = rest[0]
	}
}

// pinned is the place of all later children: at the top of the work tree, with
// the repository named by absolute paths, so that a relative GIT_DIR or
// GIT_INDEX_FILE keeps its meaning.
func (p place) pinned(r *Repo) place {
	dir, env := r.Top, filterEnv(p.env, func(name string) bool {
		return name == "GIT_DIR" || name == "GIT_WORK_TREE" || name == "GIT_INDEX_FILE" || name == "GIT_COMMON_DIR" || name == "GIT_PREFIX"
	})
	env = append(env, "GIT_DIR="+r.GitDir, "GIT_INDEX_FILE="+r.IndexFile)
	if r.Top == "" {
		dir = r.GitDir
	} else {
		env = append(env, "GIT_WORK_TREE="+r.Top)
	}
	if r.CommonDir != r.GitDir {
		env = append(env, "GIT_COMMON_DIR="+r.CommonDir)
	}
	return place{dir, env}
}

func discoveryError(ctx context.Context, p place, err error) error {
	if _, ok := exitCode(err); !ok {
		return err
	}
	if major, minor, verr := gitVersion(ctx, p); verr == nil && (major < 2 || major == 2 && minor < 36) {
		return fmt.Errorf("%w (this is %d.%d)", ErrGitTooOld, major, minor)
	}
	var g *GitError
	errors.As(err, &g)
	if _, untrusted := p.run(ctx, nil, "-c", "safe.directory=*", "rev-parse", "--git-dir"); untrusted == nil {
		return fmt.Errorf("%w: %s", ErrUnsafe, strings.TrimPrefix(strings.TrimSpace(g.Stderr), "fatal: "))
	}
	return fmt.Errorf("%w: %s", ErrNotRepository, strings.TrimPrefix(strings.TrimSpace(g.Stderr), "fatal: "))
}

func gitVersion(ctx context.Context, p place) (major, minor int, err error) {
	out, err := p.run(ctx, nil, "version")
	if err != nil {
		return 0, 0, err
	}
	_, err = fmt.Sscanf(string(out), "git version %d.%d", &major, &minor)
	return major, minor, err
}

func isHex(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// Close ends the long-lived children.
func (r *Repo) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.batch == nil {
		return nil
	}
	b := r.batch
	r.batch = nil
	return b.close()
}

// Zero is the id that says "no object" in this repository.
func (r *Repo) Zero() OID {
	if r.Format == "sha256" {
		return OID(strings.Repeat("0", 64))
	}
	return OID(strings.Repeat("0", 40))
}

// CacheDir is where this user's caches live: $XDG_CACHE_HOME/git-longtask, or
// the platform's place. The error says which variable is missing.
func CacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoCache, err)
	}
	return base + string(os.PathSeparator) + "git-longtask", nil
}

// Version is git's own sentence about its version, without "git version ".
func Version(ctx context.Context) (string, error) {
	out, err := place{"", ForeignEnv()}.run(ctx, nil, "version")
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "git version "), err
}
