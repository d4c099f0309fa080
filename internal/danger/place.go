package danger

import (
	"path"
	"strings"

	"github.com/glasstty/glasstty/internal/glob"
)

// The kinds of places that the code uses. The others are lists of paths in rules.txt; its list
// "kinds" names them.
const (
	placeInside  = "INSIDE"   // below the working tree
	placeMade    = "MADE"     // made by this line with mktemp, or temporary files of a container
	placeTree    = "WORKTREE" // the working tree itself, everything in it, or its .git
	placeTemp    = "TEMP"     // below a directory for temporary files
	placeOther   = "OTHER"    // elsewhere
	placeSystem  = "SYSTEM"   // directories of the system, and the root
	placeUnknown = "UNTOLD"   // not known
)

// made is the assumed result of mktemp. temporary is the assumed value of a variable whose name, such as
// tmpdir, promises such a result. temporary has the kind placeMade, but paths below it do not: if the
// variable is empty, they are below the root.
const (
	made      = "/tmp/mktemp." + string(unknown)
	temporary = "/tmp/" + string(unknown) + "variable"
)

// A location is a path, perhaps with unknown parts and patterns, and the kind of place that it names.
type location struct {
	kind string
	path string // absolute and clean; as given if placeUnknown or relative to an unknown dir; unclean if placeMade
	all  bool   // the given path ended in a pattern such as *: the location is everything in path
}

// locate returns the location that p names, relative to the shell's directory.
func (s *shell) locate(p string) location {
	abs, relative := p, !strings.HasPrefix(p, "/")
	if relative {
		abs = s.dir + "/" + p
	}
	switch {
	case p == "" || p[0] == unknown, len(p) > 1 && p[1] == ':' && isNameChar(rune(p[0])), p[0] == '%', strings.Contains(p, "{/"), strings.Contains(p, ",/"):
		return location{kind: placeUnknown, path: p} // such as C:/Users, %TEMP% or {/etc,a}
	case relative && s.dir == "":
		if clean := path.Clean(p); clean == "." || strings.HasPrefix(clean, "..") || matchesAll(clean) {
			return location{kind: placeUnknown, path: p}
		}
		return location{kind: placeInside, path: p}
	case strings.HasPrefix(abs, made), abs == temporary:
		return location{kind: placeMade, path: abs}
	}
	abs = path.Clean(abs)
	dir, last := path.Split(abs)
	all := matchesAll(last) && !strings.ContainsRune(dir, unknown)
	if all {
		abs = path.Clean(dir)
	}
	return location{s.placeKind(abs, relative && !all), abs, all}
}

// matchesAll reports whether elem, the last element of a path, is a pattern that matches all, or
// nearly all, names.
func matchesAll(elem string) bool {
	return strings.ContainsAny(elem, "*?[") && !strings.ContainsFunc(elem, func(r rune) bool {
		return r == unknown || r == '-' || r > 127 || isNameChar(r) && !isNumber(string(r))
	})
}

// placeKind returns the kind of the clean absolute path abs. here says that the path was given
// relative to the working directory, without a pattern for all names at the end.
func (s *shell) placeKind(abs string, here bool) string {
	tree, home, t := s.check.place.Dir, s.check.place.Home, s.check.table
	top, _, _ := strings.Cut(strings.TrimPrefix(abs, "/"), "/")
	project := s.isProject(tree)
	switch {
	case project && (abs == tree || abs == path.Join(tree, ".git")):
		return placeTree
	case project && strings.HasPrefix(abs, tree+"/"):
		return placeInside
	case tree == home && here && home != "" && strings.HasPrefix(abs, home+"/") && abs[len(home)+1] != '.' && !t.in("home", abs[len(home)+1:]):
		return placeInside
	case strings.HasPrefix(top, string(unknown)):
		return placeSystem
	}
	for _, kind := range t.lists["kinds"] {
		if kind == placeTemp && s.check.inContainer && t.pathIn(kind, abs, home) {
			return placeMade // temporary files of the container
		} else if t.pathIn(kind, abs, home) {
			return kind
		}
	}
	return placeOther
}

// isProject reports whether a working directory is a project. It reports false for "", the home directory, directories
// above that, shared directories such as /tmp, and the system's directories except those in the list "tree".
func (s *shell) isProject(tree string) bool {
	home, t := s.check.place.Home, s.check.table
	return len(tree) > 1 && !strings.HasPrefix(home+"/", tree+"/") && (t.pathIn("tree", tree, home) || !t.pathIn(placeSystem, tree, home) && !t.in("shared", tree))
}

// pathIn reports whether p matches a pattern in a list, in which ~ is the home directory. For the list
// "secret", wildcards in p count too: p matches if it may expand to a path that a pattern matches.
func (t *table) pathIn(list, p, home string) bool {
	if below, ok := strings.CutPrefix(p, home); ok && home != "" && (below == "" || below[0] == '/') {
		p = "~" + below
	}
	wildcards := list == "secret" && strings.ContainsAny(p, "*?[")
	for _, parts := range t.paths[list] {
		if glob.MatchParts(parts, p) || wildcards && mayMatch(strings.TrimLeft(strings.Join(parts, "*"), "*"), p) {
			return true
		}
	}
	return false
}

// mayMatch reports whether the last elements of p, a path with wildcards, match w, the last elements of a path.
func mayMatch(w, p string) bool {
	from := len(p)
	for range strings.Count(w, "/") {
		from = max(0, strings.LastIndexByte(p[:from], '/'))
	}
	ok, _ := path.Match(p[from:], w)
	return ok
}

// judgePath judges an effect on a path, such as READ or WRITE, by the rules for the pseudo-language place.
func (s *shell) judgePath(effect, p string) {
	p = strings.TrimPrefix(p, "file://")
	switch effect {
	case "SEND":
		p, _, _ = strings.Cut(p[strings.IndexAny(p, "@<")+1:], ";")
	case "READ", "URL":
		p = strings.TrimPrefix(p, "@")
	}
	c := &command{shell: s, name: effect, args: []field{{text: p}}, operandIndexes: []int{0}, text: p}
	c.applyVerdict(s.check.table.program("place", effect).rows, &program{})
}

// isSecret reports whether the file at p, or a file below p, contains credentials. It reports false
// for public keys, and for files in the working tree except those in .ssh.
func (s *shell) isSecret(p string) bool {
	loc, home := s.locate(p), s.check.place.Home
	listed := s.check.table.pathIn("secret", loc.path, home) || loc.all && s.check.table.pathIn("secret", loc.path+"/", home)
	return listed && (loc.kind != placeInside || strings.Contains(loc.path, "/.ssh/")) && !s.check.table.pathIn("public", loc.path, home)
}

// fileTaint returns the taint of the content of a file.
func (s *shell) fileTaint(p string) (t taint) {
	if s.isSecret(p) {
		t |= fromEnv
	}
	if name := "/" + path.Base(p); s.check.table.pathIn("own-secret", name, "") && !s.check.table.pathIn("own-sample", name, "") {
		t |= fromOwn
	}
	return t | s.files[path.Clean(p)].taint&fromNet
}

// unpackedHere is the key in shell.files for all files unpacked from an archive.
const unpackedHere = string(unknown)

// isDownloaded reports whether the line has downloaded the file at p, or may have unpacked it
// from a downloaded archive.
func (s *shell) isDownloaded(p string) bool {
	return s.files[path.Clean(p)].taint&fromNet != 0 || s.files[unpackedHere].taint != 0 && !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "-")
}
