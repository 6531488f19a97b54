package gitx

import "os"

// linkCount is how many names a file has, which a listing does not tell here.
func linkCount(os.FileInfo) uint64 { return 1 }

// keepsModes tells whether files have the rights git writes.
const keepsModes = false
