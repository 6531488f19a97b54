// Package draft makes the contract that a marked source calls for: every item
// is mapped to what must hold for it, and what no text can say is left empty,
// so that compiling the draft names exactly what a person has to decide. It
// takes items and returns YAML.
package draft

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"unicode"

	"github.com/git-longtask/git-longtask/contract/model"
	"github.com/git-longtask/git-longtask/contract/source"
)

//go:embed contract.yaml.tmpl
var text string

var form = template.Must(template.New("contract").Funcs(template.FuncMap{"q": quoted, "k": scalar, "t": statement, "title": title}).Parse(text))

// Task is what the contract is for. ID is a key, Source a repository path.
type Task struct{ ID, Title, Source string }

// Contract drafts the contract of a task from the items of its source, which
// must not be broken.
func Contract(t Task, items []source.Item) ([]byte, error) {
	d := &draft{Task: t, Facts: map[string][]string{}}
	d.outcomes(items)
	at := d.Outcomes[0]
	for _, item := range items {
		if o := d.outcome(item.Key); o != nil && item.Kind == "outcome_result" {
			at = o
		}
		d.add(at, item.SourceItem)
	}
	var out bytes.Buffer
	if err := form.Execute(&out, d); err != nil {
		return nil, fmt.Errorf("draft of %s: %w", t.ID, err)
	}
	return out.Bytes(), nil
}

// draft is what the form shows.
type draft struct {
	Task
	Goal          string
	Claims        []claim
	NonGoals      []model.SourceItem
	Confirmations []model.SourceItem
	Facts         map[string][]string
	Outcomes      []*outcome
}

// claim is an entry of source_claims; Ref is its disposition's only ref.
type claim struct {
	model.SourceItem
	Type, Ref string
}

type outcome struct {
	Key, Result                                                           string
	Requirements, Controls, NonCompleting, Obligations, Shortcuts, Accept []model.SourceItem
}

// outcomes makes one outcome for each result, or the only one, which then has
// the name that a risk fact gives it.
func (d *draft) outcomes(items []source.Item) {
	key := d.ID
	for _, item := range items {
		if item.Kind == "outcome_result" {
			d.Outcomes = append(d.Outcomes, &outcome{Key: item.Key, Result: item.Text})
		} else if item.Kind == "risk_fact" && key == d.ID {
			key = item.Outcome
		}
	}
	if len(d.Outcomes) == 0 {
		d.Outcomes = []*outcome{{Key: key}}
	}
	d.Goal = plain(d.Outcomes[0].Result)
}

func (d *draft) outcome(key string) *outcome {
	i := slices.IndexFunc(d.Outcomes, func(o *outcome) bool { return o.Key == key })
	if i < 0 {
		return nil
	}
	return d.Outcomes[i]
}

// add maps an item. What binds one outcome goes to the one whose result stands
// before it.
func (d *draft) add(o *outcome, item model.SourceItem) {
	c := claim{SourceItem: item, Type: "claim"}
	into := func(list *[]model.SourceItem, ref string) {
		*list = append(*list, item)
		c.Ref = ref
	}
	switch item.Kind {
	case "outcome_result":
		c.Type, c.Ref = "outcome_result", o.Key+".result"
	case "requirement":
		into(&o.Requirements, o.Key+".requirement."+item.Key)
	case "control":
		into(&o.Controls, o.Key+".control."+item.Key+".location")
	case "technical_obligation":
		into(&o.Obligations, o.Key+".obligation."+item.Key)
	case "non_completing":
		into(&o.NonCompleting, o.Key+".non_completing."+item.Key)
	case "forbidden_shortcut":
		into(&o.Shortcuts, o.Key+".forbidden_shortcut."+item.Key)
	case "acceptance":
		c.Type = "acceptance"
		into(&o.Accept, o.Key+".acceptance."+item.Key)
	case "non_goal":
		c.Type = "global_constraint"
		into(&d.NonGoals, "non_goal."+item.Key)
	case "external_confirmation":
		c.Type = "external_confirmation"
		into(&d.Confirmations, item.Key)
	case "risk_fact":
		c.Type, c.Ref = "risk_fact", item.Fact+":"+item.Outcome
		if !slices.Contains(d.Facts[item.Fact], item.Outcome) {
			d.Facts[item.Fact] = append(d.Facts[item.Fact], item.Outcome)
		}
	case "decision":
		c.Type = "decision_required"
	}
	d.Claims = append(d.Claims, c)
}

// Provable are the claims that an assertion may name when it holds, with the
// result first.
func (o *outcome) Provable() []string {
	claims := []string{"result"}
	for _, r := range o.Requirements {
		claims = append(claims, "requirement."+r.Key)
	}
	for _, c := range o.Controls {
		claims = append(claims, "control."+c.Key+".location")
	}
	for _, b := range o.Obligations {
		claims = append(claims, "obligation."+b.Key)
	}
	return claims
}

// Sole are the claims of every assertion where there is nothing to choose: the
// outcome has one claim besides its result.
func (o *outcome) Sole() []string {
	if claims := o.Provable(); len(claims) == 2 {
		return claims
	}
	return nil
}

// Surface is the one a check of the outcome must be on.
func (o *outcome) Surface() string {
	if len(o.Controls) > 0 {
		return "ui_browser"
	}
	return "runtime_behavior"
}

// quoted is a text that YAML reads on one line, as JSON writes it and with
// everything escaped that does not print.
func quoted(text string) (string, error) {
	var encoded, b strings.Builder
	e := json.NewEncoder(&encoded)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return "", err
	}
	for _, r := range strings.TrimSuffix(encoded.String(), "\n") {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	return b.String(), nil
}

var bare = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// scalar is a key as YAML reads it as text.
func scalar(key string) (string, error) {
	if bare.MatchString(key) && !slices.Contains([]string{"true", "false", "null"}, key) {
		return key, nil
	}
	return quoted(key)
}

// statement is a text as YAML shows it best below a key that is indented by a
// number of blanks: lines as a block, where that keeps every character.
func statement(blanks int, text string) (string, error) {
	lines := strings.Split(text, "\n")
	odd := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
	if len(lines) == 1 || strings.HasPrefix(lines[0], " ") || strings.ContainsFunc(text, odd) {
		return quoted(text)
	}
	var b strings.Builder
	b.WriteString("|-")
	for _, l := range lines {
		b.WriteString("\n")
		if l != "" {
			b.WriteString(strings.Repeat(" ", blanks+2) + l)
		}
	}
	return b.String(), nil
}

var bullets = regexp.MustCompile(`(?m)^[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?`)

// plain is a text without bullets, on one line.
func plain(text string) string {
	return strings.Join(strings.Fields(bullets.ReplaceAllString(text, "")), " ")
}

// title makes a key a heading.
func title(key string) string {
	words := strings.ReplaceAll(key, "-", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
