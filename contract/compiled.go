package contract

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-longtask/git-longtask/contract/canonical"
)

// Format is the version of the compiled form this binary writes.
const Format = 1

// ErrFormat means a compiled form of a version this binary does not know.
var ErrFormat = errors.New("unknown format of the compiled contract")

// Compiled is the frozen meaning of a contract. Its canonical JSON is
// compiled.json; the SHA-256 of those bytes is the authority's identity. It
// holds no absolute path, no machine, no clock, no base and no revision.
type Compiled struct {
	Format         int          `json:"format"`
	Workdir        string       `json:"workdir"`
	ContractSHA256 string       `json:"contract_sha256"`
	Contract       Contract     `json:"contract"`
	SourceItems    []SourceItem `json:"source_items"` // sorted by key
	Files          []Frozen     `json:"files"`        // sorted by path, then kind
	EffectiveRisk  string       `json:"effective_risk"`
	RiskReasons    []string     `json:"risk_reasons"` // <fact>:<outcome>, sorted
	Config         *Config      `json:"config,omitempty"`
}

// seal puts lists whose order means nothing in order and computes the digest
// of the normalised contract.
func (c *Compiled) seal() error {
	if c.SourceItems == nil {
		c.SourceItems = []SourceItem{}
	}
	slices.SortFunc(c.SourceItems, func(a, b SourceItem) int { return strings.Compare(a.Key, b.Key) })
	slices.SortFunc(c.Files, func(a, b Frozen) int {
		if n := strings.Compare(a.Path, b.Path); n != 0 {
			return n
		}
		return strings.Compare(a.Kind, b.Kind)
	})
	data, err := canonical.JSON(c.Contract)
	if err != nil {
		return err
	}
	c.ContractSHA256 = Identity(data)
	return nil
}

// Canonical returns the bytes of compiled.json.
func (c *Compiled) Canonical() ([]byte, error) { return canonical.JSON(c) }

// Identity is the hex SHA-256 of canonical bytes.
func Identity(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// Decode reads what Canonical wrote and nothing else: other fields and any
// other way of writing the same are errors. ErrFormat is an unknown version.
func Decode(data []byte) (*Compiled, error) {
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, fmt.Errorf("compiled contract: %w", err)
	}
	if version.Format != Format {
		return nil, fmt.Errorf("%w: %d, this version knows %d", ErrFormat, version.Format, Format)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	c := &Compiled{}
	if err := decoder.Decode(c); err != nil {
		return nil, fmt.Errorf("compiled contract: %w", err)
	}
	again, err := c.Canonical()
	if err != nil {
		return nil, fmt.Errorf("compiled contract: %w", err)
	}
	if !bytes.Equal(again, data) {
		return nil, errors.New("compiled contract: not in canonical form")
	}
	return c, nil
}

// FrozenFiles lists what is frozen at a path, one entry for each kind.
func (c *Compiled) FrozenFiles(path string) []Frozen {
	var found []Frozen
	for _, f := range c.Files {
		if f.Path == path {
			found = append(found, f)
		}
	}
	return found
}
