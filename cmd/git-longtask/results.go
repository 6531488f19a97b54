package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/git-longtask/git-longtask/gate/check"
)

// printResults writes one line for each check and each counterfactual.
func printResults(p *printer, checks []check.Result, controls []check.CounterfactualResult, baselines []check.BaselineResult) {
	base := map[string]string{}
	for _, b := range baselines {
		base[b.CheckID] = baseNote(p, b)
	}
	for _, r := range checks {
		p.line("  %s%s", resultLine(p, r), base[r.InternalID])
	}
	for _, c := range controls {
		p.line("  %s %-24s %7s", mark(p, c.Status), c.Key+" (counterfactual)", seconds(c.DurationMS))
	}
}

func resultLine(p *printer, r check.Result) string {
	met := 0
	for _, a := range r.AssertionResults {
		if a.Status == string(check.Passed) {
			met++
		}
	}
	key := strings.TrimPrefix(r.InternalID, "CHECK.")
	criteria := count(len(r.AssertionResults), "criterion")
	if met < len(r.AssertionResults) {
		criteria = fmt.Sprintf("%d of %s", met, criteria)
	}
	if tests, ok := r.Observations["report.total"].(int); ok {
		criteria = count(tests, "test") + ", " + criteria
	}
	return fmt.Sprintf("%s %-24s %7s  %s", mark(p, string(r.Status)), key, seconds(r.DurationMS), criteria)
}

// baseNote says after a check's line how it was on the base tree.
func baseNote(p *printer, b check.BaselineResult) string {
	red := 0
	for _, a := range b.Assertions {
		if a.Result != check.BasePassed {
			red++
		}
	}
	switch b.Status {
	case check.BaselineRed:
		return fmt.Sprintf("   (red at base: %d)", red)
	case check.BaselineGreen:
		return p.red("   (green at base)")
	}
	return p.red("   (base not run)")
}

func mark(p *printer, status string) string {
	switch status {
	case string(check.Passed):
		return "ok     "
	case string(check.BlockedExternal):
		return p.yellow("BLOCKED")
	}
	return p.red("FAIL   ")
}

func seconds(ms int64) string { return fmt.Sprintf("%.1fs", float64(ms)/1000) }

func list(words []string) string { return strings.Join(words, ", ") }

// progress tells on stderr, while checks run, how far they are: one line that
// is written over on a terminal, one line per finished check on a pipe, and
// nothing beside JSON.
type progress struct {
	inv   *invocation
	title string
	live  bool
	began time.Time

	mu      sync.Mutex
	running []string
}

func (inv *invocation) progress(title string) *progress {
	return &progress{inv: inv, title: title, live: isTerminal(inv.Stdio.err) && !inv.JSON, began: time.Now()}
}

func (g *progress) check(e check.Event) {
	if g.inv.JSON {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	name := strings.TrimPrefix(e.ID, "CHECK.")
	if e.Result == nil {
		g.running = append(g.running, name)
	} else {
		for i, r := range g.running {
			if r == name {
				g.running = append(g.running[:i], g.running[i+1:]...)
				break
			}
		}
	}
	switch {
	case g.live:
		fmt.Fprintf(g.inv.Stdio.err, "\r\x1b[K%s: %d of %d, %s  %s", g.title, e.Done, e.Total, seconds(time.Since(g.began).Milliseconds()), strings.Join(g.running, " "))
	case e.Result != nil:
		fmt.Fprintf(g.inv.Stdio.err, "%s: %s %s %s\n", g.title, name, e.Result.Status, seconds(e.Result.DurationMS))
	}
}

// end takes the live line away.
func (g *progress) end() {
	if g.live {
		fmt.Fprint(g.inv.Stdio.err, "\r\x1b[K")
	}
}
