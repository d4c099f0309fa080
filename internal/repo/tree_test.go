package repo

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modulePath is the import path of this module.
const modulePath = "github.com/glasstty/glasstty"

// A tree is the repository in the form that the rules use.
type tree struct {
	fset *token.FileSet
	src  []goFile
	text []textFile // Go files included
	dirs map[string]bool
}

// A goFile is one parsed Go file.
type goFile struct {
	path string // slash-separated, from the repository's root
	dir  string
	data []byte
	ast  *ast.File
	test bool
}

// A textFile is any file that people read or edit.
type textFile struct {
	path string
	data []byte
}

// readTree reads and parses the files below root. It skips directories that the go command
// ignores (testdata, and names that begin with "." or "_"), except .ci and .github.
func readTree(root fs.FS) (*tree, error) {
	t := &tree{fset: token.NewFileSet(), dirs: map[string]bool{}}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipDir(name) {
				return fs.SkipDir
			}
			t.dirs[name] = true
			return nil
		}
		if !isText(name) {
			return nil
		}
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		return t.add(name, data)
	})
	return t, err
}

// add adds one file to the tree.
func (t *tree) add(name string, data []byte) error {
	t.text = append(t.text, textFile{name, data})
	if path.Ext(name) != ".go" {
		return nil
	}
	f, err := parser.ParseFile(t.fset, name, data, parser.ParseComments)
	if err != nil {
		return fmt.Errorf("parse: %w", err)
	}
	t.src = append(t.src, goFile{
		path: name,
		dir:  path.Dir(name),
		data: data,
		ast:  f,
		test: strings.HasSuffix(name, "_test.go"),
	})
	return nil
}

// skipDir reports whether the rules skip a directory.
func skipDir(name string) bool {
	base := path.Base(name)
	if name == "." || name == ".ci" || name == ".github" {
		return false
	}
	return base == "testdata" || base == "node_modules" || base == "dist" ||
		strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
}

// isText reports whether name is a file that people read or edit.
func isText(name string) bool {
	switch path.Ext(name) {
	case ".go", ".md", ".mod", ".sh", ".yml", ".yaml", ".txt", ".js", ".html", ".css", ".py":
		return true
	}
	return strings.HasPrefix(name, ".ci/") || name == "LICENSE" || name == "Dockerfile"
}

// product returns the Go files that are not tests.
func (t *tree) product() []goFile {
	return slices.DeleteFunc(slices.Clone(t.src), func(f goFile) bool { return f.test })
}

// at returns "file:line: " and the message, the format that editors recognize.
func (t *tree) at(p token.Pos, format string, args ...any) string {
	pos := t.fset.Position(p)
	return fmt.Sprintf("%s:%d: ", pos.Filename, pos.Line) + fmt.Sprintf(format, args...)
}

// moduleRoot returns the directory of go.mod, searched upwards from here.
func moduleRoot(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			tb.Fatal("no go.mod above the test's directory")
		}
		dir = up
	}
}
