package gitx

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Objects are objects made in memory that wait to be written together. Their
// ids are known at once. The first mistake (a bad name, a bad id) is kept and
// reported by Write, so that building needs no error checks. One goroutine.
type Objects struct {
	format string
	list   []Object
	have   map[OID]bool
	err    error
}

// NewObjects starts an empty set in the object format of the repository.
func (r *Repo) NewObjects() *Objects {
	return &Objects{format: r.Format, have: make(map[OID]bool)}
}

func newHash(format string) hash.Hash {
	if format == "sha256" {
		return sha256.New()
	}
	return sha1.New()
}

func (o *Objects) add(typ string, data []byte) OID {
	h := newHash(o.format)
	fmt.Fprintf(h, "%s %d\x00", typ, len(data))
	h.Write(data)
	oid := OID(hex.EncodeToString(h.Sum(nil)))
	if !o.have[oid] {
		o.have[oid] = true
		o.list = append(o.list, Object{OID: oid, Type: typ, Data: data})
	}
	return oid
}

func (o *Objects) fail(format string, args ...any) {
	if o.err == nil {
		o.err = fmt.Errorf(format, args...)
	}
}

func (o *Objects) rawID(oid OID) []byte {
	raw, err := hex.DecodeString(string(oid))
	if err != nil || len(raw) != newHash(o.format).Size() {
		o.fail("%q is no object id of a %s repository", oid, o.format)
	}
	return raw
}

// Blob adds a blob; the caller must not change data before Write.
func (o *Objects) Blob(data []byte) OID { return o.add("blob", data) }

// Tree adds one level of a tree; Path of an entry is its name. The order of
// entries does not matter.
func (o *Objects) Tree(entries []TreeEntry) OID {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, compareEntries)
	names := make(map[string]bool, len(sorted))
	var b bytes.Buffer
	for _, e := range sorted {
		if e.Path == "" || e.Path == "." || e.Path == ".." || strings.ContainsAny(e.Path, "/\x00") || names[e.Path] {
			o.fail("a tree cannot hold an entry named %q here: not a name, or taken", e.Path)
		}
		names[e.Path] = true
		fmt.Fprintf(&b, "%o %s\x00", uint32(e.Mode), e.Path)
		b.Write(o.rawID(e.OID))
	}
	return o.add("tree", b.Bytes())
}

// compareEntries is git's order: a directory sorts as if its name ended in a
// slash.
func compareEntries(a, b TreeEntry) int {
	key := func(e TreeEntry) string {
		if e.Mode == ModeTree {
			return e.Path + "/"
		}
		return e.Path
	}
	return strings.Compare(key(a), key(b))
}

// Nested adds the trees that hold files at paths with slashes and returns the
// outermost. An entry may itself be a tree. Path of the entries is ignored.
func (o *Objects) Nested(files map[string]TreeEntry) OID {
	var level []TreeEntry
	below := make(map[string]map[string]TreeEntry)
	for path, e := range files {
		name, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			level = append(level, TreeEntry{Mode: e.Mode, Path: name, OID: e.OID})
			continue
		}
		if below[name] == nil {
			below[name] = make(map[string]TreeEntry)
		}
		below[name][rest] = e
	}
	for name, sub := range below {
		level = append(level, TreeEntry{Mode: ModeTree, Path: name, OID: o.Nested(sub)})
	}
	return o.Tree(level)
}

// CommitSpec says what a commit of ours holds. Author and committer are
// always git-longtask, in UTC; a time before 1970 is 1970.
type CommitSpec struct {
	Tree    OID
	Parents []OID
	Message string
	When    time.Time
}

// Commit adds a commit. Message is stored as given.
func (o *Objects) Commit(spec CommitSpec) OID {
	var b bytes.Buffer
	o.rawID(spec.Tree)
	fmt.Fprintf(&b, "tree %s\n", spec.Tree)
	for _, p := range spec.Parents {
		o.rawID(p)
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	if strings.Contains(spec.Message, "\x00") {
		o.fail("a commit message cannot hold a NUL")
	}
	who := "git-longtask <git-longtask@localhost.invalid> " + strconv.FormatInt(max(spec.When.Unix(), 0), 10) + " +0000\n"
	b.WriteString("author " + who + "committer " + who + "\n" + spec.Message)
	return o.add("commit", b.Bytes())
}
