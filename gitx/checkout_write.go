package gitx

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// errUnread is content git did not give, which no other place on disk mends.
var errUnread = errors.New("git does not give its content")

// write writes files whose directories exist and whose places are free, with
// one child that gives their bytes.
func (c *Checkout) write(ctx context.Context, files []TreeEntry) error {
	if len(files) == 0 {
		return nil
	}
	slices.SortFunc(files, func(a, b TreeEntry) int { return strings.Compare(a.Path, b.Path) })
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd, err := c.repo.here.command(ctx, "cat-file", "--batch", "--buffer")
	if err != nil {
		return err
	}
	var ids strings.Builder
	for _, e := range files {
		ids.WriteString(string(e.OID) + "\n")
	}
	var diag strings.Builder
	cmd.Stdin, cmd.Stderr = strings.NewReader(ids.String()), &diag
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w := &fileWriter{blobs: bufio.NewReaderSize(out, 256<<10)}
	err = w.writeAll(c.dir, files)
	if err == nil {
		return cmd.Wait()
	}
	stop()
	cmd.Wait()
	if msg := strings.TrimSpace(diag.String()); msg != "" && errors.Is(err, errUnread) {
		err = fmt.Errorf("%w: %s", err, msg)
	}
	return err
}

// fileWriter writes files from a stream of `git cat-file --batch`.
type fileWriter struct {
	blobs *bufio.Reader
	path  string   // of dir
	dir   *os.Root // the directory of the last file
}

func (w *fileWriter) writeAll(dir string, files []TreeEntry) error {
	top, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer top.Close()
	defer w.leave()
	for _, e := range files {
		if err := w.enter(top, path.Dir(e.Path)); err != nil {
			return err
		}
		if err := w.writeNext(e); err != nil {
			return err
		}
	}
	return nil
}

func (w *fileWriter) enter(top *os.Root, dir string) (err error) {
	if w.dir != nil && w.path == dir {
		return nil
	}
	w.leave()
	w.path = dir
	w.dir, err = top.OpenRoot(dir)
	return err
}

func (w *fileWriter) leave() {
	if w.dir != nil {
		w.dir.Close()
		w.dir = nil
	}
}

func (w *fileWriter) writeNext(e TreeEntry) error {
	header, err := w.blobs.ReadString('\n')
	if err != nil {
		return fmt.Errorf("%q: %w", e.Path, errUnread)
	}
	var oid, typ string
	var size int64
	if n, _ := fmt.Sscanf(header, "%s %s %d", &oid, &typ, &size); n < 3 || typ != "blob" || oid != string(e.OID) {
		return fmt.Errorf("%q: %w: %w: %s", e.Path, errUnread, ErrMissing, e.OID)
	}
	blob := io.LimitReader(w.blobs, size)
	if e.Mode == ModeSymlink {
		err = w.link(e, blob)
	} else {
		err = w.file(e, blob)
	}
	if err != nil {
		return err
	}
	_, err = w.blobs.Discard(1)
	return err
}

func (w *fileWriter) link(e TreeEntry, blob io.Reader) error {
	target, err := io.ReadAll(blob)
	if err != nil {
		return err
	}
	return w.dir.Symlink(string(target), path.Base(e.Path))
}

func (w *fileWriter) file(e TreeEntry, blob io.Reader) error {
	f, err := w.dir.OpenFile(path.Base(e.Path), os.O_WRONLY|os.O_CREATE|os.O_EXCL|plainFile, e.perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(f, blob)
	return errors.Join(err, f.Chmod(e.perm()), f.Close())
}
