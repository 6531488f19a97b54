package source

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var (
	heading  = regexp.MustCompile(`(?m)^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*\r?$`)
	explicit = regexp.MustCompile(`\{#([^}\s]+)\}|\b(?:id|name)="([^"]+)"`)
	tag      = regexp.MustCompile(`<[^>]*>`)
	dashes   = regexp.MustCompile(`[\s-]+`)
)

// Anchors returns what a source_ref may name after its #: heading slugs as
// GitHub makes them, {#id}, and id or name attributes.
func Anchors(data []byte) map[string]bool {
	anchors, count := map[string]bool{}, map[string]int{}
	for _, m := range heading.FindAllSubmatch(data, -1) {
		slug := Slug(string(m[1]))
		if n := count[slug]; n > 0 {
			anchors[slug+"-"+strconv.Itoa(n)] = true
		} else {
			anchors[slug] = true
		}
		count[slug]++
	}
	for _, m := range explicit.FindAllSubmatch(data, -1) {
		anchors[string(m[1])+string(m[2])] = true
	}
	delete(anchors, "")
	return anchors
}

// Slug is the anchor of a heading's text.
func Slug(text string) string {
	text = strings.ToLower(strings.TrimSpace(tag.ReplaceAllString(text, "")))
	text = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSpace(r) || r == '_' || r == '-' {
			return r
		}
		return -1
	}, text)
	return dashes.ReplaceAllString(strings.TrimSpace(text), "-")
}
