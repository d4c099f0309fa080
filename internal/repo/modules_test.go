package repo

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// A goMod is the part of a go.mod that the rules need.
type goMod struct {
	path     string // path of the file
	direct   map[string]string
	indirect map[string]string // versions by module
}

// modules checks each go.mod against the imports below it: every imported module is
// required directly, and every direct requirement is imported. A nested module has the
// versions of the root, so that a binary is the same with and without go.work.
// packaging/tools is not in go.work: it has only tools.
func modules(t *tree) []string {
	mods := t.goMods()
	var out []string
	for dir, m := range mods {
		if dir == "packaging/tools" {
			continue
		}
		unused := maps.Clone(m.direct)
		for _, f := range t.src {
			if moduleOf(mods, f.dir) != dir {
				continue
			}
			for _, s := range f.ast.Imports {
				imp := importPath(s)
				if own, ok := strings.CutPrefix(imp, modulePath+"/"); standard(imp) || ok && moduleOf(mods, own) == dir {
					continue
				}
				module := m.provides(imp)
				if module == "" {
					out = append(out, t.at(s.Pos(), "no direct requirement of %s provides %s: run go mod tidy", m.path, imp))
				}
				delete(unused, module)
			}
		}
		for module := range unused {
			out = append(out, fmt.Sprintf("%s: nothing imports %s: run go mod tidy", m.path, module))
		}
		out = append(out, m.differences(mods["."])...)
	}
	return out
}

// standard reports whether an import is of the standard library.
func standard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".")
}

// goMods returns the go.mod files by directory.
func (t *tree) goMods() map[string]*goMod {
	mods := map[string]*goMod{}
	for _, f := range t.text {
		if path.Base(f.path) != "go.mod" {
			continue
		}
		m := &goMod{path: f.path, direct: map[string]string{}, indirect: map[string]string{}}
		for line := range strings.Lines(string(f.data)) {
			fields := strings.Fields(strings.TrimPrefix(line, "require "))
			switch {
			case len(fields) == 2 && strings.HasPrefix(fields[1], "v"):
				m.direct[fields[0]] = fields[1]
			case len(fields) == 4 && fields[3] == "indirect":
				m.indirect[fields[0]] = fields[1]
			}
		}
		mods[path.Dir(f.path)] = m
	}
	return mods
}

// moduleOf returns the directory of the module that a directory belongs to.
func moduleOf(mods map[string]*goMod, dir string) string {
	for dir != "." && mods[dir] == nil {
		dir = path.Dir(dir)
	}
	return dir
}

// provides returns the directly required module that has a package, or "".
func (m *goMod) provides(imp string) string {
	longest := ""
	for module := range m.direct {
		if (imp == module || strings.HasPrefix(imp, module+"/")) && len(module) > len(longest) {
			longest = module
		}
	}
	return longest
}

// differences compares the versions of m with those of the root.
func (m *goMod) differences(root *goMod) []string {
	var out []string
	for _, of := range []map[string]string{m.direct, m.indirect} {
		for module, version := range of {
			for _, want := range []string{root.direct[module], root.indirect[module]} {
				if want != "" && want != version {
					out = append(out, fmt.Sprintf("%s: %s %s, but the root has %s", m.path, module, version, want))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}
