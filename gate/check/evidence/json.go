// Package evidence reads what a check printed and decides what it means. Bytes
// and a contract in, values and verdicts out: it starts no process, reads no
// file and knows no repository.
//
// JSON is read strictly: one document, valid UTF-8, no duplicate key, no lone
// surrogate, bounded nesting and numbers that a double can hold. A number is
// the double it denotes, as in RFC 8785, so 1 and 1.0 are equal; integers are
// compared exactly, so nothing is lost beyond 2^53.
package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth        = 100
	maxNumberLength = 400
)

// parseJSON reads one JSON document into nil, bool, string, json.Number,
// []any and map[string]any. Every error is a sentence about the document.
func parseJSON(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("it is not valid UTF-8")
	}
	if err := json.Unmarshal(data, new(json.RawMessage)); err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	if hasLoneSurrogate(data) {
		return nil, errors.New(`it holds half of a \u surrogate pair`)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return readValue(dec, 0)
}

func readValue(dec *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := tok.(type) {
	case json.Delim:
		if t == '{' {
			return readObject(dec, depth)
		}
		return readArray(dec, depth)
	case json.Number:
		return t, checkNumber(t)
	}
	return tok, nil
}

func readObject(dec *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key := tok.(string)
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("the key %q occurs twice in one object", key)
		}
		if object[key], err = readValue(dec, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return object, err
}

func readArray(dec *json.Decoder, depth int) (any, error) {
	array := []any{}
	for dec.More() {
		v, err := readValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
	_, err := dec.Token()
	return array, err
}

func checkNumber(n json.Number) error {
	if len(n) > maxNumberLength {
		return fmt.Errorf("a number is longer than %d characters", maxNumberLength)
	}
	if _, err := strconv.ParseFloat(string(n), 64); err != nil {
		return fmt.Errorf("the number %s is out of range", n)
	}
	return nil
}

// hasLoneSurrogate looks for escapes that encode no character. The document
// is known to be valid JSON, so a backslash only occurs inside a string.
func hasLoneSurrogate(data []byte) bool {
	unit := func(i int) int64 {
		if i+6 > len(data) || data[i] != '\\' || data[i+1] != 'u' {
			return -1
		}
		v, _ := strconv.ParseInt(string(data[i+2:i+6]), 16, 32)
		return v
	}
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		switch v := unit(i); {
		case v < 0:
			i++
		case v >= 0xDC00 && v <= 0xDFFF:
			return true
		case v >= 0xD800 && v <= 0xDBFF:
			if low := unit(i + 6); low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 11
		default:
			i += 5
		}
	}
	return false
}

// Canonical is the canonical text of a JSON value: keys sorted, no blanks, one
// spelling for each number. Values are equal exactly when their texts are.
func Canonical(v any) string {
	var b strings.Builder
	writeCanonical(&b, v)
	return b.String()
}

func writeCanonical(b *strings.Builder, v any) {
	switch t := v.(type) {
	case nil:
		b.WriteString("null")
	case string:
		writeString(b, t)
	case bool:
		b.WriteString(strconv.FormatBool(t))
	case []any:
		b.WriteByte('[')
		for i, e := range t {
			if i > 0 {
				b.WriteByte(',')
			}
			writeCanonical(b, e)
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for i, k := range sortedKeys(t) {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, k)
			b.WriteByte(':')
			writeCanonical(b, t[k])
		}
		b.WriteByte('}')
	default:
		b.WriteString(canonicalNumber(t))
	}
}

func writeString(b *strings.Builder, s string) {
	var quoted strings.Builder
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)
	b.WriteString(strings.TrimSuffix(quoted.String(), "\n"))
}

// canonicalNumber spells an integer with all its digits and anything else as
// the shortest text of its double.
func canonicalNumber(v any) string {
	r, ok := exact(v)
	if !ok {
		return fmt.Sprintf("%v", v)
	}
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	if whole := new(big.Rat).SetFloat64(f); whole != nil && whole.IsInt() {
		return whole.Num().String()
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
