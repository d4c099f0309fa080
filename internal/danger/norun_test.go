package danger

import (
	"go/parser"
	gotoken "go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestRunsNothing checks the imports of this package and its tests: none of them can start
// a program.
func TestRunsNothing(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") {
			continue
		}
		seen++
		ast, err := parser.ParseFile(gotoken.NewFileSet(), f.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range ast.Imports {
			path, err := strconv.Unquote(s.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			const own = "github.com/glasstty/glasstty/internal/" // these import only text packages of the standard library
			allowed := []string{"mvdan.cc/sh/v3/syntax", own + "glob", own + "runes"}
			standard := !strings.Contains(path, ".") && path != "os/exec" && path != "syscall" && path != "plugin" && path != "unsafe"
			if !standard && !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", f.Name(), path)
			}
		}
	}
	if seen < 10 {
		t.Errorf("found %d Go files, want at least 10", seen)
	}
}
