package gitx

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// catFile is the long-lived object reader, one `cat-file --batch-command`. It
// is used by one goroutine at a time and is of no use after its first error.
type catFile struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	diag bytes.Buffer
}

// startCatFile does not tie the child to one request: it ends with its input,
// so also when this process dies.
func startCatFile(p place) (*catFile, error) {
	cmd, err := p.command(context.Background(), "cat-file", "--batch-command")
	if err != nil {
		return nil, err
	}
	c := &catFile{cmd: cmd}
	cmd.Stderr = &c.diag
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, 1<<16)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return c, nil
}

func (c *catFile) close() error {
	c.in.Close()
	return c.cmd.Wait()
}

// abandon ends a child whose conversation broke and returns why, as a
// *GitError when it ended by itself.
func (c *catFile) abandon(cause error) error {
	c.in.Close()
	// Its output is over when it is about to end by itself.
	if !errors.Is(cause, io.EOF) && !errors.Is(cause, io.ErrUnexpectedEOF) {
		c.cmd.Process.Kill()
	}
	c.cmd.Wait()
	if code := c.cmd.ProcessState.ExitCode(); code > 0 {
		return &GitError{Args: []string{"cat-file"}, Code: code, Stderr: c.diag.String()}
	}
	return fmt.Errorf("git cat-file ended early: %w", cause)
}

// reply is the answer to one request; kind is "missing", "ambiguous" or
// "submodule" when there is no object to talk about.
type reply struct {
	oid  OID
	kind string
	size int64
	data []byte
}

// ask sends one request ("info" or "contents") and reads its whole answer.
func (c *catFile) ask(verb, name string) (reply, error) {
	if _, err := io.WriteString(c.in, verb+" "+name+"\n"); err != nil {
		return reply{}, err
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return reply{}, err
	}
	a, err := parseReply(name, strings.TrimSuffix(line, "\n"))
	if err != nil || verb != "contents" || a.oid == "" {
		return a, err
	}
	a.data = make([]byte, a.size+1)
	if _, err := io.ReadFull(c.out, a.data); err != nil {
		return reply{}, err
	}
	if a.data[a.size] != '\n' {
		return reply{}, fmt.Errorf("object %s is longer than announced", a.oid)
	}
	a.data = a.data[:a.size:a.size]
	return a, nil
}

func parseReply(name, line string) (reply, error) {
	if rest, ok := strings.CutPrefix(line, name+" "); ok && (rest == "missing" || rest == "ambiguous") {
		return reply{kind: rest}, nil
	}
	field := strings.Split(line, " ")
	if len(field) == 2 && isHex(field[0]) && field[1] == "submodule" {
		return reply{kind: "submodule"}, nil
	}
	if len(field) != 3 || !isHex(field[0]) {
		return reply{}, fmt.Errorf("unexpected answer %q", line)
	}
	size, err := strconv.ParseInt(field[2], 10, 64)
	if err != nil || size < 0 {
		return reply{}, fmt.Errorf("unexpected answer %q", line)
	}
	return reply{oid: OID(field[0]), kind: field[1], size: size}, nil
}

// ask is one request to the reader of this repository, started when first
// needed and again when it died. Safe for concurrent use. Cancelling ctx kills
// the reader, since it cannot be told to stop an answer. Errors: ErrMissing
// when the answer needs an object left out of a partial clone.
func (r *Repo) ask(ctx context.Context, verb, name string) (reply, error) {
	if err := checkName(name); err != nil {
		return reply{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	a, err := r.askOnce(ctx, verb, name)
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrGitMissing) {
		return a, err
	}
	if _, refused := exitCode(err); !refused {
		return r.askOnce(ctx, verb, name)
	}
	return a, r.refusal(ctx, name, err)
}

// refusal explains why the reader gave up on one name. git does so when it may
// not fetch a promised object; then the next reader is well, and says so.
func (r *Repo) refusal(ctx context.Context, name string, err error) error {
	config, cerr := r.Config(ctx)
	if cerr != nil || !config.partial() {
		return err
	}
	if _, aerr := r.askOnce(ctx, "info", "HEAD"); aerr != nil {
		return err
	}
	return fmt.Errorf("%w: %s is in the part that this partial clone left out (%w)", ErrMissing, name, err)
}

func (r *Repo) askOnce(ctx context.Context, verb, name string) (reply, error) {
	if err := ctx.Err(); err != nil {
		return reply{}, err
	}
	if r.batch == nil {
		c, err := startCatFile(r.here)
		if err != nil {
			return reply{}, err
		}
		r.batch = c
	}
	c := r.batch
	stop := context.AfterFunc(ctx, func() { c.cmd.Process.Kill() })
	a, err := c.ask(verb, name)
	if stop() && err == nil {
		return a, nil
	}
	r.batch = nil
	said := c.abandon(err)
	if ctx.Err() != nil {
		return reply{}, ctx.Err()
	}
	return reply{}, said
}

// checkName keeps out of the line protocol what would not arrive as one name.
func checkName(name string) error {
	if name == "" {
		return errors.New("the name of an object is empty")
	}
	if strings.ContainsAny(name, "\n\x00") || strings.HasSuffix(name, "\r") {
		return fmt.Errorf("%q cannot be asked for by name: it has a line break or a NUL", name)
	}
	return nil
}
