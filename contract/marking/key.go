package marking

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Words of a key, and how long it may get.
const (
	keyWords = 5
	keyBytes = 40
)

// filler are words that tell nothing about what an item is about.
var filler = strings.Fields("a an and are as at be been being but by can do does for from given has have if in into is it its must of on or shall should that the their then there these this to was were when which will with")

var linkTarget = lazy(`\]\([^)]*\)`)

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// slug makes a key of a text's first telling words. It depends on nothing but
// the text, and is "" for a text without ASCII words.
func slug(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "'", ""), "’", "")
	words := strings.FieldsFunc(strings.ToLower(linkTarget.ReplaceAllString(text, "] ")), func(r rune) bool { return !isWordRune(r) })
	var telling, all []string
	for _, w := range words {
		if w = strings.Map(ascii, w); w == "" {
			continue
		}
		all = append(all, w)
		if !slices.Contains(filler, w) {
			telling = append(telling, w)
		}
	}
	if len(telling) == 0 {
		telling = all
	}
	key := strings.Join(telling[:min(len(telling), keyWords)], "-")
	for len(key) > keyBytes {
		if i := strings.LastIndexByte(key, '-'); i > 0 {
			key = key[:i]
		} else {
			key = key[:keyBytes]
		}
	}
	return key
}

func ascii(r rune) rune {
	if r < unicode.MaxASCII {
		return r
	}
	return -1
}

// keys hands out keys that nobody has. It holds how often each was asked for.
type keys map[string]int

func (k keys) take(text, kind string) string {
	base := slug(text)
	if base == "" {
		base = strings.ReplaceAll(kind, "_", "-")
	}
	key := base
	for k[key] > 0 {
		k[base]++
		key = base + "-" + strconv.Itoa(k[base])
	}
	k[key]++
	return key
}
