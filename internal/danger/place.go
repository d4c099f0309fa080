package danger

import (
	"path"
	"strings"

	"github.com/glasstty/glasstty/internal/glob"
)

// The kinds of places that a path may name are classes of rules.txt. The list "kinds" there
// names those that are lists of paths. These are the ones used in the code.
const (
	atInside  = "INSIDE"   // below the working tree
	atMade    = "MADE"     // made by this line with mktemp, or a container's own
	atTree    = "WORKTREE" // the working tree itself, everything in it, or its .git
	atTemp    = "TEMP"     // below a directory for temporary files
	atOther   = "OTHER"    // elsewhere
	atSystem  = "SYSTEM"   // the system's own, or the root
	atUnknown = "UNTOLD"   // not known
)

// made is the prefix of paths that mktemp returns. temporary is the value assumed for a
// variable whose name says that it contains such a path. Only temporary itself counts as
// made: if the variable is empty, a path below it is below the root.
const (
	made      = "/tmp/mktemp." + string(unknown)
	temporary = "/tmp/" + string(unknown) + "variable"
)

// A spot is a path with its kind.
type spot struct {
	kind string
	path string // absolute and clean; may contain unknown parts and patterns
	all  bool   // everything in path is meant, by a pattern like *, not path itself
}

// spot returns the kind of place that p names, relative to the shell's directory.
func (s *shell) spot(p string) spot {
	abs, relative := p, !strings.HasPrefix(p, "/")
	if relative {
		abs = s.dir + "/" + p
	}
	switch {
	case p == "" || p[0] == unknown, len(p) > 1 && p[1] == ':' && isNameChar(rune(p[0])), p[0] == '%', strings.Contains(p, "{/"), strings.Contains(p, ",/"):
		return spot{kind: atUnknown, path: p} // such as C:/Users, %TEMP% or {/etc,a}
	case relative && s.dir == "":
		if clean := path.Clean(p); clean == "." || strings.HasPrefix(clean, "..") || everything(clean) {
			return spot{kind: atUnknown, path: p}
		}
		return spot{kind: atInside, path: p}
	case strings.HasPrefix(abs, made), abs == temporary:
		return spot{kind: atMade, path: abs}
	}
	abs = path.Clean(abs)
	dir, last := path.Split(abs)
	all := everything(last) && !strings.ContainsRune(dir, unknown)
	if all {
		abs = path.Clean(dir)
	}
	return spot{s.kind(abs, relative && !all), abs, all}
}

// everything reports whether a path's last element is a pattern that matches all, or nearly
// all, names.
func everything(elem string) bool {
	return strings.ContainsAny(elem, "*?[") && !strings.ContainsFunc(elem, func(r rune) bool {
		return r == unknown || r == '-' || r > 127 || isNameChar(r) && !isNumber(string(r))
	})
}

// kind returns the kind of the clean absolute path abs. here says that the path was given
// relative to the working directory.
func (s *shell) kind(abs string, here bool) string {
	tree, home, t := s.check.at.Dir, s.check.at.Home, s.check.table
	top, _, _ := strings.Cut(strings.TrimPrefix(abs, "/"), "/")
	owned := s.owned(tree)
	switch {
	case owned && (abs == tree || abs == path.Join(tree, ".git")):
		return atTree
	case owned && strings.HasPrefix(abs, tree+"/"):
		return atInside
	case tree == home && here && home != "" && strings.HasPrefix(abs, home+"/") && abs[len(home)+1] != '.' && !t.in("home", abs[len(home)+1:]):
		return atInside
	case strings.HasPrefix(top, string(unknown)):
		return atSystem
	}
	for _, kind := range t.lists["kinds"] {
		if kind == atTemp && s.check.boxed && t.fits(kind, abs, home) {
			return atMade // the container's own
		} else if t.fits(kind, abs, home) {
			return kind
		}
	}
	return atOther
}

// owned reports whether a working directory belongs to the agent's work, and not to the
// home directory or the system.
func (s *shell) owned(tree string) bool {
	home, t := s.check.at.Home, s.check.table
	return len(tree) > 1 && !strings.HasPrefix(home+"/", tree+"/") && (t.fits("tree", tree, home) || !t.fits(atSystem, tree, home) && !t.in("shared", tree))
}

// fits reports whether a path matches a pattern in a list. In the patterns ~ is the home
// directory.
func (t *table) fits(list, p, home string) bool {
	if below, ok := strings.CutPrefix(p, home); ok && home != "" && (below == "" || below[0] == '/') {
		p = "~" + below
	}
	wild := list == "secret" && strings.ContainsAny(p, "*?[")
	for _, parts := range t.paths[list] {
		if glob.MatchParts(parts, p) || wild && mayBe(strings.TrimLeft(strings.Join(parts, "*"), "*"), p) {
			return true
		}
	}
	return false
}

// mayBe reports whether the end of p, a path with wildcards, may match w.
func mayBe(w, p string) bool {
	from := len(p)
	for range strings.Count(w, "/") {
		from = max(0, strings.LastIndexByte(p[:from], '/'))
	}
	ok, _ := path.Match(p[from:], w)
	return ok
}

// place judges an effect on a path by the rules for the language place.
func (s *shell) place(effect, p string) {
	p = strings.TrimPrefix(p, "file://")
	switch effect {
	case "SEND":
		p, _, _ = strings.Cut(p[strings.IndexAny(p, "@<")+1:], ";")
	case "READ", "URL":
		p = strings.TrimPrefix(p, "@")
	}
	c := &command{shell: s, name: effect, args: []field{{s: p}}, operandIndexes: []int{0}, text: p}
	c.first(s.check.table.program("place", effect).rows, &program{})
}

// secret reports whether the file at p, or something below p, contains credentials. The
// project's own credentials and public keys do not count.
func (s *shell) secret(p string) bool {
	sp, home := s.spot(p), s.check.at.Home
	listed := s.check.table.fits("secret", sp.path, home) || sp.all && s.check.table.fits("secret", sp.path+"/", home)
	return listed && (sp.kind != atInside || strings.Contains(sp.path, "/.ssh/")) && !s.check.table.fits("public", sp.path, home)
}

// fileTaint returns the taint of the content of a file.
func (s *shell) fileTaint(p string) (t taint) {
	if s.secret(p) {
		t |= fromEnv
	}
	if name := "/" + path.Base(p); s.check.table.fits("own-secret", name, "") && !s.check.table.fits("own-sample", name, "") {
		t |= fromOwn
	}
	return t | s.files[path.Clean(p)].taint&fromNet
}

// unpackedHere is the key in shell.files for all files unpacked from an archive.
const unpackedHere = string(unknown)

// downloaded reports whether the line has downloaded the file at p.
func (s *shell) downloaded(p string) bool {
	return s.files[path.Clean(p)].taint&fromNet != 0 || s.files[unpackedHere].taint != 0 && !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "-")
}
