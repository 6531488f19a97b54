package evidence

import (
	"bytes"
	"fmt"
	"strings"
)

// StructuredV2 is the schema_version of structured_json_v2 evidence.
const StructuredV2 = "long-task-check-result-v2"

// Structured is a well-formed structured_json_v2 payload. Blocked is the
// check's own reason why it could not decide, empty when it completed.
type Structured struct {
	Observations map[string]any
	Blocked      string
}

// ParseLine reads evidence from the last line of stdout that is not blank. An
// error is one sentence that says what is wrong with that line.
func ParseLine(stdout []byte) (Structured, error) {
	line := lastLine(stdout)
	if len(line) == 0 {
		return Structured{}, fmt.Errorf("stdout is empty, its last line should be one JSON object with schema_version %q", StructuredV2)
	}
	s, err := parseStructured(line, "")
	if err != nil {
		return Structured{}, fmt.Errorf("the last line of stdout is no evidence: %w", err)
	}
	return s, nil
}

// ParseFile reads evidence from a file that belongs to one run: it has to
// repeat the nonce that only this run was given.
func ParseFile(data []byte, nonce string) (Structured, error) {
	s, err := parseStructured(data, nonce)
	if err != nil {
		return Structured{}, fmt.Errorf("the file named by LONGTASK_EVIDENCE_FILE is no evidence: %w", err)
	}
	return s, nil
}

func lastLine(out []byte) []byte {
	out = bytes.TrimSpace(out)
	if i := bytes.LastIndexByte(out, '\n'); i >= 0 {
		out = out[i+1:]
	}
	return bytes.TrimSpace(out)
}

func parseStructured(data []byte, nonce string) (Structured, error) {
	v, err := parseJSON(data)
	if err != nil {
		return Structured{}, err
	}
	payload, ok := v.(map[string]any)
	if !ok {
		return Structured{}, fmt.Errorf("it is not a JSON object but %s", article(kind(v)))
	}
	if nonce != "" && payload["nonce"] != nonce {
		return Structured{}, fmt.Errorf(`its "nonce" is not the value of LONGTASK_EVIDENCE_NONCE`)
	}
	if payload["schema_version"] != StructuredV2 {
		return Structured{}, fmt.Errorf(`its "schema_version" is not %q`, StructuredV2)
	}
	switch payload["execution_status"] {
	case "completed":
		observations, ok := payload["observations"].(map[string]any)
		if !ok {
			return Structured{}, fmt.Errorf(`its "observations" is not an object`)
		}
		return Structured{Observations: observations}, nil
	case "blocked_external":
		reason, _ := payload["reason"].(string)
		if strings.TrimSpace(reason) == "" {
			reason = "no reason given"
		}
		return Structured{Blocked: reason}, nil
	}
	return Structured{}, fmt.Errorf(`its "execution_status" is neither "completed" nor "blocked_external"`)
}

func article(kind string) string {
	switch kind {
	case "null":
		return kind
	case "array", "object":
		return "an " + kind
	}
	return "a " + kind
}

// Lookup finds an observation: the whole name as a key first, then by descent
// through objects at the dots.
func Lookup(observations map[string]any, name string) (any, bool) {
	if v, ok := observations[name]; ok {
		return v, true
	}
	var current any = observations
	for _, part := range strings.Split(name, ".") {
		object, ok := current.(map[string]any)
		if !ok {
			return nil, false
		}
		if current, ok = object[part]; !ok {
			return nil, false
		}
	}
	return current, true
}
