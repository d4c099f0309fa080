package repo

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// noInit rejects init functions: code that runs at import cannot be ordered, given
// arguments or tested.
func noInit(t *tree) []string {
	var out []string
	for _, f := range t.src {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				out = append(out, t.at(fn.Pos(), "init function"))
			}
		}
	}
	return out
}

// lazy rejects regular expressions that are compiled at import: every start of the program
// would pay for them, even glasstty version.
func lazy(t *tree) []string {
	var out []string
	for _, f := range t.product() {
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR || inBench(f.dir) || f.dir == "internal/danger" {
				continue
			}
			ast.Inspect(g, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && (sel.Sel.Name == "MustCompile" || sel.Sel.Name == "MustCompilePOSIX") {
					out = append(out, t.at(sel.Pos(), "an expression that is compiled at import: put it into a sync.OnceValue"))
				}
				_, function := n.(*ast.FuncLit)
				return !function
			})
		}
	}
	return out
}

// noSleep rejects time.Sleep in product code, which should wait for the event or a timer.
// Tests may sleep in a synctest bubble.
func noSleep(t *tree) []string {
	return t.findSelector(func(pkg, name string) string {
		if pkg == "time" && name == "Sleep" {
			return "time.Sleep: wait for what you are waiting for"
		}
		return ""
	}, nil)
}

// stdout keeps standard output for MCP: only commands and benchmarks, which know who reads
// it, may use it.
func stdout(t *tree) []string {
	skip := func(f goFile) bool { return part(f.dir) == "cmd" || inBench(f.dir) }
	return t.findSelector(func(pkg, name string) string {
		if pkg == "os" && name == "Stdout" || pkg == "fmt" && strings.HasPrefix(name, "Print") {
			return pkg + "." + name + ": standard output belongs to MCP"
		}
		return ""
	}, skip)
}

// findSelector calls complain for each pkg.Name in product code where pkg is an import,
// and collects the complaints.
func (t *tree) findSelector(complain func(pkg, name string) string, skip func(goFile) bool) []string {
	var out []string
	for _, f := range t.product() {
		if skip != nil && skip(f) {
			continue
		}
		imported := importedNames(f)
		ast.Inspect(f.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			id, ok := sel.X.(*ast.Ident)
			if ok && id.Obj == nil && imported[id.Name] != "" {
				if c := complain(imported[id.Name], sel.Sel.Name); c != "" {
					out = append(out, t.at(sel.Pos(), "%s", c))
				}
			}
			return true
		})
	}
	return out
}

// importedNames maps the names that a file uses for its imports to their paths.
func importedNames(f goFile) map[string]string {
	names := map[string]string{}
	for _, s := range f.ast.Imports {
		p := importPath(s)
		name := path.Base(p)
		if s.Name != nil {
			name = s.Name.Name
		}
		names[name] = p
	}
	return names
}

// globals rejects package-level variables that the package assigns to. It detects
// assignments by name, through fields, indexes and ++.
func globals(t *tree) []string {
	vars := map[string]map[string]bool{} // directory → names
	for _, f := range t.product() {
		if vars[f.dir] == nil {
			vars[f.dir] = map[string]bool{}
		}
		for _, d := range f.ast.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, s := range g.Specs {
					for _, n := range s.(*ast.ValueSpec).Names {
						vars[f.dir][n.Name] = n.Name != "_"
					}
				}
			}
		}
	}
	var out []string
	for _, f := range t.product() {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			for _, target := range assigned(n) {
				id := rootIdent(target)
				if id != nil && vars[f.dir][id.Name] && packageLevel(f, id) {
					out = append(out, t.at(id.Pos(), "%s is a package-level variable that changes", id.Name))
				}
			}
			return true
		})
	}
	return out
}

// assigned returns the expressions that a statement writes to.
func assigned(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	}
	return nil
}

// rootIdent returns the variable behind x, x.f, x[i] and *x.
func rootIdent(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// packageLevel reports whether id is not a local variable: the parser leaves names of the
// package's other files unresolved, and resolves those of this file to the file's scope.
func packageLevel(f goFile, id *ast.Ident) bool {
	return id.Obj == nil || f.ast.Scope.Lookup(id.Name) == id.Obj
}

// errorFile checks that a package's exported Err values are in errors.go.
func errorFile(t *tree) []string {
	var out []string
	for _, f := range t.product() {
		if path.Base(f.path) == "errors.go" {
			continue
		}
		for name, obj := range f.ast.Scope.Objects {
			if obj.Kind == ast.Var && strings.HasPrefix(name, "Err") && ast.IsExported(name) {
				out = append(out, t.at(obj.Pos(), "%s belongs in errors.go", name))
			}
		}
	}
	return out
}

// errorText rejects errors that begin with "failed to": the context that each caller adds
// already says so.
func errorText(t *tree) []string {
	var out []string
	for _, f := range t.product() {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			s, err := strconv.Unquote(lit.Value)
			if err == nil && strings.HasPrefix(strings.ToLower(s), "failed to ") {
				out = append(out, t.at(lit.Pos(), "name what was tried, not that it failed"))
			}
			return true
		})
	}
	return out
}

// stub rejects functions that are not implemented: a panic that says "not yet", "not
// implemented" or "TODO".
func stub(t *tree) []string {
	var out []string
	for _, f := range t.product() {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			fn, ok := call.Fun.(*ast.Ident)
			lit, isLit := call.Args[0].(*ast.BasicLit)
			if !ok || fn.Name != "panic" || !isLit {
				return true
			}
			s := strings.ToLower(lit.Value)
			if strings.Contains(s, "not yet") || strings.Contains(s, "not implemented") || strings.Contains(s, "todo") {
				out = append(out, t.at(call.Pos(), "a stub"))
			}
			return true
		})
	}
	return out
}
