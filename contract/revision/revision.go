// Package revision compares two compiled contracts: what changed, where, and
// whether a person has to approve it.
//
// It promises that every difference is told and that what it cannot prove to
// be harmless is protected: only more proof, tighter bounds, a verifier that
// moved with its bytes, and supporting context pass on their own. It is pure
// and knows no chain, no repository and no person. Source of the rules:
// spec/evidence.md, and reference/contract-v2.md section 16 for the reasons.
package revision

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/contract/canonical"
)

// DowngradeRejected is the reason of the changes that nobody can approve.
const DowngradeRejected = "authority_risk_downgrade_rejected"

// Change is one difference. Place leads to it through the fields of the
// contract, with keys for the elements of lists, or is "files." and a path.
// Old and New are texts, or indented JSON, "" where there is nothing; for the
// content of files they are digests and Diff holds the lines that differ.
type Change struct {
	Reason    string   `json:"reason"`
	Place     string   `json:"place"`
	Old       string   `json:"old"`
	New       string   `json:"new"`
	Diff      []string `json:"diff,omitempty"`
	Protected bool     `json:"protected"`          // a person must approve it
	Rejected  bool     `json:"rejected,omitempty"` // and not even a person can
}

// Side is one of the two contracts. Files are the bytes of its frozen files,
// by path, for readable differences; a missing one is shown by its digest.
type Side struct {
	Compiled *contract.Compiled
	Files    map[string][]byte
}

// Base gives the hex SHA-256 of a file in the tree the work started from.
type Base func(path string) (sha256 string, ok bool)

// Compare lists what changed from old to next, in the order of the contract,
// then of the files. Nothing is the answer only where both are the same.
func Compare(old, next Side, base Base) ([]Change, error) {
	a, rawOld, err := tree(old.Compiled)
	if err != nil {
		return nil, err
	}
	b, rawNext, err := tree(next.Compiled)
	if err != nil {
		return nil, err
	}
	w := &walk{old: old, next: next, base: base, scope: old.Compiled.Scope()}
	compiledRule(w, a, b)
	if len(w.changes) == 0 && !bytes.Equal(rawOld, rawNext) {
		w.tell(mark{"acceptance_not_monotonic", true}, "", "")
	}
	return w.changes, nil
}

// tree is a compiled contract as plain JSON values.
func tree(c *contract.Compiled) (any, []byte, error) {
	raw, err := c.Canonical()
	if err != nil {
		return nil, nil, fmt.Errorf("compiled contract of task %s: %w", c.Contract.Task.ID, err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, nil, fmt.Errorf("compiled contract of task %s: %w", c.Contract.Task.ID, err)
	}
	return v, raw, nil
}

// Protected lists the changes that a person has to approve.
func Protected(changes []Change) []Change {
	return only(changes, func(c Change) bool { return c.Protected })
}

// Rejected lists the changes that nobody can approve.
func Rejected(changes []Change) []Change {
	return only(changes, func(c Change) bool { return c.Rejected })
}

func only(changes []Change, is func(Change) bool) []Change {
	found := []Change{}
	for _, c := range changes {
		if is(c) {
			found = append(found, c)
		}
	}
	return found
}

// ID is the revision id: a digest over both identities and the changes. A
// further edit makes another one, which nobody has approved yet.
func ID(previous, next string, changes []Change) (string, error) {
	told := make([]Change, len(changes))
	for i, c := range changes {
		c.Diff = nil // how lines are shown says nothing new
		told[i] = c
	}
	data, err := canonical.JSON(map[string]any{"previous": previous, "next": next, "changes": told})
	if err != nil {
		return "", fmt.Errorf("revision id: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
