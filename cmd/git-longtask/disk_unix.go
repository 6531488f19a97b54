//go:build unix

package main

import "syscall"

// fullDisk is the system's error for a disk without room.
const fullDisk = syscall.ENOSPC
