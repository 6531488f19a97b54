package main

// planned are the commands of the interface that this version does not have
// yet. Asking for one is answered with not_supported_yet, never with silence.
func planned() []*command {
	return []*command{
		{Name: "run", Group: groupWork, Usage: "run a worker once, bounded, and judge its result"},
		{Name: "loop", Group: groupWork, Usage: "run a worker until the task is finished"},
		{Name: "gate-verdict", Group: groupWork, Usage: "hand a verdict to a waiting attempt"},
		{Name: "add", Group: groupWork, Usage: "add an item to the list"},
		{Name: "next", Group: groupWork, Usage: "show the next item of the list"},
		{Name: "park", Group: groupWork, Usage: "set an item aside"},
		{Name: "unpark", Group: groupWork, Usage: "take an item up again"},
		{Name: "drop", Group: groupWork, Usage: "remove an item from the list"},
		{Name: "accept", Group: groupWork, Usage: "accept an item by a person's decision"},
		{Name: "receipt export", Group: groupShare, Args: "[<commit>]", Usage: "write a receipt to a file"},
		{Name: "receipt verify", Group: groupShare, Args: "<file>", Usage: "verify a receipt from a file"},
		{Name: "report", Group: groupShare, Usage: "write a report of the task"},
	}
}
