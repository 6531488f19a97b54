// Package canonical writes values as RFC 8785 canonical JSON, the one form
// whose digest is an identity. encoding/json already writes numbers and control
// characters as the RFC wants; what is left is the order of keys, the escapes
// it adds for HTML and JavaScript, and negative zero.
package canonical

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns the canonical form of a value that encoding/json can write.
func JSON(v any) ([]byte, error) {
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	w := writer{in: plain.Bytes(), out: make([]byte, 0, plain.Len())}
	w.value()
	return w.out, nil
}

// writer copies JSON that encoding/json wrote, so its form is known: no blanks,
// no error, no lone surrogate.
type writer struct {
	in  []byte
	out []byte
}

// next returns the next byte and moves on.
func (w *writer) next() byte {
	c := w.in[0]
	w.in = w.in[1:]
	return c
}

func (w *writer) value() {
	switch w.in[0] {
	case '{':
		w.object()
	case '[':
		w.out = append(w.out, w.next())
		for w.in[0] != ']' {
			w.value()
			if w.in[0] == ',' {
				w.out = append(w.out, w.next())
			}
		}
		w.out = append(w.out, w.next())
	case '"':
		w.text()
	default:
		end := bytes.IndexAny(w.in, ",]}\n")
		word := w.in[:end]
		if string(word) == "-0" {
			word = word[1:]
		}
		w.out = append(w.out, word...)
		w.in = w.in[end:]
	}
}

// member is a key and where its text, key included, stands in the output.
type member struct {
	key        string
	start, end int
}

func (w *writer) object() {
	w.out = append(w.out, w.next())
	start := len(w.out)
	var members []member
	for w.in[0] != '}' {
		if w.in[0] == ',' {
			w.next()
		}
		m := member{start: len(w.out)}
		w.text()
		m.key = string(w.out[m.start+1 : len(w.out)-1])
		w.out = append(w.out, w.next()) // the colon
		w.value()
		m.end = len(w.out)
		members = append(members, m)
	}
	w.next()
	slices.SortFunc(members, func(a, b member) int { return compare(a.key, b.key) })
	unsorted := bytes.Clone(w.out[start:])
	w.out = w.out[:start]
	for i, m := range members {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, unsorted[m.start-start:m.end-start]...)
	}
	w.out = append(w.out, '}')
}

// text copies a string and undoes the escapes that the RFC does not have.
func (w *writer) text() {
	w.out = append(w.out, w.next())
	for {
		i := bytes.IndexAny(w.in, `"\`)
		w.out = append(w.out, w.in[:i]...)
		w.in = w.in[i:]
		if w.in[0] == '"' {
			w.out = append(w.out, w.next())
			return
		}
		if w.in[1] == 'u' {
			code, _ := strconv.ParseUint(string(w.in[2:6]), 16, 16) // encoding/json wrote it
			if code >= ' ' {
				w.out = utf8.AppendRune(w.out, rune(code))
				w.in = w.in[6:]
				continue
			}
		}
		w.out = append(w.out, w.next(), w.next())
	}
}

// compare orders keys, given as they are written, by UTF-16 code units.
func compare(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] >= utf8.RuneSelf || b[i] >= utf8.RuneSelf || a[i] == '\\' || b[i] == '\\' {
			return slices.Compare(units(a), units(b))
		}
		if a[i] != b[i] {
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}

func units(written string) []uint16 {
	var key string
	if err := json.Unmarshal([]byte(`"`+written+`"`), &key); err != nil {
		key = written
	}
	return utf16.Encode([]rune(key))
}
