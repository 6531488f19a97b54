package gitx

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"
)

// go-git decodes and encodes sha1 objects on its own, so it is a second
// opinion on ours; git is the third, also for sha256.

func toGoGit(typ plumbing.ObjectType, data []byte) *plumbing.MemoryObject {
	o := &plumbing.MemoryObject{}
	o.SetType(typ)
	o.Write(data)
	return o
}

func fromGoGit(t *testing.T, encode func(plumbing.EncodedObject) error) (OID, []byte) {
	t.Helper()
	o := &plumbing.MemoryObject{}
	if err := encode(o); err != nil {
		t.Fatal(err)
	}
	reader, _ := o.Reader()
	var b bytes.Buffer
	b.ReadFrom(reader)
	return OID(o.Hash().String()), b.Bytes()
}

// randomName is a name of up to eight bytes that a tree can hold, few letters,
// so that names are prefixes of each other.
func randomName(rnd *rand.Rand) string {
	const letters = "ab.-0\xff\xc3\n "
	name := make([]byte, 1+rnd.IntN(8))
	for i := range name {
		name[i] = letters[rnd.IntN(len(letters))]
	}
	if s := string(name); s != "." && s != ".." {
		return s
	}
	return "dot"
}

func randomEntries(rnd *rand.Rand, id func() OID) []TreeEntry {
	modes := []Mode{ModeTree, ModeFile, ModeExec, ModeSymlink, ModeSubmodule}
	var entries []TreeEntry
	seen := map[string]bool{}
	for range rnd.IntN(20) {
		if name := randomName(rnd); !seen[name] {
			seen[name] = true
			entries = append(entries, TreeEntry{Mode: modes[rnd.IntN(len(modes))], Path: name, OID: id()})
		}
	}
	return entries
}

func randomID(rnd *rand.Rand) OID {
	raw := make([]byte, 20)
	for i := range raw {
		raw[i] = byte(rnd.Uint32())
	}
	return OID(hex.EncodeToString(raw))
}

func TestTreesAgreeWithGoGit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	o := (&Repo{Format: "sha1"}).NewObjects()
	for range 500 {
		entries := randomEntries(rnd, func() OID { return randomID(rnd) })
		id := o.Tree(entries)
		data := o.data(id)
		var theirs object.Tree
		if err := theirs.Decode(toGoGit(plumbing.TreeObject, data)); err != nil {
			t.Fatalf("go-git reads %q: %v", data, err)
		}
		ours, err := decodeTree(data, 20)
		if err != nil || !slices.Equal(ours, entriesOf(&theirs)) {
			t.Fatalf("decoded %v (%v), go-git %v", ours, err, entriesOf(&theirs))
		}
		slices.SortFunc(entries, compareEntries)
		if !slices.Equal(ours, entries) {
			t.Fatalf("decoded %v, encoded %v", ours, entries)
		}
		if again, bytes := fromGoGit(t, theirs.Encode); again != id || string(bytes) != string(data) {
			t.Fatalf("go-git encodes %s %q, we %s %q", again, bytes, id, data)
		}
	}
	if o.err != nil {
		t.Error(o.err)
	}
}

func (o *Objects) data(id OID) []byte {
	for _, obj := range o.list {
		if obj.OID == id {
			return obj.Data
		}
	}
	return nil
}

func entriesOf(tree *object.Tree) []TreeEntry {
	var entries []TreeEntry
	for _, e := range tree.Entries {
		entries = append(entries, TreeEntry{Mode: Mode(e.Mode), Path: e.Name, OID: OID(e.Hash.String())})
	}
	return entries
}

func TestCommitsAgreeWithGoGit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	o := (&Repo{Format: "sha1"}).NewObjects()
	for i := range 300 {
		spec := CommitSpec{Tree: randomID(rnd), Message: strings.Repeat(randomName(rnd)+"\n", rnd.IntN(4)), When: time.Unix(rnd.Int64N(1<<33), 0)}
		for range rnd.IntN(4) {
			spec.Parents = append(spec.Parents, randomID(rnd))
		}
		id := o.Commit(spec)
		var theirs object.Commit
		if err := theirs.Decode(toGoGit(plumbing.CommitObject, o.data(id))); err != nil {
			t.Fatal(err)
		}
		sameCommit(t, o.data(id), &theirs)
		if theirs.Message != spec.Message || !theirs.Committer.When.Equal(spec.When) || theirs.Author.Name != "git-longtask" {
			t.Fatalf("go-git reads %+v from %+v", theirs, spec)
		}
		if again, data := fromGoGit(t, theirs.Encode); again != id {
			t.Fatalf("go-git encodes %s %q, we %s %q", again, data, id, o.data(id))
		}
		theirs.Author.Name, theirs.Committer.Name = "Ünïcode <odd", ""
		theirs.Committer.When = spec.When.In(time.FixedZone("", (rnd.IntN(25*4)-12*4)*15*60))
		if i%2 == 0 {
			theirs.PGPSignature = "-----BEGIN PGP SIGNATURE-----\n\ncommitter X <x> 1 +0000\ntree\n-----END PGP SIGNATURE-----\n"
		}
		_, data := fromGoGit(t, theirs.Encode)
		sameCommit(t, data, &theirs)
	}
	if o.err != nil {
		t.Error(o.err)
	}
}

func sameCommit(t *testing.T, data []byte, theirs *object.Commit) {
	t.Helper()
	ours, err := decodeCommit(data)
	if err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	var parents []OID
	for _, p := range theirs.ParentHashes {
		parents = append(parents, OID(p.String()))
	}
	if string(ours.Tree) != theirs.TreeHash.String() || !slices.Equal(ours.Parents, parents) || ours.Message != theirs.Message || !ours.When.Equal(theirs.Committer.When) {
		t.Fatalf("decoded %+v, go-git %+v", ours, theirs)
	}
}

// A notes tree of ours is what go-git finds by walking it.
func TestNotesTreeAgreesWithGoGit(t *testing.T) {
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(5, 6))
	r := &Repo{Format: "sha1"}
	o := r.NewObjects()
	root := newNoteDir()
	want := map[string]string{}
	for i := range 2 * maxFlat {
		id := randomID(rnd)
		text := fmt.Sprintf("note %d\n", i)
		want[string(id)] = text
		if err := root.put(ctx, r, string(id), o.Blob([]byte(text))); err != nil {
			t.Fatal(err)
		}
		root.fanOut(len(id))
	}
	id := root.write(o)
	store := memory.NewStorage()
	for _, obj := range o.list {
		typ, _ := plumbing.ParseObjectType(obj.Type)
		if _, err := store.SetEncodedObject(toGoGit(typ, obj.Data)); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := object.GetTree(store, plumbing.NewHash(string(id)))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	err = tree.Files().ForEach(func(f *object.File) error {
		text, err := f.Contents()
		got[strings.ReplaceAll(f.Name, "/", "")] = text
		return err
	})
	if err != nil || len(got) != len(want) {
		t.Fatalf("go-git finds %d notes (%v), want %d", len(got), err, len(want))
	}
	for id, text := range want {
		if got[id] != text {
			t.Errorf("note of %s = %q, want %q", id, got[id], text)
		}
	}
}

func TestObjectsAgreeWithGit(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			ctx := context.Background()
			rnd := rand.New(rand.NewPCG(7, 8))
			dir := newRepo(t, "--object-format="+format)
			r := openRepo(t, dir)
			o := r.NewObjects()
			blob, empty := o.Blob([]byte("x")), o.Tree(nil)
			var listing, want strings.Builder
			for range 30 {
				entries := randomEntries(rnd, func() OID { return blob })
				for i, e := range entries {
					kind := "blob"
					switch e.Mode {
					case ModeTree:
						kind, entries[i].OID = "tree", empty
					case ModeSubmodule:
						kind, entries[i].OID = "commit", o.Commit(CommitSpec{Tree: empty})
					}
					fmt.Fprintf(&listing, "%s %s %s\t%s\x00", e.Mode, kind, entries[i].OID, e.Path)
				}
				listing.WriteByte(0)
				fmt.Fprintln(&want, o.Tree(entries))
			}
			big := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
			commit := o.Commit(CommitSpec{Tree: o.Tree([]TreeEntry{{ModeFile, "big", o.Blob(big)}}), Message: "m\n\nbody\n", When: time.Unix(1700000000, 5)})
			if err := r.Write(ctx, o); err != nil {
				t.Fatal(err)
			}
			if got := gitInput(t, dir, listing.String(), "mktree", "-z", "--batch"); got+"\n" != want.String() {
				t.Errorf("git mktree:\n%s\nours:\n%s", got, want.String())
			}
			if got := git(t, dir, "show", "-s", "--format=%an %ae %cn %ct %s", string(commit)); got != "git-longtask git-longtask@localhost.invalid git-longtask 1700000000 m" {
				t.Errorf("git reads %q", got)
			}
			if obj, err := r.Read(ctx, string(commit)+":big"); err != nil || !bytes.Equal(obj.Data, big) {
				t.Errorf("a blob of 1 MiB came back with %d bytes, %v", len(obj.Data), err)
			}
			git(t, dir, "fsck", "--strict", "--no-dangling", string(commit))
		})
	}
}

// A tree can hold modes nobody writes today; git takes each for one of five.
func TestOddModesReadAsGitReadsThem(t *testing.T) {
	ctx := context.Background()
	dir := newRepo(t)
	r := openRepo(t, dir)
	raw, _ := hex.DecodeString(git(t, dir, "rev-parse", "HEAD:dir/sub"))
	for _, mode := range []string{"100664", "100001", "100700", "40755", "120777", "0", "20000", "060000", "0100644"} {
		id := OID(gitInput(t, dir, mode+" x\x00"+string(raw), "hash-object", "-w", "-t", "tree", "--literally", "--stdin"))
		e, err := r.Entry(ctx, id, "x")
		if got, want := e.Mode.String(), strings.Fields(git(t, dir, "ls-tree", string(id)))[0]; err != nil || got != want {
			t.Errorf("mode %s reads as %s, git reads %s (%v)", mode, got, want, err)
		}
	}
}

func TestCommitReadsWhatGitWrites(t *testing.T) {
	ctx := context.Background()
	dir := newRepo(t)
	r := openRepo(t, dir)
	for _, message := range []string{"one", "two\nlines\n\nbody\n", "\n\n  late \n", "", "ünï"} {
		cmd := exec.Command("git", "commit-tree", "-p", "HEAD", "-p", "HEAD~1", "HEAD^{tree}")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(message)
		cmd.Env = append(cmd.Environ(), "GIT_COMMITTER_DATE=1700000000 -0330")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSpace(string(out))
		c, err := r.Commit(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s %s %s %s|%s", c.Tree, c.Parents[0], c.Parents[1], c.When.Format("2006-01-02T15:04:05-07:00"), c.Subject)
		if want := git(t, dir, "show", "-s", "--format=%T %P %cI|%s", id); got != want {
			t.Errorf("message %q: read %q, git says %q", message, got, want)
		}
	}
}
