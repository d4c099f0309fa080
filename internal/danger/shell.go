package danger

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits on reading a line as a shell.
const (
	maxLoop    = 16       // values of a loop, directories of find or ls, and words for xargs that are read
	maxArgs    = 10_000   // words of one command that are read
	maxDir     = 4096     // bytes of the working directory, as in Linux (PATH_MAX)
	maxWritten = 1000     // files written by a line whose contents are remembered
	maxValue   = 16 << 10 // bytes of the value of a variable, and of a known output
)

// A shell interprets commands as a shell would, without running any. It follows cd and the
// variables that the line sets.
type shell struct {
	check    *check
	dir      string             // working directory; "" if unknown
	vars     map[string][]field // values of variables by name, and aliases (see aliasPrefix)
	files    map[string]stream  // contents of the files that the line has written or downloaded, by clean path
	captured bool               // output goes to a pipe, a file or a variable
	printing bool               // the current words are arguments of an echo whose output is shown
}

// newShell returns a shell at the check's Place.
func newShell(k *check) *shell {
	return &shell{check: k, dir: k.place.Dir, vars: map[string][]field{}, files: map[string]stream{}}
}

// fork returns a copy for a subshell. The copy shares the files.
func (s *shell) fork() *shell {
	c := *s
	c.vars = maps.Clone(s.vars)
	return &c
}

// readText judges text of any length piece by piece (see pieceEnd), and returns the output of the last piece.
func (s *shell) readText(text string) (out stream) {
	text = s.check.takeBodies(text)
	for text != "" {
		end := pieceEnd(text)
		piece := text[:end]
		if !strings.ContainsAny(piece, " \t\n;&|()`$'\"\\{}<>=") { // one word, like most input; parse removes unknown
			out = s.run([]field{{text: piece}}, stream{tty: true})
		} else if file := parse(piece); file != nil {
			out = s.block(file.Stmts, stream{tty: true})
		} else {
			s.judgeUnparsed(piece)
			out = stream{}
		}
		text = text[end:]
	}
	return out
}

// eval reads text that the shell itself runs, in its directory and with its variables.
func (s *shell) eval(text string) (out stream) {
	s.check.nested(text, func() { out = s.readText(text) })
	return out
}

// substitution reads the statements in a command or process substitution, and returns their output.
func (s *shell) substitution(stmts []*syntax.Stmt) stream {
	inner := s.fork()
	inner.captured = true
	return inner.block(stmts, stream{tty: true})
}

// block reads statements one after the other, and returns their output.
func (s *shell) block(stmts []*syntax.Stmt, in stream) stream {
	out := stream{known: true}
	for _, st := range stmts {
		out = out.followedBy(s.stmt(st, in))
	}
	return out
}

func (s *shell) stmt(st *syntax.Stmt, in stream) stream {
	if st == nil || !s.check.withinBudget() {
		return stream{}
	}
	var files []string // files to which the output is redirected
	before := s.captured
	for _, r := range st.Redirs {
		var to string
		if in, to = s.redirect(r, in); to != "" {
			s.captured, files = true, append(files, to)
		}
	}
	out := s.command(st.Cmd, in)
	s.captured = before
	for _, p := range files {
		s.recordWrite(p, out)
	}
	if len(files) > 0 {
		return stream{known: true}
	}
	return out
}

// redirect reads a redirection. It returns the command's input, which is in unless it is redirected,
// and the file to which the standard output is redirected, or "".
func (s *shell) redirect(r *syntax.Redirect, in stream) (stream, string) {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return textStream(s.check.bodyOf(s.expandWord(r.Hdoc).text), nil), ""
	case syntax.WordHdoc:
		body := s.expandWord(r.Word)
		return textStream(body.text, body.origin), ""
	}
	f := s.expandWord(r.Word)
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut:
		s.judgePath("READ", f.text)
		if f.origin != nil {
			return *f.origin, ""
		}
		in = s.files[path.Clean(f.text)]
		in.taint |= s.fileTaint(f.text)
		return in, ""
	case syntax.DplOut, syntax.DplIn:
		if isNumber(f.text) || f.text == "-" {
			return in, ""
		}
		s.judgePath("JOIN", f.text)
	}
	if s.judgePath("WRITE", f.text); r.N != nil && r.N.Value != "1" {
		return in, ""
	}
	return in, f.text
}

// isNumber reports whether text consists of digits.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// command reads a command of any kind, and returns its output.
func (s *shell) command(cmd syntax.Command, in stream) (out stream) {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		return s.call(c, in)
	case *syntax.BinaryCmd:
		if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
			return s.stmt(c.X, in).followedBy(s.stmt(c.Y, in))
		}
		left := s.fork()
		left.captured = true
		out = left.stmt(c.X, in)
		out.tty = false
		return s.fork().stmt(c.Y, out)
	case *syntax.Subshell:
		return s.fork().block(c.Stmts, in)
	case *syntax.ForClause:
		if iter, ok := c.Loop.(*syntax.WordIter); ok {
			return s.loop(c, iter, in)
		}
	case *syntax.DeclClause:
		changed := false // one of the options -i, -l, -n and -u makes the values unknown
		for _, a := range c.Args {
			if s.assign(a); a.Naked && a.Value != nil {
				changed = changed || strings.HasPrefix(a.Value.Lit(), "-") && strings.ContainsAny(a.Value.Lit(), "ilnu")
			} else if changed && a.Name != nil {
				s.vars[a.Name.Value] = []field{{text: string(unknown)}}
			}
		}
		return stream{}
	}
	if cmd == nil {
		return stream{}
	}
	return s.readNested(cmd, in)
}

// loop reads the body of a for loop once for each value. Of more than maxLoop values, it uses the
// first maxLoop-1, and an unknown value for the rest. If there is no value, it uses an unknown one.
func (s *shell) loop(c *syntax.ForClause, iter *syntax.WordIter, in stream) stream {
	var values []field
	for _, w := range iter.Items {
		values = append(values, s.expand(w)...)
	}
	if len(values) == 0 || len(values) > maxLoop {
		values = append(values[:min(len(values), maxLoop-1)], field{text: string(unknown)})
	}
	var out stream
	for _, v := range values {
		s.vars[iter.Name.Value] = []field{v}
		out = out.followedBy(s.block(c.Do, in))
	}
	return out
}

func (s *shell) assign(a *syntax.Assign) {
	if a.Naked || a.Name == nil {
		s.expandWord(a.Value) // such as $x in export $x
		return
	}
	name, val := a.Name.Value, []field{s.expandWord(a.Value)}
	if a.Array != nil {
		val = nil
		for _, e := range a.Array.Elems {
			val = append(val, s.expand(e.Value)...)
		}
	}
	switch old := s.vars[name]; {
	case !a.Append:
	case a.Array != nil && len(old)+len(val) <= maxWords:
		val = append(slices.Clip(old), val...)
	case len(old) == 1 && len(val) == 1:
		val[0].text = old[0].text + val[0].text
	}
	if len(val) > 0 && len(val[0].text) > maxValue {
		val = []field{{text: string(unknown)}}
	}
	s.vars[name] = val
	if len(val) > 0 {
		s.judgeText("variable", name+"="+val[0].text)
	}
}

func (s *shell) call(c *syntax.CallExpr, in stream) stream {
	own := s
	if len(c.Args) > 0 && len(c.Assigns) > 0 {
		own = s.fork() // the shell expands the words of the command without these assignments
	}
	for _, a := range c.Assigns {
		own.assign(a)
	}
	if len(c.Args) == 0 {
		return stream{known: true}
	}
	s.printing = !s.captured && slices.Contains([]string{"echo", "printf", "print"}, c.Args[0].Lit())
	defer func() { s.printing = false }()
	var args []field
	for _, w := range c.Args {
		if args = append(args, s.expand(w)...); len(args) > maxArgs {
			s.check.add("unreadable", joinWords(args[:1]), fmt.Sprintf("has more than %d words", maxArgs))
			break
		}
	}
	return s.run(args, in)
}

// recordWrite records out as written to the file at p, which the line may run later.
func (s *shell) recordWrite(p string, out stream) {
	p = path.Clean(p)
	if old, ok := s.files[p]; ok {
		out = old.followedBy(out) // the output may be appended
	} else if len(s.files) >= maxWritten && out.text != "" {
		s.check.add("unreadable", p, fmt.Sprintf("follows %d other files that the line writes", maxWritten))
		out.text = ""
	}
	s.files[p] = out
}

// joinWords returns the words separated by spaces.
func joinWords(args []field) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.text
	}
	return strings.Join(words, " ")
}
