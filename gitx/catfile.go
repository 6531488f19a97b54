package gitx

// catFile is the long-lived object reader.
type catFile struct{}

func (c *catFile) close() error { return nil }
