package gitx

import (
	"context"
	"slices"
	"testing"
)

func TestConfig(t *testing.T) {
	dir := newRepo(t)
	for _, kv := range [][2]string{
		{"remote.b.url", "u"}, {"remote.A.b.url", "u"}, {"remote.pushDefault", "b"}, {"remote.nourl.fetch", "x"},
		{"longtask.x", "one"}, {"LongTask.X", "two\nlines"}, {"s.Sub.Section.v", "kept"},
		{"b.yes", "Yes"}, {"b.two", "2"}, {"b.zero", "00"}, {"b.no", "off"}, {"b.junk", "junk"}, {"b.empty", ""},
	} {
		git(t, dir, "config", "--add", kv[0], kv[1])
	}
	config := git(t, dir, "rev-parse", "--path-format=absolute", "--git-path", "config")
	gitInput(t, dir, "", "config", "-f", config, "include.path", "extra")
	writeFile(t, dir, ".git/extra", "[b]\n\tvalueless\n")
	c, err := openRepo(t, dir).Config(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := c.Get("LONGTASK.x"); !ok || got != "two\nlines" {
		t.Errorf("Get = %q, %v", got, ok)
	}
	if got := c.All("longtask.X"); !slices.Equal(got, []string{"one", "two\nlines"}) {
		t.Errorf("All = %q", got)
	}
	if got, _ := c.Get("S.Sub.Section.V"); got != "kept" {
		t.Errorf("a key with a subsection = %q", got)
	}
	if _, ok := c.Get("s.sub.section.v"); ok {
		t.Error("a subsection was folded to lower case")
	}
	if got := c.Remotes(); !slices.Equal(got, []string{"A.b", "b"}) {
		t.Errorf("Remotes = %q", got)
	}
	for key, want := range map[string]bool{"b.yes": true, "b.two": true, "b.valueless": true, "b.zero": false,
		"b.no": false, "b.junk": false, "b.empty": false, "b.absent": false, "core.bare": false} {
		if got := c.Bool(key); got != want {
			t.Errorf("Bool(%s) = %v", key, got)
		}
	}
}
