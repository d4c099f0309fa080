package repo

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// packageDoc checks that each package has one package comment in the form that godoc
// shows: "Package name …", or "Command name …" for a command. Packages that have only
// tests need none.
func packageDoc(t *tree) []string {
	docs, files := map[string][]goFile{}, map[string]goFile{}
	for _, f := range t.product() {
		if _, ok := files[f.dir]; !ok {
			files[f.dir] = f
		}
		if f.ast.Doc != nil {
			docs[f.dir] = append(docs[f.dir], f)
		}
	}
	var out []string
	for dir, f := range files {
		switch d := docs[dir]; {
		case len(d) == 0:
			out = append(out, f.path+": the package has no doc comment")
		case len(d) > 1:
			out = append(out, d[1].path+": the package has a second doc comment")
		case !goodPackageDoc(d[0]):
			out = append(out, d[0].path+": the doc comment does not begin with Package or Command and the name")
		}
	}
	return out
}

// goodPackageDoc reports whether a package comment begins as godoc expects.
func goodPackageDoc(f goFile) bool {
	text := f.ast.Doc.Text()
	if f.ast.Name.Name == "main" {
		return strings.HasPrefix(text, "Command ")
	}
	return strings.HasPrefix(text, "Package "+f.ast.Name.Name+" ")
}

// exportedDoc checks that everything exported has a comment. A function's or type's
// comment begins with its name. A const or var may share the comment of its group.
func exportedDoc(t *tree) []string {
	var out []string
	for _, f := range t.product() {
		if f.ast.Name.Name == "main" {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) {
					out = append(out, t.wantDoc(d.Name, d.Doc)...)
				}
			case *ast.GenDecl:
				out = append(out, t.wantGroupDoc(d)...)
			}
		}
	}
	return out
}

// exportedReceiver reports whether d is a function, or a method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// wantDoc checks that doc begins with the name, optionally after an article.
func (t *tree) wantDoc(name *ast.Ident, doc *ast.CommentGroup) []string {
	if doc == nil {
		return []string{t.at(name.Pos(), "%s has no doc comment", name.Name)}
	}
	words := strings.Fields(doc.Text())
	if len(words) > 1 && slices.Contains([]string{"A", "An", "The"}, words[0]) {
		words = words[1:]
	}
	if len(words) == 0 || strings.TrimRight(words[0], ".,:;") != name.Name {
		return []string{t.at(name.Pos(), "the doc comment of %s does not begin with its name", name.Name)}
	}
	return nil
}

// wantGroupDoc checks a type, const or var declaration.
func (t *tree) wantGroupDoc(d *ast.GenDecl) []string {
	var out []string
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			doc := s.Doc
			if doc == nil && d.Lparen == token.NoPos {
				doc = d.Doc
			}
			if s.Name.IsExported() {
				out = append(out, t.wantDoc(s.Name, doc)...)
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					out = append(out, t.at(n.Pos(), "%s has no doc comment", n.Name))
				}
			}
		}
	}
	return out
}
