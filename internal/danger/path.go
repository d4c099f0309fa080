package danger

import (
	"path"
	"strings"
)

// A where is what kind of place a path names.
type where int

// The kinds of places.
const (
	atInside  where = iota // below the working tree
	atMade                 // made by this line, with mktemp
	atTree                 // the working tree itself, all of it, or its .git
	atTemp                 // below a directory for temporary files
	atHome                 // a file in the home directory
	atDotfile              // a dotfile there
	atHomeAll              // the home directory itself, or all of it
	atOther                // elsewhere
	atSystem               // the system's own, or the root
	atDevice               // a disk or its like
	atNowhere              // /dev/null and the like: harmless to write to
	atCache                // a cache in the home directory, which its program fills again
	atUnknown              // cannot be told
)

// made begins the paths that mktemp returns.
const made = "/tmp/mktemp." + string(unknown)

// systemDirs are the directories at the top that belong to the system.
var systemDirs = map[string]bool{
	"bin": true, "boot": true, "dev": true, "etc": true, "lib": true, "lib32": true, "lib64": true, "libx32": true,
	"proc": true, "run": true, "sbin": true, "sys": true, "usr": true, "var": true, "System": true, "Library": true,
	"Applications": true, "private": true, "snap": true, "nix": true,
}

// harmlessDevices can be written to.
var harmlessDevices = map[string]bool{
	"null": true, "tty": true, "stdout": true, "stderr": true, "stdin": true, "zero": true, "full": true,
	"random": true, "urandom": true, "console": true, "ptmx": true,
}

// A spot is a path that has been looked at.
type spot struct {
	kind where
	path string // absolute, cleaned, unknown parts and patterns included
	all  bool   // everything in path rather than path itself: a pattern like *
}

// spot tells what kind of place p names, seen from the shell's directory.
func (s *shell) spot(p string) spot {
	if p == "" {
		return spot{kind: atUnknown}
	}
	if strings.HasPrefix(p, made) {
		return spot{kind: atMade, path: p}
	}
	if p[0] == unknown {
		return spot{kind: atUnknown, path: p}
	}
	relative := !strings.HasPrefix(p, "/")
	if relative && s.dir == "" {
		return s.spotNowhere(p)
	}
	abs := p
	if relative {
		abs = s.dir + "/" + p
	}
	if strings.HasPrefix(abs, made) {
		return spot{kind: atMade, path: abs}
	}
	if at := strings.IndexByte(abs, unknown); at >= 0 {
		abs = abs[:strings.LastIndexByte(abs[:at], '/')+1] + string(unknown)
	}
	abs = path.Clean(abs)
	dir, last := path.Split(abs)
	if everything(last) {
		sp := s.kind(path.Clean(dir), relative, true)
		sp.all = true
		return sp
	}
	return s.kind(abs, relative, false)
}

// spotNowhere is spot for a relative path in an unknown directory.
func (s *shell) spotNowhere(p string) spot {
	clean := path.Clean(p)
	if clean == "." || strings.HasPrefix(clean, "..") || everything(clean) {
		return spot{kind: atUnknown, path: p}
	}
	return spot{kind: atInside, path: p}
}

// everything reports whether a path's last element is a pattern that matches
// all, or nearly all.
func everything(elem string) bool {
	return strings.ContainsAny(elem, "*?[") && !strings.ContainsFunc(elem, func(r rune) bool {
		return r == unknown || r == '_' || r == '-' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
	})
}

// kind tells what kind of place the cleaned absolute path abs is. relative says
// that it was given from the working directory; all that everything in it is meant.
func (s *shell) kind(abs string, relative, all bool) spot {
	sp := spot{path: abs}
	tree, home := s.k.at.Dir, s.k.at.Home
	first, rest, _ := strings.Cut(strings.TrimPrefix(abs, "/"), "/")
	switch {
	case first == "dev":
		sp.kind = device(rest)
	case treeOwned(tree, home) && abs == tree, treeOwned(tree, home) && abs == path.Join(tree, ".git"):
		sp.kind = atTree
	case treeOwned(tree, home) && strings.HasPrefix(abs, tree+"/"):
		sp.kind = atInside
	case treeOwned(tree, home) && strings.HasPrefix(tree+"/", abs+"/"):
		sp.kind = atOther
		if first == "" || systemDirs[first] {
			sp.kind = atSystem
		}
		if abs == home {
			sp.kind = atHomeAll
		}
	case abs == home || home != "" && abs == home+"/"+string(unknown):
		sp.kind = atHomeAll
	case home != "" && strings.HasPrefix(abs, home+"/") && cached(abs[len(home)+1:]):
		sp.kind = atCache
	case home != "" && strings.HasPrefix(abs, home+"/."):
		sp.kind = atDotfile
	case home != "" && strings.HasPrefix(abs, home+"/"):
		sp.kind = atHome
		if relative && tree == home && !all && !homeDirs[strings.TrimPrefix(abs, home+"/")] {
			sp.kind = atInside
		}
	case first == "tmp" || strings.HasPrefix(abs, "/var/tmp/") || strings.HasPrefix(abs, "/dev/shm/") || strings.HasPrefix(abs, "/private/tmp/"):
		sp.kind = atTemp
	case first == "" || first == string(unknown) || systemDirs[first]:
		sp.kind = atSystem
	default:
		sp.kind = atOther
	}
	return sp
}

// caches are directories in the home directory whose contents programs fetch or make
// again, behind which a name must stand.
var caches = []string{
	".cache/", "Library/Caches/", "Library/Developer/Xcode/DerivedData", ".npm/_cacache", ".npm/_npx", ".npm/_logs", ".gradle/caches", ".gradle/daemon", ".m2/repository", ".cargo/registry", ".cargo/git",
	".nuget/packages", "go/pkg/mod", ".ccache", ".sccache", ".pnpm-store", ".local/share/pnpm/store", ".yarn/cache", ".yarn/berry/cache", ".bundle/cache", ".composer/cache", ".pub-cache", ".ivy2/cache", ".sbt/boot",
	".cocoapods/repos", ".terraform.d/plugin-cache", ".electron-gyp", ".node-gyp", ".expo/cache", ".android/cache", ".kube/cache", ".kube/http-cache", ".conda/pkgs", ".deno/gen", ".bun/install/cache", ".stack/snapshots", ".local/state/nvim/swap",
}

// cached reports whether a path below the home directory is a cache.
func cached(rest string) bool {
	for _, c := range caches {
		if strings.HasPrefix(rest, c) && (!strings.HasSuffix(c, "/") || len(rest) > len(c)) && !strings.ContainsRune(rest, unknown) {
			return true
		}
	}
	return false
}

// homeDirs are what a home directory holds that is no project.
var homeDirs = map[string]bool{
	"Documents": true, "Desktop": true, "Pictures": true, "Downloads": true, "Music": true, "Videos": true, "Library": true, "work": true, "src": true,
}

// treeOwned reports whether a working directory is a tree of the agent's own,
// rather than the home directory or the system's.
func treeOwned(tree, home string) bool {
	if tree == "" || tree == "/" || tree == home || home != "" && strings.HasPrefix(home, tree+"/") {
		return false
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(tree, "/"), "/")
	switch {
	case first == "var", first == "run", first == "private":
		return strings.Contains(rest, "/") // /var/www/app, /var/folders/…
	case first == "usr":
		return strings.HasPrefix(rest, "src/") || strings.HasPrefix(rest, "local/src/")
	case first == "tmp", first == "opt", first == "srv", first == "mnt", first == "home", first == "Users":
		return rest != ""
	}
	return !systemDirs[first]
}

// device tells what a path below /dev is.
func device(name string) where {
	top, _, _ := strings.Cut(name, "/")
	switch {
	case name == "" || everything(name):
		return atSystem
	case harmlessDevices[name], top == "fd", top == "pts", strings.HasPrefix(name, "tty"):
		return atNowhere
	case top == "shm":
		return atTemp
	case top == "tcp", top == "udp":
		return atNowhere
	}
	return atDevice
}
