//go:build !linux && !darwin

package gitx

import "os"

// lookOf knows nothing here, so every file is read every time.
func lookOf(os.FileInfo) look { return look{} }
