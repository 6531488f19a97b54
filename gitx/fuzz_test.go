package gitx

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

func FuzzDecodeTree(f *testing.F) {
	id := strings.Repeat("\x01", 20)
	for _, seed := range []string{"", "100644 a\x00" + id, "40000 d\x00" + id + "120000 l\x00" + id, "0100644 a\x00" + id,
		"100644 a/b\x00" + id, "100644 \x00" + id, "100644 a\x00short", "8 a\x00" + id, "100644", "+1 a\x00" + id} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		decodeTree(data, 32)
		entries, err := decodeTree(data, 20)
		if err != nil {
			return
		}
		var theirs object.Tree
		same := func(a, b TreeEntry) bool {
			// git looks at the owner's bit only, go-git at all three.
			if a.Mode == ModeFile && b.Mode == ModeExec {
				a.Mode = b.Mode
			}
			return a == b
		}
		if theirs.Decode(toGoGit(plumbing.TreeObject, data)) == nil && !slices.EqualFunc(entries, entriesOf(&theirs), same) {
			t.Errorf("decoded %v, go-git %v", entries, entriesOf(&theirs))
		}
		o := (&Repo{Format: "sha1"}).NewObjects()
		again := o.data(o.Tree(entries))
		if back, err := decodeTree(again, 20); o.err == nil && (err != nil || len(back) != len(entries)) {
			t.Errorf("%v came back as %v, %v", entries, back, err)
		}
	})
}

func FuzzDecodeCommit(f *testing.F) {
	const tree = "tree 1111111111111111111111111111111111111111\n"
	const who = "author A <a@x> 1 +0000\ncommitter C <c@x> 1700000000 -0330\n"
	for _, seed := range []string{"", tree, tree + who + "\nsubject\n\nbody\n", tree + "parent 2222222222222222222222222222222222222222\n" + who + "\n",
		tree + who + "gpgsig x\n y\n\nm", tree + "parent 22\n" + who, "tree x\n", tree + "committer > 1 1\n\n", tree + "committer <> 99999999999999999999 +9999\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := decodeCommit(data)
		if err != nil {
			return
		}
		if !isHex(string(c.Tree)) || strings.Contains(c.Subject, "\n") || !bytes.HasSuffix(data, []byte(c.Message)) {
			t.Errorf("decoded %+v", c)
		}
		for _, p := range c.Parents {
			if len(p) != len(c.Tree) || !isHex(string(p)) {
				t.Errorf("parent %q", p)
			}
		}
	})
}

func FuzzParseReply(f *testing.F) {
	id := strings.Repeat("a", 40)
	for _, seed := range []string{"HEAD missing", id + " blob 3", id + " submodule", id + " blob -1", "", "x ambiguous", id + " blob 99999999999999999999"} {
		f.Add("HEAD", seed)
	}
	f.Fuzz(func(t *testing.T, name, line string) {
		a, err := parseReply(name, line)
		if err == nil && (a.oid == "") != (a.kind == "missing" || a.kind == "ambiguous" || a.kind == "submodule") && a.oid == "" {
			t.Errorf("parseReply(%q, %q) = %+v", name, line, a)
		}
		if err == nil && a.size < 0 {
			t.Errorf("negative size from %q", line)
		}
	})
}

// Reading a notes tree and writing it back changes nothing; every note it
// lists can be found.
func FuzzNoteTree(f *testing.F) {
	id := strings.Repeat("\x01", 20)
	hex40, hex38 := strings.Repeat("ab", 20), strings.Repeat("cd", 19)
	for _, seed := range []string{"", "100644 " + hex40 + "\x00" + id, "100644 " + hex38 + "\x00" + id, "100644 README\x00" + id,
		"160000 " + hex40 + "\x00" + id, "40000 " + hex40 + "\x00" + id, "100644 ab\x00" + id} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := decodeTree(data, 20)
		if err != nil {
			return
		}
		entries = slices.DeleteFunc(entries, func(e TreeEntry) bool { return e.Mode == ModeTree && len(e.Path) == 2 })
		ctx, r := context.Background(), &Repo{Format: "sha1"}
		o := r.NewObjects()
		if before := o.Tree(entries); o.err == nil && noteDirOf("", entries, 40).write(o) != before {
			t.Errorf("%v changed by reading and writing", entries)
		}
		root := noteDirOf("", entries, 40)
		root.fanOut(40)
		notes := map[OID][]OID{}
		if err := root.all(ctx, r, "", 40, notes); err != nil {
			t.Fatal(err)
		}
		for id, blobs := range notes {
			if found, err := root.find(ctx, r, string(id)); err != nil || !slices.Equal(found, blobs) {
				t.Errorf("find(%s) = %v, %v; all says %v", id, found, err, blobs)
			}
		}
	})
}

func FuzzUnion(f *testing.F) {
	f.Add([]byte("a\nb\n"), []byte("b"))
	f.Add([]byte("\n\n"), []byte(""))
	f.Add([]byte("x\r\n"), []byte("\x00\xff"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		u := union(a, b)
		if !bytes.Equal(u, union(b, a)) || !bytes.Equal(u, union(u)) || !bytes.Equal(u, union(u, a)) {
			t.Errorf("union(%q, %q) = %q depends on order or repetition", a, b, u)
		}
		for _, line := range bytes.Split(append(append(slices.Clip(a), '\n'), b...), []byte("\n")) {
			if len(line) > 0 && !bytes.Contains(append([]byte("\n"), u...), append(append([]byte("\n"), line...), '\n')) {
				t.Errorf("union(%q, %q) = %q lost %q", a, b, u, line)
			}
		}
	})
}
