package main

// hookCommand is what hook scripts call: stable, but nobody types it.
func hookCommand() *command {
	return &command{
		Name:     "hook",
		Args:     "<name> [<args>]...",
		Usage:    "answer a hook of git or of an agent",
		Hidden:   true,
		Verbatim: true,
	}
}
