package marking

import (
	"strings"
)

// background is the kind of sections whose text states nothing to be done.
const background = "background"

// topics tell what a heading, a label or the words before a list announce. The
// first that fits counts, so "non-goals" stands before "goals".
var topics = func() []topic {
	rows := [][2]string{
		{"non_completing", `not (?:yet )?(?:done|complete|finished)|does(?:n't| not) count|non[- ]?completing`},
		{"non_goal", `non[- ]?goals?|out of scope|not in scope|excluded|exclusions|won['’]?t (?:do|have|be done)`},
		{"forbidden_shortcut", `forbidden|shortcuts?|do not|don['’]?ts?|prohibited`},
		{"external_confirmation", `external confirmations?|sign[- ]?offs?|confirmations?|approvals?|(?:confirmed|approved) by`},
		{"decision", `open (?:questions?|points?|issues?)|^questions?$|decisions? (?:needed|required|pending|to make)|to be decided|tbd|undecided`},
		{"acceptance", `acceptance(?: criteria)?|(?:done|accepted|finished|complete) when|definition of done|(?:success|exit) criteria|scenarios?|test cases?|verification`},
		{"technical_obligation", `technical|constraints?|obligations?|non[- ]?functional(?: requirements?)?`},
		{"requirement", `(?:functional )?requirements?|must(?: haves?)?|shall|features?|scope|user stories|behaviou?rs?|needs?`},
		{"outcome_result", `goals?|outcomes?|objectives?|results?|purpose`},
		{background, `background|context|introduction|overview|summary|motivation|notes?|references?|links|glossary|history|appendix|change ?log|contents|timeline|schedule|milestones?|steps?|tasks?|plan|approach|files?|examples?|assumptions?|status|resources`},
	}
	var ts []topic
	for _, r := range rows {
		ts = append(ts, topic{r[0], lazy(`(?i)\b(?:` + r[1] + `)\b`), lazy(`(?i)^(?:` + r[1] + `)$`)})
	}
	return ts
}()

type topic struct {
	kind         string
	within, sole pattern
}

// announced is the kind that a heading or the words before a list announce, or
// "".
func announced(text string) string {
	for _, t := range topics {
		if t.within.MatchString(text) {
			return t.kind
		}
	}
	return ""
}

var (
	label     = lazy(`^[*_]*([A-Za-z][A-Za-z' -]{2,30}?)[*_]*:[*_]*[ \t]+\S`)
	mustWord  = lazy(`(?i)\b(?:must|shall|has to|have to|required to)\b`)
	undecided = lazy(`\b(?:TBD|TODO)\b|(?i:\bto be decided\b)`)
	doneWhen  = lazy(`(?i)^[*_]*(?:done|accepted|complete|finished)[*_]* when\b`)
	step      = lazy(`(?i)^[*_]*(given|when|then|and|but)\b`)
	thenWord  = lazy(`(?i)\bthen\b`)
	soleLink  = lazy(`^!?\[[^\]]*\]\([^)]*\)$`)
)

// labelled is the kind that a text's own label gives it: "Non-goal: ...".
func labelled(text string) string {
	m := label.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	for _, t := range topics {
		if t.sole.MatchString(m[1]) {
			return t.kind
		}
	}
	return ""
}

// stated is the kind of a block's statement in the section of a kind, or
// background when it states nothing.
func stated(b block, section string) string {
	own := labelled(b.text)
	switch {
	case soleLink.MatchString(b.text) || !strings.ContainsFunc(b.text, isWordRune):
		return background
	case own != "":
		return own
	case doneWhen.MatchString(b.text):
		return "acceptance"
	case undecided.MatchString(b.text):
		return "decision"
	case mustWord.MatchString(b.text) && (section == "" || section == background || section == "outcome_result"):
		return "requirement"
	case section == background:
		return background
	case b.kind == item && strings.HasSuffix(b.text, "?"):
		return "decision"
	case b.kind == item && section == "":
		return "requirement"
	case section == "":
		return background
	case b.kind == paragraph && (section == "requirement" || section == "technical_obligation") && !mustWord.MatchString(b.text):
		return background
	}
	return section
}
