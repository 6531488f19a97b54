package projectcontext

import _ "embed"

//go:embed starter/context.toml
var starterManifest string

//go:embed starter/global.md
var starterGlobal string

//go:embed starter/architecture.md
var starterArchitecture string

// File is a file to write.
type File struct{ Path, Text string }

// Starter are the core files of a context that says nothing yet.
func Starter() []File {
	return []File{{ManifestPath, starterManifest}, {GlobalPath, starterGlobal}, {ArchitecturePath, starterArchitecture}}
}
