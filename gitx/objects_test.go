package gitx

import (
	"context"
	"strings"
	"testing"
)

func TestObjectsReportTheFirstMistake(t *testing.T) {
	r := openRepo(t, newRepo(t))
	for what, build := range map[string]func(o *Objects){
		"name with slash": func(o *Objects) { o.Tree([]TreeEntry{{ModeFile, "a/b", o.Blob(nil)}}) },
		"empty name":      func(o *Objects) { o.Nested(map[string]TreeEntry{"a//b": {Mode: ModeFile, OID: o.Blob(nil)}}) },
		"name twice":      func(o *Objects) { b := o.Blob(nil); o.Tree([]TreeEntry{{ModeFile, "a", b}, {ModeTree, "a", b}}) },
		"file and tree": func(o *Objects) {
			e := TreeEntry{Mode: ModeFile, OID: o.Blob(nil)}
			o.Nested(map[string]TreeEntry{"a": e, "a/b": e})
		},
		"dots":              func(o *Objects) { o.Tree([]TreeEntry{{ModeFile, "..", o.Blob(nil)}}) },
		"short id":          func(o *Objects) { o.Tree([]TreeEntry{{ModeFile, "a", "abc"}}) },
		"sha256 id in sha1": func(o *Objects) { o.Commit(CommitSpec{Tree: OID(strings.Repeat("a", 64))}) },
		"id with a newline": func(o *Objects) { o.Commit(CommitSpec{Tree: o.Tree(nil), Parents: []OID{"x\nauthor me"}}) },
		"NUL in a message":  func(o *Objects) { o.Commit(CommitSpec{Tree: o.Tree(nil), Message: "a\x00b"}) },
	} {
		o := r.NewObjects()
		build(o)
		if err := r.Write(context.Background(), o); err == nil {
			t.Errorf("%s: written without complaint", what)
		}
	}
}
