package projectcontext

import (
	"bytes"
	"context"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Bounds of a search: how many bytes it reads, how many lines it shows in all
// and of one file, and how many bytes of a line.
const (
	SearchBytes = 1 << 20
	searchLines = 40
	fileLines   = 5
	lineBytes   = 200
)

// Search is where words occur in the texts of the context.
type Search struct {
	Matches   []Match `json:"matches"`
	ReadBytes int     `json:"read_bytes"`
	Complete  bool    `json:"complete"` // false when the byte budget or the number of lines ended it
}

// Match is a line in which a word occurs.
type Match struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Search looks for words, in any case and inside longer words. Files that hold
// more of the words come first.
func (c *Context) Search(ctx context.Context, words []string) (Search, error) {
	return c.search(ctx, terms(words), nil)
}

// hits are the matches of one file.
type hits struct {
	matches []Match
	words   int
}

func (c *Context) search(ctx context.Context, words []string, except map[string]bool) (Search, error) {
	s := Search{Matches: []Match{}, Complete: true}
	var found []hits
	for _, path := range c.paths() {
		if except[path] {
			continue
		}
		if s.ReadBytes == SearchBytes {
			s.Complete = false
			break
		}
		data, err := c.tree.Read(ctx, path)
		if err != nil {
			return s, fmt.Errorf("project context: %w", err)
		}
		if rest := SearchBytes - s.ReadBytes; len(data) > rest {
			data, s.Complete = data[:rest], false
		}
		s.ReadBytes += len(data)
		if h := hitsIn(path, data, words); h.words > 0 {
			found = append(found, h)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].words > found[j].words })
	for _, h := range found {
		if len(h.matches) > fileLines {
			h.matches, s.Complete = h.matches[:fileLines], false
		}
		s.Matches = append(s.Matches, h.matches...)
	}
	if len(s.Matches) > searchLines {
		s.Matches, s.Complete = s.Matches[:searchLines], false
	}
	return s, nil
}

func hitsIn(path string, data []byte, words []string) hits {
	var h hits
	if bytes.IndexByte(data, 0) >= 0 {
		return h // no text
	}
	occurs := map[string]bool{}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		lower, hit := strings.ToLower(line), false
		for _, w := range words {
			if strings.Contains(lower, w) {
				hit, occurs[w] = true, true
			}
		}
		if hit && len(h.matches) <= fileLines {
			h.matches = append(h.matches, Match{path, number, shortened(strings.ToValidUTF8(strings.TrimSpace(line), "\ufffd"))})
		}
	}
	h.words = len(occurs)
	return h
}

func shortened(text string) string {
	if len(text) <= lineBytes {
		return text
	}
	cut := lineBytes
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + " ..."
}
