package gitx

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Config is the configuration of one repository as git merged it, later
// values over earlier ones.
type Config struct {
	values []configValue
}

type configValue struct {
	key, value string
	bare       bool // a key without "=", which is true
}

// Config reads the configuration with one git child, once per Repo.
func (r *Repo) Config(ctx context.Context) (*Config, error) {
	r.configMu.Lock()
	defer r.configMu.Unlock()
	if r.config != nil {
		return r.config, nil
	}
	out, err := r.here.run(ctx, nil, "config", "--list", "-z", "--show-scope")
	if err != nil {
		return nil, err
	}
	c, err := parseConfig(string(out))
	if err != nil {
		return nil, err
	}
	r.config = c
	return c, nil
}

func parseConfig(out string) (*Config, error) {
	c := &Config{}
	if out == "" {
		return c, nil
	}
	field := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if len(field)%2 != 0 {
		return nil, fmt.Errorf("git config printed %d fields, pairs were expected", len(field))
	}
	for i := 1; i < len(field); i += 2 {
		key, value, ok := strings.Cut(field[i], "\n")
		c.values = append(c.values, configValue{key: key, value: value, bare: !ok})
	}
	return c, nil
}

// canonicalKey folds what git folds: section and variable, not the part
// between the first and the last dot.
func canonicalKey(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// Get is the last value of a key, and whether it has any.
func (c *Config) Get(key string) (string, bool) {
	v, ok := c.last(key)
	return v.value, ok
}

func (c *Config) last(key string) (configValue, bool) {
	key = canonicalKey(key)
	for _, v := range slices.Backward(c.values) {
		if v.key == key {
			return v, true
		}
	}
	return configValue{}, false
}

// All are the values of a key in git's order.
func (c *Config) All(key string) []string {
	key = canonicalKey(key)
	var all []string
	for _, v := range c.values {
		if v.key == key {
			all = append(all, v.value)
		}
	}
	return all
}

// Bool is a key read as git reads a boolean; false when absent or not one.
func (c *Config) Bool(key string) bool {
	v, ok := c.last(key)
	if !ok || v.bare {
		return ok
	}
	switch strings.ToLower(v.value) {
	case "true", "yes", "on":
		return true
	}
	digits := strings.TrimLeft(v.value, "+-")
	return digits != "" && strings.Trim(digits, "0123456789") == "" && strings.Trim(digits, "0") != ""
}

// Remotes are the names of the remotes that have a URL, sorted.
func (c *Config) Remotes() []string {
	var names []string
	for _, v := range c.values {
		name, ok := strings.CutPrefix(v.key, "remote.")
		if !ok {
			continue
		}
		if name, ok = strings.CutSuffix(name, ".url"); ok && name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// partial tells whether this clone may lack objects that a remote promised.
func (c *Config) partial() bool {
	if _, ok := c.last("extensions.partialclone"); ok {
		return true
	}
	for _, v := range c.values {
		if strings.HasPrefix(v.key, "remote.") && strings.HasSuffix(v.key, ".promisor") && c.Bool(v.key) {
			return true
		}
	}
	return false
}
