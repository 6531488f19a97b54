package gitx

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Checkout is a private directory that holds the tree of one commit: the raw
// bytes of its blobs, its symlinks and its modes. What it holds is told by
// hashing, so neither index, work tree, attributes, filters nor configuration
// of the repository have a say; a file that was hashed is hashed again when
// anything the kernel says of it is different. Submodules are empty
// directories. The next Fill writes only what differs.
//
// One Checkout at a time uses the directory kept for its work tree; others get
// a directory of their own for as long as they are open.
type Checkout struct {
	repo    *Repo
	dir     string
	cold    bool // ours alone, removed by Close
	fresh   bool // what an earlier process saw does not count
	unlock  func()
	want    *wantDir
	commit  OID
	list    []TreeEntry // what want was made of
	files   []*wantFile // what it holds, in that order
	learned bool        // looks are worth keeping
}

// OpenCheckout takes a directory below cacheDir, which must be outside the
// work tree and the repository, and clears away what crashed processes left.
func OpenCheckout(ctx context.Context, r *Repo, cacheDir string) (*Checkout, error) {
	trees, err := treesDir(r, cacheDir)
	if err != nil {
		return nil, err
	}
	if err := removeStale(ctx, trees); err != nil {
		return nil, fmt.Errorf("checkout: %w", err)
	}
	return openDir(r, filepath.Join(trees, dirName(r.GitDir)))
}

func dirName(of string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(of)))[:16] }

func openDir(r *Repo, dir string) (*Checkout, error) {
	c := &Checkout{repo: r, dir: dir}
	unlock, ok, err := tryLockFile(c.dir + lockSuffix)
	if err == nil && !ok {
		c.cold = true
		c.dir, unlock, err = lockCold(c.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("checkout: %w", err)
	}
	c.unlock = unlock
	return c, nil
}

// Twin opens and fills a second directory with the same tree, for what must
// not touch the first. It is kept as the first one is.
func (c *Checkout) Twin(ctx context.Context) (*Checkout, error) {
	if c.want == nil {
		return nil, errNotFilled
	}
	twin, err := openDir(c.repo, filepath.Join(filepath.Dir(c.dir), dirName(c.repo.GitDir+"\x00twin")))
	if err != nil {
		return nil, err
	}
	twin.fresh = c.fresh
	if err := twin.FillList(ctx, c.commit, c.list); err != nil {
		return nil, errors.Join(err, twin.Close())
	}
	return twin, nil
}

// Distrust makes every Fill read all files, whatever earlier processes saw.
func (c *Checkout) Distrust() { c.fresh = true }

// treesDir makes the directory all checkouts are in.
func treesDir(r *Repo, cacheDir string) (string, error) {
	real, err := realPath(cacheDir)
	if err != nil {
		return "", fmt.Errorf("cache directory: %w", err)
	}
	for _, outer := range []string{r.Top, r.GitDir, r.CommonDir} {
		if outer != "" && within(real, outer) {
			return "", fmt.Errorf("the cache directory %s is inside the repository at %s; set XDG_CACHE_HOME to a place outside", real, outer)
		}
	}
	trees := filepath.Join(real, "trees")
	if err := os.MkdirAll(trees, 0o700); err != nil {
		return "", fmt.Errorf("cache directory: %w", err)
	}
	return trees, os.Chmod(trees, 0o700)
}

// realPath resolves symlinks in as much of a path as exists.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if !errors.Is(err, os.ErrNotExist) || filepath.Dir(abs) == abs {
		return real, err
	}
	above, err := realPath(filepath.Dir(abs))
	return filepath.Join(above, filepath.Base(abs)), err
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Dir is where the files are. It exists from the first Fill on.
func (c *Checkout) Dir() string { return c.dir }

// Fill makes the directory hold the tree of a commit and proves that it does.
// Errors: ErrMissing when an object of it is not in the repository (see
// FetchMissing).
func (c *Checkout) Fill(ctx context.Context, commit OID) error {
	list, err := c.repo.ListTree(ctx, commit)
	if err != nil {
		return fmt.Errorf("checkout of %s: %w", commit.Short(), c.repo.asMissing(ctx, commit, err))
	}
	return c.FillList(ctx, commit, list)
}

// FillList is Fill with what ListTree gave for the commit.
func (c *Checkout) FillList(ctx context.Context, commit OID, list []TreeEntry) (err error) {
	c.commit, c.list = commit, list
	if c.want, c.files, err = wantedTree(list); err == nil {
		if !c.fresh {
			c.recall()
		}
		err = c.Restore(ctx)
	}
	if err != nil {
		return fmt.Errorf("checkout of %s: %w", commit.Short(), c.repo.asMissing(ctx, commit, err))
	}
	return nil
}

var errNotFilled = errors.New("the checkout holds no commit yet")

// Restore brings the directory back to the commit of the last Fill, whatever
// happened to it, and proves that it is.
func (c *Checkout) Restore(ctx context.Context) error {
	if c.want == nil {
		return errNotFilled
	}
	err := c.repair(ctx)
	if err == nil || ctx.Err() != nil || errors.Is(err, errUnread) {
		return err
	}
	if err := c.remove(); err != nil {
		return fmt.Errorf("%w; remove %s by hand", err, c.dir)
	}
	return c.repair(ctx)
}

func (c *Checkout) repair(ctx context.Context) error {
	if err := c.makeDir(); err != nil {
		return err
	}
	found, err := c.scan(ctx, true)
	if err != nil || len(found.changed) == 0 {
		return err
	}
	if err := c.write(ctx, found.missing); err != nil {
		return err
	}
	changed, err := c.verifyAround(ctx, found.changed)
	if err == nil && len(changed) > 0 {
		err = fmt.Errorf("%s cannot hold %q as committed; its file system may not tell upper from lower case, "+
			"change Unicode names or not keep modes: set XDG_CACHE_HOME to another one "+
			"(if git fsck finds the repository whole)", c.dir, changed[:min(len(changed), 5)])
	}
	return err
}

// fewChanges is up to how many paths are looked at alone after they were
// repaired; everything else was found right a moment ago.
const fewChanges = 100

// verifyAround is Verify for the directories that the paths are in.
func (c *Checkout) verifyAround(ctx context.Context, paths []string) (changed []string, err error) {
	if len(paths) > fewChanges {
		return c.Verify(ctx)
	}
	top, err := os.OpenRoot(c.dir)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	s := &scan{top: top, format: c.repo.Format}
	done := map[string]bool{}
	for _, p := range paths {
		for dir := path.Dir(p); !done[dir]; dir = path.Dir(dir) {
			done[dir] = true
			if want := c.want.sub(dir); want != nil {
				if _, err := s.visit(scanned{dir, want}); err != nil {
					return nil, err
				}
			}
		}
	}
	return s.changed, nil
}

// makeDir makes sure that there is a directory, and that it is ours alone.
func (c *Checkout) makeDir() error {
	info, err := os.Lstat(c.dir)
	if err == nil && !info.IsDir() {
		if err := os.Remove(c.dir); err != nil {
			return err
		}
	}
	if err := os.Mkdir(c.dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return os.Chmod(c.dir, 0o700)
}

// Verify lists, sorted, the paths that are not as in the commit of the last
// Fill: changed, removed and new files, other modes, directories that cannot
// be entered. Empty directories do not count.
func (c *Checkout) Verify(ctx context.Context) (changed []string, err error) {
	if c.want == nil {
		return nil, errNotFilled
	}
	found, err := c.scan(ctx, false)
	if err != nil {
		return nil, err
	}
	slices.Sort(found.changed)
	return slices.Compact(found.changed), nil
}

func (c *Checkout) remove() error { return RemoveTree(c.dir) }

// Close lets others use the directory. The files stay for the next Fill,
// except in a directory that was made for this Checkout alone.
func (c *Checkout) Close() error {
	defer c.unlock()
	if !c.cold {
		return c.keepLooks()
	}
	return errors.Join(c.remove(), os.Remove(c.dir+lockSuffix))
}
