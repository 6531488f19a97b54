package revision

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-longtask/git-longtask/contract"
)

// frozenFor maps the verifier files of one check to their digests.
func frozenFor(c *contract.Compiled, id string) map[string]string {
	found := map[string]string{}
	for _, f := range c.Files {
		if slices.Contains(f.Checks, id) {
			found[f.Path] = f.SHA256
		}
	}
	return found
}

// moves maps files that are gone to new ones with the same bytes and name.
func moves(old, next map[string]string) map[string]string {
	moved := map[string]string{}
	for from, sum := range old {
		if _, stays := next[from]; stays {
			continue
		}
		for to, s := range next {
			_, known := old[to]
			if !known && s == sum && path.Base(to) == path.Base(from) && (moved[from] == "" || to < moved[from]) {
				moved[from] = to
			}
		}
	}
	return moved
}

// files compares what is frozen, by path and kind.
func (w *walk) files() {
	type id struct{ path, kind string }
	index := func(c *contract.Compiled) (map[id]contract.Frozen, []id) {
		found, ids := map[id]contract.Frozen{}, []id{}
		for _, f := range c.Files {
			found[id{f.Path, f.Kind}] = f
			ids = append(ids, id{f.Path, f.Kind})
		}
		return found, ids
	}
	was, ids := index(w.old.Compiled)
	is, more := index(w.next.Compiled)
	for _, k := range more {
		if _, both := was[k]; !both {
			ids = append(ids, k)
		}
	}
	slices.SortStableFunc(ids, func(a, b id) int { return strings.Compare(a.path, b.path) })
	for _, k := range ids {
		old, had := was[k]
		next, has := is[k]
		w.path = []string{"files", k.path}
		w.file(k.kind, old, next, had, has)
		if !had {
			w.newlyExempt(next)
		}
	}
	w.path = nil
}

func (w *walk) file(kind string, old, next contract.Frozen, had, has bool) {
	switch kind {
	case contract.FileSource:
		if had && has {
			w.content(mark{"source_file_content_changed", true}, old, next)
		}
	case contract.FileConfig:
		w.content(mark{"runner_definition_changed", true}, old, next)
	case contract.FileContext:
		m := mark{"supporting_context_changed", false}
		if old.Controlling || next.Controlling {
			m = mark{"context_authority_changed", true}
		}
		w.content(m, old, next)
		if had && has && old.Controlling != next.Controlling {
			w.tell(m, fmt.Sprintf("controlling: %t", old.Controlling), fmt.Sprintf("controlling: %t", next.Controlling))
		}
	case contract.FileVerifier:
		w.verifier(old, next, had, has)
	case contract.FileFragment:
		if had != has {
			w.tell(mark{"contract_files_changed", false}, old.Path, next.Path)
		}
	}
}

// verifier compares a file that decides checks. Of checks that are gone the
// removal is told already.
func (w *walk) verifier(old, next contract.Frozen, had, has bool) {
	if had && has {
		w.content(mark{"verification_input_removed_or_replaced", true}, old, next)
	}
	for _, id := range old.Checks {
		if slices.Contains(next.Checks, id) || !hasCheck(w.next.Compiled, id) {
			continue
		}
		if to := w.moved(id)[old.Path]; to != "" {
			w.tell(mark{"verifier_relocated", false}, old.Path, to)
			continue
		}
		w.tell(mark{"verification_input_removed_or_replaced", true}, "frozen for "+id, "")
	}
	for _, id := range next.Checks {
		if slices.Contains(old.Checks, id) || !hasCheck(w.old.Compiled, id) || slices.Contains(slices.Collect(maps.Values(w.moved(id))), next.Path) {
			continue
		}
		w.tell(mark{"verification_input_added", false}, "", "frozen for "+id)
	}
}

// moved maps the verifier files of a check that only moved.
func (w *walk) moved(id string) map[string]string {
	return moves(frozenFor(w.old.Compiled, id), frozenFor(w.next.Compiled, id))
}

func hasCheck(c *contract.Compiled, id string) bool {
	for _, k := range c.Contract.Global.Acceptance.Checks {
		if id == "CHECK.GLOBAL."+k.Key {
			return true
		}
	}
	for _, o := range c.Contract.Outcomes {
		for _, k := range o.Acceptance.Checks {
			if id == "CHECK."+o.Key+"."+k.Key {
				return true
			}
		}
	}
	return false
}

// newlyExempt protects what a newly frozen file would take out of the scope:
// freezing a path makes its present bytes lawful. A new file outside the
// forbidden paths is more proof; anything else would hide an edit.
func (w *walk) newlyExempt(f contract.Frozen) {
	if f.Kind != contract.FileVerifier && f.Kind != contract.FileFragment || w.scope.Exempt(f.Path) {
		return
	}
	was, existed := "", false
	if w.base != nil {
		was, existed = w.base(f.Path)
	}
	if existed && was == f.SHA256 {
		return
	}
	if by, is := w.scope.Forbidden(f.Path); is {
		w.tell(mark{"forbidden_path_removed", true}, by, "frozen, and so allowed, with other bytes than at the base")
		return
	}
	if existed && !w.scope.Allows(f.Path) {
		w.tell(mark{"allowed_path_expanded", true}, digestOf(was), digestOf(f.SHA256))
	}
}

// content tells that the bytes of a file differ, and how.
func (w *walk) content(m mark, old, next contract.Frozen) {
	if old.SHA256 == next.SHA256 {
		return
	}
	w.tell(m, digestOf(old.SHA256), digestOf(next.SHA256))
	a, okA := w.text(w.old, old)
	b, okB := w.text(w.next, next)
	if okA && okB {
		w.changes[len(w.changes)-1].Diff = Lines(a, b)
	}
}

func digestOf(sum string) string {
	if sum == "" {
		return ""
	}
	return "sha256:" + sum
}

// text is the content of a frozen file; a file that is not there is empty.
func (w *walk) text(s Side, f contract.Frozen) (string, bool) {
	if f.Path == "" {
		return "", true
	}
	data, ok := s.Files[f.Path]
	return string(data), ok && utf8.Valid(data)
}
