package danger

import (
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A shell reads commands as a shell would, and runs none. It follows cd and the
// variables that the line sets.
type shell struct {
	k        *check
	dir      string // working directory, "" when unknown
	old      string // the one before
	vars     map[string][]field
	aliases  map[string]string
	fetched  map[string]bool   // files that the line has downloaded
	written  map[string]string // what the line has written into files
	calls    []string          // functions being declared
	captured bool              // what is printed goes into a pipe, a file or a variable
	reading  stream            // what the command at hand reads: tee gives it to >(cmd)
}

// newShell returns a shell in the check's place.
func newShell(k *check) *shell {
	return &shell{k: k, dir: k.at.Dir, vars: map[string][]field{}, aliases: map[string]string{}, fetched: map[string]bool{}, written: map[string]string{}}
}

// fork returns a copy, as a subshell has it.
func (s *shell) fork() *shell {
	c := *s
	c.vars = maps.Clone(s.vars)
	return &c
}

// source reads a text of any length.
func (s *shell) source(text string) stream {
	text, marks := s.k.takeBodies(text)
	var out stream
	for piece := range pieces(text) {
		out = s.piece(piece)
	}
	s.leftBodies(marks)
	return out
}

// piece reads a text that is short enough to be parsed.
func (s *shell) piece(text string) stream {
	if !strings.Contains(text, "\n") && !strings.ContainsAny(text, " \t;&|()`$'\"\\{}<>=") {
		return s.run([]field{{s: text}}, stream{tty: true}) // one word, as most keys
	}
	file, err := s.k.parse(text)
	if err != nil {
		return s.loose(text)
	}
	var out stream
	for _, st := range file.Stmts {
		out = join(out, s.stmt(st, stream{tty: true}))
	}
	return out
}

// subst reads what stands in a command substitution.
func (s *shell) subst(stmts []*syntax.Stmt) stream {
	inner := s.fork()
	inner.captured = true
	return inner.block(stmts, stream{tty: true})
}

// block reads statements one after the other.
func (s *shell) block(stmts []*syntax.Stmt, in stream) stream {
	out := stream{known: true}
	for _, st := range stmts {
		out = join(out, s.stmt(st, in))
	}
	return out
}

// join is the output of two commands that run one after the other.
func join(a, b stream) stream {
	if len(a.text)+len(b.text) > maxValue {
		a.known = false
	}
	out := stream{known: a.known && b.known, taint: a.taint | b.taint, items: append(a.items[:len(a.items):len(a.items)], b.items...)}
	if out.known {
		out.text = a.text + b.text
	}
	if len(out.items) > maxBraces {
		out.items = out.items[:maxBraces]
	}
	return out
}

// stmt reads one statement.
func (s *shell) stmt(st *syntax.Stmt, in stream) stream {
	if st == nil || !s.k.step() {
		return stream{}
	}
	if st.Background {
		s = s.fork()
	}
	hidden := false
	call, simple := st.Cmd.(*syntax.CallExpr)
	for _, r := range st.Redirs {
		if at := r.Word.Lit(); r.Op == syntax.RdrInOut && strings.HasPrefix(at, "/dev/tcp/") && simple && len(call.Args) > 0 && shells[base(call.Args[0].Lit())] {
			s.k.add("remote", at, "connects a shell to the network")
		}
		var wrote bool
		in, wrote = s.redirect(r, in)
		hidden = hidden || wrote
	}
	before := s.captured
	s.captured = before || hidden
	out := s.command(st.Cmd, in)
	s.captured = before
	s.wrote(s.targets(st.Redirs), out)
	if hidden {
		return stream{known: true}
	}
	return out
}

// targets returns the files that the standard output goes to.
func (s *shell) targets(redirs []*syntax.Redirect) (files []target) {
	for _, r := range redirs {
		more := r.Op == syntax.AppOut || r.Op == syntax.AppAll
		if !more && r.Op != syntax.RdrOut && r.Op != syntax.RdrAll && r.Op != syntax.RdrClob || r.N != nil && r.N.Value != "1" {
			continue
		}
		for _, f := range s.fields(r.Word) {
			files = append(files, target{f.s, more})
		}
	}
	return files
}

// redirect reads a redirection. It returns what the command reads, and whether
// its output goes to a file.
func (s *shell) redirect(r *syntax.Redirect, in stream) (stream, bool) {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		text := s.k.bodyOf(s.one(r.Hdoc).s)
		return stream{text: text, known: !strings.ContainsRune(text, unknown)}, false
	case syntax.WordHdoc:
		body := s.one(r.Word)
		in = stream{text: body.s, known: !strings.ContainsRune(body.s, unknown)}
		if body.src != nil {
			in.taint = body.src.taint
		}
		return in, false
	}
	for _, f := range s.fields(r.Word) {
		switch r.Op {
		case syntax.RdrIn:
			if f.src != nil {
				return *f.src, false
			}
			s.readsFile(f.s, "")
			if strings.HasPrefix(f.s, "/dev/tcp/") || strings.HasPrefix(f.s, "/dev/udp/") {
				return stream{taint: fromNet}, false
			}
			return stream{taint: s.fileTaint(f.s)}, false
		case syntax.DplOut, syntax.DplIn:
			if strings.HasPrefix(f.s, "/dev/tcp/") || strings.HasPrefix(f.s, "/dev/udp/") {
				s.k.add("remote", f.s, "connects a shell to the network")
			}
			if isNumber(f.s) || f.s == "-" {
				continue
			}
			s.writes(f.s, false)
		case syntax.AppOut, syntax.AppAll:
			s.writes(f.s, true)
			return in, true
		default:
			s.writes(f.s, false)
			return in, r.N == nil || r.N.Value == "1"
		}
	}
	return in, false
}

// isNumber reports whether text is digits.
func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// command reads a command of any kind.
func (s *shell) command(cmd syntax.Command, in stream) stream {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		return s.call(c, in)
	case *syntax.BinaryCmd:
		return s.binary(c, in)
	case *syntax.Block:
		return s.block(c.Stmts, in)
	case *syntax.Subshell:
		return s.fork().block(c.Stmts, in)
	case *syntax.IfClause:
		var out stream
		for ; c != nil; c = c.Else {
			s.block(c.Cond, in)
			out = join(out, s.block(c.Then, in))
		}
		return out
	case *syntax.WhileClause:
		if len(c.Do) > 0 {
			s.forever(c)
		}
		s.block(c.Cond, in)
		return s.block(c.Do, in)
	case *syntax.ForClause:
		return s.loop(c, in)
	case *syntax.CaseClause:
		s.one(c.Word)
		var out stream
		for _, item := range c.Items {
			out = join(out, s.block(item.Stmts, in))
		}
		return out
	case *syntax.FuncDecl:
		s.function(c)
	case *syntax.DeclClause:
		s.declare(c.Args)
	case *syntax.TimeClause:
		return s.stmt(c.Stmt, in)
	case *syntax.CoprocClause:
		return s.stmt(c.Stmt, in)
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		s.nested(cmd)
	}
	return stream{}
}

// binary reads a pipe or a list.
func (s *shell) binary(c *syntax.BinaryCmd, in stream) stream {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		left := s.fork()
		left.captured = true
		out := left.stmt(c.X, in)
		out.tty = false
		return s.fork().stmt(c.Y, out)
	}
	return join(s.stmt(c.X, in), s.stmt(c.Y, in))
}

// maxLoop is how many values of a loop are tried.
const maxLoop = 16

// loop reads the body of a for loop once for each value, as far as they are known.
func (s *shell) loop(c *syntax.ForClause, in stream) stream {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		s.nested(c.Loop)
		return s.block(c.Do, in)
	}
	var values []field
	for _, w := range iter.Items {
		values = append(values, s.fields(w)...)
	}
	if len(values) == 0 {
		values = []field{{s: string(unknown)}}
	}
	if len(values) > maxLoop {
		values = append(values[:maxLoop-1:maxLoop-1], field{s: string(unknown)})
	}
	var out stream
	for _, v := range values {
		s.vars[iter.Name.Value] = []field{v}
		out = join(out, s.block(c.Do, in))
	}
	return out
}

// function reads the body of a function as if it were called, and tells a
// function that calls itself twice at once: a fork bomb.
func (s *shell) function(c *syntax.FuncDecl) {
	name := ""
	if c.Name != nil {
		name = c.Name.Value
	}
	if bombs(c.Body, name) {
		s.k.add("bomb", name+"(){ … }", "starts itself again and again until the machine stands still (a fork bomb)")
	}
	if len(s.calls) < maxNest {
		s.calls = append(s.calls, name)
		s.fork().stmt(c.Body, stream{})
		s.calls = s.calls[:len(s.calls)-1]
	}
}

// bombs reports whether the body of function name pipes itself into itself, or
// starts itself in the background.
func bombs(body *syntax.Stmt, name string) bool {
	own := func(st *syntax.Stmt) bool {
		call, ok := st.Cmd.(*syntax.CallExpr)
		return ok && len(call.Args) > 0 && call.Args[0].Lit() == name
	}
	found := false
	syntax.Walk(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			found = found || own(n.X) && own(n.Y)
		case *syntax.Stmt:
			found = found || n.Background && own(n)
		}
		return !found
	})
	return found && name != ""
}

// forever tells a loop without end that starts something in the background at
// each turn.
func (s *shell) forever(c *syntax.WhileClause) {
	if len(c.Cond) != 1 || c.Until {
		return
	}
	call, ok := c.Cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 1 || call.Args[0].Lit() != "true" && call.Args[0].Lit() != ":" {
		return
	}
	for _, st := range c.Do {
		inner, ok := st.Cmd.(*syntax.CallExpr)
		if st.Background && ok && len(inner.Args) > 0 && (strings.HasPrefix(inner.Args[0].Lit(), "$") || shells[base(inner.Args[0].Lit())]) {
			s.k.add("bomb", "while true; do … &", "starts processes without end")
		}
	}
}

// declare reads assignments that stay.
func (s *shell) declare(assigns []*syntax.Assign) {
	for _, a := range assigns {
		if a.Name == nil {
			s.one(a.Value)
			continue
		}
		s.assign(a)
	}
}

// assign reads one assignment.
func (s *shell) assign(a *syntax.Assign) {
	name := a.Name.Value
	var val []field
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			val = append(val, s.fields(e.Value)...)
		}
	} else if a.Value != nil {
		val = []field{s.one(a.Value)}
	} else if a.Naked {
		return
	} else {
		val = []field{{}}
	}
	if old, ok := s.vars[name]; a.Append && ok && len(old) == 1 && len(val) == 1 {
		val = []field{{s: old[0].s + val[0].s, src: val[0].src}}
	}
	if len(val) > 0 && len(val[0].s) > maxValue {
		val = []field{{s: string(unknown)}}
	}
	s.vars[name] = val
	s.assigned(name, val)
}

// call reads a simple command.
func (s *shell) call(c *syntax.CallExpr, in stream) stream {
	if len(c.Args) == 0 {
		s.declare(c.Assigns)
		return stream{known: true}
	}
	inner := s
	if len(c.Assigns) > 0 {
		// They hold for the command, not for the words of this line.
		own := s.fork()
		own.declare(c.Assigns)
	}
	s.recalls(c)
	s.reading = in
	s.printsVariables(c)
	var args []field
	for _, w := range c.Args {
		args = append(args, inner.fields(w)...)
		if len(args) > maxArgs {
			break
		}
	}
	if len(args) > 0 {
		if text, ok := s.aliases[args[0].s]; ok {
			s.k.inside(Shell, text+" "+joined(args[1:]))
		}
	}
	return s.run(args, in)
}

// maxArgs is how many words of one command are looked at.
const maxArgs = 10_000

// joined returns words with blanks between them.
func joined(args []field) string {
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(a.s)
	}
	return b.String()
}
