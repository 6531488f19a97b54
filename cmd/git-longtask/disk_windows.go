package main

import "syscall"

// fullDisk is the system's error for a disk without room.
const fullDisk = syscall.Errno(112)
