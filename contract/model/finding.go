package model

import "sort"

// Level says what a finding does to a verdict.
type Level string

// Levels, from spec/cli.md: only error and decision_required refuse.
const (
	LevelError    Level = "error"
	LevelDecision Level = "decision_required"
	LevelWarning  Level = "warning"
)

// Finding is one reason to refuse, or a warning. It is data, never an error.
// Path is repository relative; Line and Column start at 1 and are 0 where the
// finding is not about a place in a text file.
type Finding struct {
	Code        string         `json:"code"`
	Level       Level          `json:"level"`
	Message     string         `json:"message"`
	Path        string         `json:"path,omitempty"`
	Line        int            `json:"line,omitempty"`
	Column      int            `json:"column,omitempty"`
	Refs        map[string]any `json:"refs,omitempty"`
	RepairHint  string         `json:"repair_hint,omitempty"`
	Next        string         `json:"next,omitempty"`
	Occurrences int            `json:"occurrences,omitempty"`
	Group       string         `json:"group,omitempty"`
	BlockedBy   []string       `json:"blocked_by,omitempty"`
}

// Refuses tells whether any finding stands in the way.
func Refuses(findings []Finding) bool {
	for _, f := range findings {
		if f.Level != LevelWarning {
			return true
		}
	}
	return false
}

// SortFindings orders by path, line, column and code, errors before warnings.
func SortFindings(fs []Finding) {
	rank := func(l Level) int {
		if l == LevelWarning {
			return 1
		}
		return 0
	}
	sort.SliceStable(fs, func(i, j int) bool {
		a, b := fs[i], fs[j]
		switch {
		case rank(a.Level) != rank(b.Level):
			return rank(a.Level) < rank(b.Level)
		case a.Path != b.Path:
			return a.Path < b.Path
		case a.Line != b.Line:
			return a.Line < b.Line
		case a.Column != b.Column:
			return a.Column < b.Column
		}
		return a.Code < b.Code
	})
}
