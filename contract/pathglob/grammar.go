// Package pathglob is the path grammar of the contract: what a canonical
// repository path and a pattern are, which paths a pattern matches, and what
// can be proved about two patterns. Paths are compared byte by byte: no case
// folding, no Unicode normalisation. It knows no repository.
package pathglob

import "strings"

// Codes of the errors of File, Cwd and Glob.
const (
	CodeUnsafe        = "unsafe_path"
	CodeDotSegment    = "non_canonical_repository_path_dot_segment"
	CodePathSyntax    = "unsupported_repository_path_syntax"
	CodePatternSyntax = "unsupported_repository_pattern_syntax"
)

// Error says which rule of the grammar a text breaks. Reason continues a
// sentence that begins with the text itself.
type Error struct {
	Code   string
	Reason string
	Hint   string
}

func (e *Error) Error() string { return e.Code + ": " + e.Reason }

// File returns the canonical form of a path that names one file.
func File(text string) (string, *Error) {
	path, err := canonical(text)
	if err == nil && strings.ContainsAny(path, "*?[]{}()") {
		err = &Error{CodePathSyntax, "holds a wildcard character, but names one file", "write the path of one file, without any of * ? [ ] { } ( )"}
	}
	return path, err
}

// Cwd is File for a directory; "." is the repository root.
func Cwd(text string) (string, *Error) {
	if text == "." {
		return text, nil
	}
	return File(text)
}

// Glob returns the canonical form of a pattern.
func Glob(text string) (string, *Error) {
	pattern, err := canonical(text)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(pattern, "[]{}()") {
		return "", &Error{CodePatternSyntax, "holds one of [ ] { } ( ), which patterns do not have", "use only *, ? and ** as a whole segment; list several patterns instead of alternatives"}
	}
	for _, segment := range strings.Split(pattern, "/") {
		if segment != "**" && strings.Contains(segment, "**") {
			return "", &Error{CodePatternSyntax, "joins ** to other characters of a segment", "let ** stand alone between slashes, as in src/**/name"}
		}
	}
	return pattern, nil
}

// canonical applies the steps that files, directories and patterns share.
func canonical(text string) (string, *Error) {
	unsafe := func(reason, hint string) (string, *Error) { return "", &Error{CodeUnsafe, reason, hint} }
	if strings.ContainsAny(text, "\x00\r\n\t") {
		return unsafe("holds a control character", "write the path without NUL, tab and line breaks")
	}
	path := strings.TrimPrefix(strings.ReplaceAll(text, `\`, "/"), "./")
	switch {
	case path == "":
		return unsafe("is empty", "write a path relative to the repository root")
	case path[0] == '/':
		return unsafe("is absolute", "write it relative to the repository root")
	case len(path) > 1 && path[1] == ':' && isLetter(path[0]):
		return unsafe("starts with a drive letter", "write it relative to the repository root")
	}
	segments := strings.Split(path, "/")
	for _, segment := range segments {
		if segment == "" {
			return unsafe("has an empty segment", "remove the doubled or trailing slash")
		}
	}
	for _, segment := range segments {
		if segment == "." {
			return "", &Error{CodeDotSegment, "has a segment that is only a dot", "remove the dot segment; one leading ./ is allowed"}
		}
	}
	for _, segment := range segments {
		if segment == ".." {
			return unsafe("leaves its directory with ..", "write it relative to the repository root, without ..")
		}
	}
	return path, nil
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
