package repo

import (
	"bytes"
	"fmt"
	"go/ast"
	"os"
	"slices"
	"testing"
	"testing/fstest"
)

// A bound limits the size of a package and its central type.
type bound struct {
	dir     string
	lines   int // of the package, without tests
	typ     string
	fields  int
	methods int
}

// bounds lists the limits of packages that used to grow. Code with state of its own
// belongs in a type or a room.
var bounds = []bound{
	{dir: "session", lines: 5000, typ: "Session", fields: 25, methods: 80},
	{dir: "internal/danger", lines: 3000, typ: "shell", fields: 8, methods: 45},
}

// tooLarge returns complaints about the bounded packages that exceed their bounds.
func tooLarge(t *tree, bounds []bound) []string {
	var out []string
	for _, b := range bounds {
		lines, fields, methods := 0, 0, 0
		for _, f := range t.product() {
			if f.dir != b.dir {
				continue
			}
			lines += bytes.Count(f.data, []byte("\n"))
			for _, d := range f.ast.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if ok && fn.Recv != nil && isNamed(fn.Recv.List[0].Type, b.typ) {
					methods++
				}
			}
			if obj := f.ast.Scope.Lookup(b.typ); obj != nil {
				spec, _ := obj.Decl.(*ast.TypeSpec)
				if st, ok := spec.Type.(*ast.StructType); ok {
					for _, field := range st.Fields.List {
						fields += max(1, len(field.Names)) // an embedded field has no name
					}
				}
			}
		}
		for _, m := range []struct {
			what      string
			have, may int
		}{
			{"lines", lines, b.lines},
			{"fields in " + b.typ, fields, b.fields},
			{"methods of " + b.typ, methods, b.methods},
		} {
			if m.have > m.may {
				out = append(out, fmt.Sprintf("%s: %d %s, at most %d: move what has state of its own into a room", b.dir, m.have, m.what, m.may))
			}
		}
	}
	return out
}

// isNamed reports whether a receiver's type is name or a pointer to it.
func isNamed(e ast.Expr, name string) bool {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// TestSizes checks that the packages are within their bounds.
func TestSizes(t *testing.T) {
	tr, err := readTree(os.DirFS(moduleRoot(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range tooLarge(tr, bounds) {
		t.Error(fault)
	}
	for _, b := range bounds {
		if len(tooLarge(tr, []bound{{dir: b.dir, typ: b.typ}})) != 3 {
			t.Errorf("%s has no type %s with fields and methods, so the rule checks nothing", b.dir, b.typ)
		}
	}
}

// TestSizesDetect checks the counts of a package with two files and a test.
func TestSizesDetect(t *testing.T) {
	tr, err := readTree(fstest.MapFS{
		"x/a.go":      {Data: []byte("package x\n\ntype T struct {\n\ta, b int\n\tU\n}\n\ntype U struct{ c int }\n")},
		"x/b.go":      {Data: []byte("package x\n\nfunc (T) A()  {}\nfunc (t *T) B() {}\nfunc (u U) C() {}\nfunc D()       {}\n")},
		"x/b_test.go": {Data: []byte("package x\n\nfunc (T) E() {}\n")},
		"x/y/c.go":    {Data: []byte("package y\n\ntype T struct{ a int }\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	fits := bound{dir: "x", lines: 14, typ: "T", fields: 3, methods: 2}
	if got := tooLarge(tr, []bound{fits}); got != nil {
		t.Errorf("complaints about a package within its bounds: %q", got)
	}
	lines, fields, methods := fits, fits, fits
	lines.lines--
	fields.fields--
	methods.methods--
	want := []string{
		"x: 14 lines, at most 13: move what has state of its own into a room",
		"x: 3 fields in T, at most 2: move what has state of its own into a room",
		"x: 2 methods of T, at most 1: move what has state of its own into a room",
	}
	if got := tooLarge(tr, []bound{lines, fields, methods}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
