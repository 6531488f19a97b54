//go:build unix

package process

import (
	"testing"
	"time"
)

// BenchmarkRun is what the supervisor and its watch cost on top of a child.
func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if got := Run(b.Context(), sh("exit 0", 10*time.Second)); got.Cause != Exited {
			b.Fatal(got)
		}
	}
}
