package gitx

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func init() {
	roles["hold"] = func() error {
		ctx := context.Background()
		r, err := Open(ctx, os.Getenv("GITX_TEST_DIR"))
		if err != nil {
			return err
		}
		if _, err := r.Lock(ctx); err != nil {
			return err
		}
		// A child that outlives us for a moment must not inherit the lock.
		if _, err := r.Resolve(ctx, "HEAD"); err != nil {
			return err
		}
		fmt.Println("held")
		select {}
	}
}

func TestLockDiesWithItsProcess(t *testing.T) {
	dir := newRepo(t)
	r := openRepo(t, dir)
	holder := startRole(t, "hold", "GITX_TEST_DIR="+dir)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	defer holder.Process.Kill()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("holder said %q, %v", line, err)
	}
	short, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := r.Lock(short); !errors.Is(err, ErrLocked) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Lock while another process holds it: %v", err)
	}
	holder.Process.Kill()
	holder.Wait()
	long, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	unlock, err := r.Lock(long)
	if err != nil {
		t.Fatalf("Lock after its holder was killed: %v", err)
	}
	unlock()
	unlock()
}

func TestLockExcludesGoroutines(t *testing.T) {
	r := openRepo(t, newRepo(t))
	var group sync.WaitGroup
	var held atomic.Int32
	for range 8 {
		group.Go(func() {
			unlock, err := r.Lock(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			if n := held.Add(1); n != 1 {
				t.Errorf("%d hold the lock", n)
			}
			time.Sleep(time.Millisecond)
			held.Add(-1)
			unlock()
		})
	}
	group.Wait()
}
