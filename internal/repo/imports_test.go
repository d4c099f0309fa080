package repo

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// rank orders the parts of the map. A part may import parts of lower rank and its own
// subpackages. Emulator and detect may not import each other.
var rank = map[string]int{
	"cmd":       4,
	"packaging": 4,
	"mcpserver": 3,
	"session":   2,
	"emulator":  1,
	"detect":    1,
	"internal":  0,
}

// subpackages lists which other subpackages each subpackage of session may import, and whether it
// may import package emulator. Session itself imports all of them. A subpackage that is not listed imports
// none, and none imports session.
var subpackages = map[string][]string{
	"archive":  {"eventlog"},
	"child":    {"eventlog", "kernel"},
	"guard":    {"emulator", "input", "kernel", "state"},
	"histfile": {"shellmarks"},
	"input":    {"emulator", "kernel"},
	"keeper":   {"child", "eventlog"},
	"limit":    {"child"},
	"mask":     {"emulator"},
	"queue":    {"control", "eventlog", "guard", "input", "state"},
	"ready":    {"child", "emulator", "eventlog", "input", "kernel", "state", "text"},
	"replay":   {"emulator", "eventlog", "mask", "shellmarks", "state"},
	"reply":    {"child", "emulator", "kernel", "mask", "ready", "selected", "state", "text", "wait"},
	"selected": {"emulator"},
	"state":    {"emulator", "eventlog", "mask", "shellmarks", "text"},
	"text":     {"emulator"},
	"wait":     {"emulator", "ready", "state", "text"},
}

// subpackageAllowed reports whether the package in directory from, which may be a subpackage of
// session, may import the one in directory to. Tests of a subpackage may use other subpackages.
func subpackageAllowed(from, to string) bool {
	subpackage, ok := strings.CutPrefix(from, "session/")
	if !ok {
		return true
	}
	if other, ok := strings.CutPrefix(to, "session/"); ok {
		return slices.Contains(subpackages[subpackage], other)
	}
	return to != "session" && (part(to) != "emulator" || slices.Contains(subpackages[subpackage], "emulator"))
}

// part returns the first element of a path below the module's root: the part of the map
// that the path belongs to. For the root itself it returns "".
func part(dir string) string {
	first, _, _ := strings.Cut(dir, "/")
	if first == "." {
		return ""
	}
	return first
}

// importPath returns the path of an import without its quotes.
func importPath(s *ast.ImportSpec) string {
	p, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		panic(err) // the parser has accepted it
	}
	return p
}

// arrows keeps the imports in the map's direction:
//
//	cmd → mcpserver → session → emulator
//	                          → detect
//
// and internal free of opinions about terminals. internal/bench, a module of its
// own, measures and drives everything, and nobody may import it.
func arrows(t *tree) []string {
	var out []string
	for _, f := range t.src {
		if _, ok := rank[part(f.dir)]; !ok {
			out = append(out, fmt.Sprintf("%s: %q is not on the map", f.path, part(f.dir)))
			continue
		}
		for _, s := range f.ast.Imports {
			dir, ok := strings.CutPrefix(importPath(s), modulePath+"/")
			if ok && !(arrowAllowed(f.dir, dir) && (f.test || subpackageAllowed(f.dir, dir))) {
				out = append(out, t.at(s.Pos(), "%s may not import %s", f.dir, dir))
			}
		}
	}
	return out
}

// arrowAllowed reports whether a package in directory from may import the one
// in directory to.
func arrowAllowed(from, to string) bool {
	fromBench, toBench := inBench(from), inBench(to)
	switch {
	case toBench:
		return fromBench
	case fromBench:
		return true
	case part(from) == part(to):
		return true
	}
	return rank[part(to)] < rank[part(from)]
}

// inBench reports whether dir is internal/bench or one of its subpackages.
func inBench(dir string) bool {
	return dir == "internal/bench" || strings.HasPrefix(dir, "internal/bench/")
}

// outsideLimit is the number of product files that may import an outside module, so that
// it can be replaced. Benchmarks use the modules directly and do not count.
var outsideLimit = map[string]int{
	"github.com/hinshun/vt10x":            1,
	"github.com/charmbracelet/x/ansi":     4,
	"github.com/creack/pty":               2, // one for each system
	"github.com/google/renameio/v2":       4, // clients' settings, logs, known browsers, and -o
	"github.com/tailscale/hujson":         1,
	"github.com/pelletier/go-toml":        2, // clients' settings, and ours
	"go.yaml.in/yaml":                     1,
	"github.com/coder/websocket":          1,
	"github.com/landlock-lsm/go-landlock": 1,
	"mvdan.cc/sh/v3":                      4, // words, tree, parser, evaluation
}

// outside checks that few files import each outside module.
func outside(t *tree) []string {
	users := map[string][]string{}
	for _, f := range t.product() {
		if inBench(f.dir) {
			continue
		}
		for _, s := range f.ast.Imports {
			if m := limitedModule(importPath(s)); m != "" && !slices.Contains(users[m], f.path) {
				users[m] = append(users[m], f.path)
			}
		}
	}
	var out []string
	for m, files := range users {
		if len(files) > outsideLimit[m] {
			out = append(out, fmt.Sprintf("%s is imported in %d files, at most %d: %s",
				m, len(files), outsideLimit[m], strings.Join(files, " ")))
		}
	}
	return out
}

// limitedModule returns the module of outsideLimit that an import belongs to.
func limitedModule(imp string) string {
	for m := range outsideLimit {
		if imp == m || strings.HasPrefix(imp, m+"/") {
			return m
		}
	}
	return ""
}
