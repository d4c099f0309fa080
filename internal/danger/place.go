package danger

import (
	"path"
	"strings"

	"github.com/glasstty/glasstty/internal/glob"
)

// A where is what kind of place a path names: a class of rules.txt. The kinds whose paths
// are listed there are in its list "kinds"; these are the ones that the code knows.
type where string

const (
	atInside where = "INSIDE"   // below the working tree
	atMade   where = "MADE"     // made by this line, with mktemp, or a container's own
	atTree   where = "WORKTREE" // the working tree itself, all of it, or its .git
	atTemp   where = "TEMP"     // below a directory for temporary files
	atHome   where = "HOME"     // the home directory itself, or all of it
	atOther  where = "OTHER"    // elsewhere
	atSystem where = "SYSTEM"   // the system's own, or the root
	atUntold where = "UNTOLD"   // cannot be told
)

// made begins the paths that mktemp returns; temporary is what a variable whose name says
// that it holds one stands for. When that is empty, nothing is below it but the root.
const (
	made      = "/tmp/mktemp." + string(unknown)
	temporary = "/tmp/" + string(unknown) + "variable"
)

// A spot is a path that has been looked at.
type spot struct {
	kind where
	path string // absolute, cleaned, unknown parts and patterns included
	all  bool   // everything in path rather than path itself: a pattern like *
}

// spot tells what kind of place p names, seen from the shell's directory.
func (s *shell) spot(p string) spot {
	abs, relative := p, !strings.HasPrefix(p, "/")
	if relative {
		abs = s.dir + "/" + p
	}
	switch {
	case p == "" || p[0] == unknown, len(p) > 1 && p[1] == ':' && isLetter(p[0]), p[0] == '%', strings.Contains(p, "{/"), strings.Contains(p, ",/"):
		return spot{kind: atUntold, path: p} // C:/Users, %TEMP%, {/etc,a}
	case relative && s.dir == "":
		if clean := path.Clean(p); clean == "." || strings.HasPrefix(clean, "..") || everything(clean) {
			return spot{kind: atUntold, path: p}
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

// everything reports whether a path's last element is a pattern that matches
// all, or nearly all.
func everything(elem string) bool {
	return strings.ContainsAny(elem, "*?[") && !strings.ContainsFunc(elem, func(r rune) bool {
		return r == unknown || r == '-' || r > 127 || isLetter(byte(r)) && !isNumber(string(r))
	})
}

// kind tells what kind of place the cleaned absolute path abs is. here says that it was
// given from the working directory.
func (s *shell) kind(abs string, here bool) where {
	tree, home, t := s.k.at.Dir, s.k.at.Home, s.k.table
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
		if where(kind) == atTemp && s.k.boxed && t.fits(kind, abs, home) {
			return atMade // of a container: nobody else has it
		} else if t.fits(kind, abs, home) {
			return where(kind)
		}
	}
	return atOther
}

// owned reports whether a working directory is a tree of the agent's own, rather than
// the home directory or the system's.
func (s *shell) owned(tree string) bool {
	home, t := s.k.at.Home, s.k.table
	return len(tree) > 1 && !strings.HasPrefix(home+"/", tree+"/") && (t.fits("tree", tree, home) || !t.fits(string(atSystem), tree, home) && !t.in("shared", tree))
}

// fits reports whether a path fits one of a list's patterns, in which ~ is the home
// directory.
func (t *table) fits(list, p, home string) bool {
	if below, ok := strings.CutPrefix(p, home); ok && home != "" && (below == "" || below[0] == '/') {
		p = "~" + below
	}
	wild := list == "secret" && strings.ContainsAny(p, "*?[")
	for _, parts := range t.paths[list] {
		if glob.Joins(parts, p) || wild && mayBe(strings.TrimLeft(strings.Join(parts, "*"), "*"), p) {
			return true
		}
	}
	return false
}

// mayBe reports whether the end of a path with wildcards may mean w.
func mayBe(w, p string) bool {
	from := len(p)
	for range strings.Count(w, "/") {
		from = max(0, strings.LastIndexByte(p[:from], '/'))
	}
	ok, _ := path.Match(p[from:], w)
	return ok
}

// place judges what is done to a path by the rules for the language place.
func (s *shell) place(effect, p string) {
	p = strings.TrimPrefix(p, "file://")
	switch effect {
	case "SEND":
		p, _, _ = strings.Cut(p[strings.IndexAny(p, "@<")+1:], ";")
	case "READ", "URL":
		p = strings.TrimPrefix(p, "@")
	}
	c := &command{shell: s, name: effect, args: []field{{s: p}}, places: []int{0}, text: p}
	c.first(s.k.table.program("place", effect).rows, &program{})
}

// secret reports whether the file at p, or what is below it, holds credentials: not the
// project's own, nor the public half of a key.
func (s *shell) secret(p string) bool {
	sp, home := s.spot(p), s.k.at.Home
	listed := s.k.table.fits("secret", sp.path, home) || sp.all && s.k.table.fits("secret", sp.path+"/", home)
	return listed && (sp.kind != atInside || strings.Contains(sp.path, "/.ssh/")) && !s.k.table.fits("public", sp.path, home)
}

// fileTaint is what comes of reading a file: credentials, or what was downloaded.
func (s *shell) fileTaint(p string) (t taint) {
	if s.secret(p) {
		t |= fromEnv
	}
	if name := "/" + path.Base(p); s.k.table.fits("own-secret", name, "") && !s.k.table.fits("own-sample", name, "") {
		t |= fromOwn
	}
	return t | s.files[path.Clean(p)].taint&fromNet
}

// unpackedHere stands among the downloaded files for all that came out of an archive.
const unpackedHere = string(unknown)

// downloaded reports whether the line has downloaded the file at p.
func (s *shell) downloaded(p string) bool {
	return s.files[path.Clean(p)].taint&fromNet != 0 || s.files[unpackedHere].taint != 0 && !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "-")
}
