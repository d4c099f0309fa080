package repo

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"strings"
)

// gofmt checks that every Go file is formatted with gofmt.
func gofmt(t *tree) []string {
	var out []string
	for _, f := range t.src {
		want, err := format.Source(f.data)
		if err != nil {
			out = append(out, fmt.Sprintf("%s: %v", f.path, err))
		} else if !bytes.Equal(want, f.data) {
			out = append(out, f.path+": not formatted, run gofmt -w")
		}
	}
	return out
}

// The longest allowed file and function, in lines. The house style asks for 400 and 40;
// beyond these limits a split is overdue. Tables may be long: files that are mostly
// composite literals are not counted, nor are tests.
const (
	maxFileLines = 600
	maxFuncLines = 80
)

// length rejects files and functions that are too long.
func length(t *tree) []string {
	var out []string
	for _, f := range t.product() {
		if n := bytes.Count(f.data, []byte("\n")); n > maxFileLines && 2*tableLines(t, f) < n {
			out = append(out, fmt.Sprintf("%s: %d lines, at most %d", f.path, n, maxFileLines))
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := t.fset.Position(fn.End()).Line - t.fset.Position(fn.Pos()).Line + 1
			if n > maxFuncLines {
				out = append(out, t.at(fn.Pos(), "%s has %d lines, at most %d", fn.Name.Name, n, maxFuncLines))
			}
		}
	}
	return out
}

// tableLines counts the lines of a file that declare package-level values.
func tableLines(t *tree, f goFile) int {
	n := 0
	for _, d := range f.ast.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			n += t.fset.Position(g.End()).Line - t.fset.Position(g.Pos()).Line + 1
		}
	}
	return n
}

// packageName rejects names that say nothing about what is inside.
func packageName(t *tree) []string {
	bad := map[string]bool{
		"util": true, "utils": true, "common": true, "helper": true,
		"helpers": true, "types": true, "misc": true, "shared": true,
	}
	var out []string
	for _, f := range t.src {
		if name := strings.TrimSuffix(f.ast.Name.Name, "_test"); bad[name] {
			out = append(out, t.at(f.ast.Name.Pos(), "package %s: name it by what it does", name))
		}
	}
	return out
}
