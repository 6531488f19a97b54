package gitx

import (
	"context"
	"runtime"
	"sync"
)

// eachDir calls visit for first and for everything visits return, several at a
// time, and ends at the first error.
func eachDir[T any](ctx context.Context, first T, visit func(T) ([]T, error)) error {
	var (
		mu     sync.Mutex
		wake   = sync.NewCond(&mu)
		queue  = []T{first}
		open   = 1 // queued or being visited
		failed error
		done   sync.WaitGroup
	)
	work := func() {
		mu.Lock()
		defer mu.Unlock()
		for {
			for len(queue) == 0 && open > 0 && failed == nil {
				wake.Wait()
			}
			if open == 0 || failed != nil {
				return
			}
			next := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			mu.Unlock()
			var more []T
			err := ctx.Err()
			if err == nil {
				more, err = visit(next)
			}
			mu.Lock()
			queue, open = append(queue, more...), open+len(more)-1
			if err != nil && failed == nil {
				failed = err
			}
			wake.Broadcast()
		}
	}
	for range min(max(runtime.NumCPU(), 2), 8) {
		done.Go(work)
	}
	done.Wait()
	return failed
}
