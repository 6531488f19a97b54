package gitx

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// cleaner asks git what it would store for files of the work tree. Objects it
// has to write go to a temporary directory that only it knows.
type cleaner struct {
	repo    *Repo
	mu      sync.Mutex
	hasher  *pathHasher // writes nothing
	writer  *pathHasher // writes into objects
	objects string
}

// hash is the id git would store a file under.
func (c *cleaner) hash(ctx context.Context, path string) (OID, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ask(ctx, &c.hasher, c.repo.here, path)
}

// content is what git would store for a file, for ids the repository lacks.
func (c *cleaner) content(ctx context.Context, path string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.objects == "" {
		dir, err := os.MkdirTemp("", "longtask-objects-")
		if err != nil {
			return nil, err
		}
		c.objects = dir
	}
	p := c.repo.here.with("GIT_OBJECT_DIRECTORY="+c.objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+c.repo.alternates())
	oid, err := c.ask(ctx, &c.writer, p, path, "-w")
	if err != nil {
		return nil, err
	}
	return readLoose(filepath.Join(c.objects, string(oid[:2]), string(oid[2:])))
}

// alternates is the value of GIT_ALTERNATE_OBJECT_DIRECTORIES that makes the
// objects of r readable from another object directory.
func (r *Repo) alternates() string {
	list := cQuote(r.Objects)
	for _, kv := range r.here.env {
		if value, ok := strings.CutPrefix(kv, "GIT_ALTERNATE_OBJECT_DIRECTORIES="); ok && value != "" {
			list += string(os.PathListSeparator) + value
		}
	}
	return list
}

// ask asks one child, which is started when needed, and forgets it when it
// failed, since git ends at the first file it cannot read.
func (c *cleaner) ask(ctx context.Context, child **pathHasher, p place, path string, flags ...string) (OID, error) {
	if *child == nil {
		h, err := startPathHasher(p, flags...)
		if err != nil {
			return "", err
		}
		*child = h
	}
	oid, err := (*child).ask(ctx, path)
	if err != nil {
		(*child).close()
		*child = nil
		return "", fmt.Errorf("what git would store for %q: %w", path, err)
	}
	return oid, nil
}

func (c *cleaner) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, child := range []**pathHasher{&c.hasher, &c.writer} {
		if *child != nil {
			(*child).close()
			*child = nil
		}
	}
	dir := c.objects
	c.objects = ""
	if dir == "" {
		return nil
	}
	return os.RemoveAll(dir)
}

// pathHasher is a long-lived `git hash-object --stdin-paths`.
type pathHasher struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	diag bytes.Buffer
}

// startPathHasher ties the child to no request: it ends with its input.
func startPathHasher(p place, flags ...string) (*pathHasher, error) {
	args := append([]string{"-c", "core.safecrlf=false", "hash-object", "--stdin-paths"}, flags...)
	cmd, err := p.command(context.Background(), args...)
	if err != nil {
		return nil, err
	}
	h := &pathHasher{cmd: cmd}
	cmd.Stderr = &h.diag
	if h.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.out = bufio.NewReader(out)
	return h, cmd.Start()
}

// ask sends the path quoted, so that it may hold a line break.
func (h *pathHasher) ask(ctx context.Context, path string) (OID, error) {
	stop := context.AfterFunc(ctx, func() { h.cmd.Process.Kill() })
	defer stop()
	_, err := io.WriteString(h.in, cQuote(path)+"\n")
	var line string
	if err == nil {
		line, err = h.out.ReadString('\n')
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if line = strings.TrimSuffix(line, "\n"); err == nil && isHex(line) {
		return OID(line), nil
	}
	h.close()
	if msg := strings.TrimSpace(h.diag.String()); msg != "" {
		return "", errors.New(msg)
	}
	return "", fmt.Errorf("git hash-object ended early: %w", err)
}

func (h *pathHasher) close() {
	h.in.Close()
	h.cmd.Wait()
}

// cQuote writes a path the way git reads quoted paths on stdin.
func cQuote(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func blobID(format string, data []byte) OID {
	h := newHash(format)
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return OID(fmt.Sprintf("%x", h.Sum(nil)))
}

// readLoose reads the content of a loose object.
func readLoose(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := zlib.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := io.ReadAll(z)
	_, content, ok := bytes.Cut(data, []byte{0})
	if err == nil && !ok {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return content, nil
}
