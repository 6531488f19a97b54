package main

import (
	"context"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/contract/projectcontext"
	"github.com/git-longtask/git-longtask/gitx"
)

func contextRouteCommand() *command {
	return &command{
		Name:  "context route",
		Group: groupAuthor,
		Args:  "<word>...",
		Usage: "tell what to read for a task",
		Description: "Lists what everybody reads, then the texts whose area, role or trigger the words name, then lines of other texts in which the words occur. " +
			"A path of the repository stands for the area that owns it. The search reads at most 1 MiB; nothing is stored.",
		Examples: []string{"git longtask context route exchange rate", "git longtask context route src/billing/total.go"},
		JSON:     projectcontext.Route{},
		Run:      runContextRoute,
	}
}

func runContextRoute(ctx context.Context, inv *invocation) (*report, error) {
	return inv.withContext(ctx, func(_ *gitx.Repo, c *projectcontext.Context) (*report, error) {
		route, err := c.Route(ctx, inv.Args)
		if err != nil {
			return nil, err
		}
		return &report{Status: "reported", Findings: c.Findings, Fields: route, Text: func(p *printer) {
			p.line("%s", p.bold("read"))
			p.entries(route.Read)
			if len(route.Search.Matches) > 0 {
				p.line("%s", p.bold("the words also occur in"))
			}
			p.matches(route.Search)
			p.findings(c.Findings)
		}}, nil
	})
}

func contextSearchCommand() *command {
	return &command{
		Name:        "context search",
		Group:       groupAuthor,
		Args:        "<word>...",
		Usage:       "search the context for words",
		Description: "Shows the lines of the context's texts in which the words occur, in any case. Texts with more of the words come first. Reads at most 1 MiB; nothing is stored.",
		Examples:    []string{"git longtask context search rounding"},
		JSON:        projectcontext.Search{},
		Run:         runContextSearch,
	}
}

func runContextSearch(ctx context.Context, inv *invocation) (*report, error) {
	return inv.withContext(ctx, func(_ *gitx.Repo, c *projectcontext.Context) (*report, error) {
		found, err := c.Search(ctx, inv.Args)
		if err != nil {
			return nil, err
		}
		return &report{Status: "reported", Fields: found, Text: func(p *printer) {
			if len(found.Matches) == 0 {
				p.line("the words occur nowhere below %s", projectcontext.Dir)
			}
			p.matches(found)
		}}, nil
	})
}

func contextDoctorCommand() *command {
	return &command{
		Name:  "context doctor",
		Group: groupAuthor,
		Usage: "find what is wrong with the context",
		Description: "Shows what everybody reads, with its size, and what is wrong: a manifest that cannot be read or names missing files, " +
			"more to read than is good (16 KiB a file, 64 KiB in all), and files and paragraphs that stand there twice, word for word.",
		Examples: []string{"git longtask context doctor"},
		JSON:     projectcontext.Examination{},
		Run:      runContextDoctor,
	}
}

func runContextDoctor(ctx context.Context, inv *invocation) (*report, error) {
	return inv.withContext(ctx, func(_ *gitx.Repo, c *projectcontext.Context) (*report, error) {
		x, err := c.Examine(ctx)
		if err != nil {
			return nil, err
		}
		contract.SortFindings(x.Findings)
		return &report{Status: "reported", Findings: x.Findings, Fields: x, Text: func(p *printer) {
			p.line("everybody reads %s, %d bytes", count(len(x.Read), "file"), x.Bytes)
			p.entries(x.Read)
			p.findings(x.Findings)
			if len(x.Findings) == 0 {
				p.line("nothing is wrong with the context")
			}
		}}, nil
	})
}

func (p *printer) entries(list []projectcontext.Entry) {
	for _, e := range list {
		p.line("  %7d  %s  (%s)", e.Bytes, quotePath(e.Path), printable(e.Why))
	}
}

func (p *printer) matches(s projectcontext.Search) {
	for _, m := range s.Matches {
		p.line("  %s:%d: %s", quotePath(m.Path), m.Line, printable(m.Text))
	}
	if !s.Complete {
		p.line("  ... and perhaps more: the search is bounded")
	}
}
