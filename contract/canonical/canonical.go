// Package canonical writes values as RFC 8785 canonical JSON, the one form
// whose digest is an identity.
package canonical

import (
	"encoding/json"

	"github.com/gowebpki/jcs"
)

// JSON returns the canonical form of a value that encoding/json can write and
// whose top level is an object or a list.
func JSON(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jcs.Transform(data)
}
