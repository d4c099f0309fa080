package danger

import (
	"path"
	"strings"
)

// A command is a simple command with its arguments, and what it reads.
type command struct {
	*shell
	name string
	args []field // without the name
	in   stream
	out  *stream // of the command that it runs, when that is known

	text    string // in findings, when not empty
	sql     bool   // a clause of SQL
	places  []int  // of the operands, once they are known
	call    *call  // of a call in a program
	program tokenList
	on      bool // the first operand is what it is called on
}

// line returns the command as text.
func (c *command) line() string {
	if c.text != "" {
		return c.text
	}
	return c.name + " " + joined(c.args)
}

// inner runs the command that another was given.
func (s *shell) inner(args []field, in stream) (out stream) {
	s.k.deeper("", func() { out = s.run(args, in) })
	return out
}

// run judges a command and returns what is known of its output.
func (s *shell) run(args []field, in stream) stream {
	for len(args) > 0 && (args[0].s == "" || isAssignment(args[0].s)) {
		if name, val, ok := strings.Cut(args[0].s, "="); ok {
			s.matches("variable", name+"="+val)
		}
		args = args[1:]
	}
	if len(args) == 0 || !s.k.step() {
		return stream{}
	}
	if s.k.ran != nil {
		s.k.ran(args)
	}
	word := args[0].s
	c := &command{shell: s, name: s.programName(word), args: args[1:], in: in}
	switch {
	case strings.ContainsRune(word, unknown):
		if from := args[0].src; from != nil && from.taint&(fromNet|fromCode) != 0 {
			s.k.add("remote", word, "runs what it has downloaded or decoded")
		}
		s.inner(args[1:], in) // $SUDO rm
		return stream{}
	case s.downloaded(word) && (strings.Contains(word, "/") || s.files[word].taint&fromNet != 0):
		s.k.add("remote", joined(args), "runs what it has just downloaded")
	case strings.Contains(word, "/"):
		s.inside(Shell, s.files[path.Clean(word)].text)
	}
	return c.judge()
}

// judge judges the command by the rows for it.
func (c *command) judge() stream {
	p := c.k.table.program(Shell, c.name)
	out := stream{taint: c.in.taint}
	for _, a := range c.args {
		if c.captured {
			out.taint |= c.fileTaint(a.s)
		}
	}
	known := c.fitting(p, &out)
	if own, ok := c.builtin(); ok {
		return own
	}
	c.usualOptions(p)
	if !known && !c.k.table.in("readers", c.name) && !c.k.table.in("namers", c.name) {
		c.stranger(p)
	}
	return out
}

// fitting judges the command by the rows of p: of those that deny or allow it by the
// first that fits, so of those that say what its operands are; it reports whether there
// is one.
func (c *command) fitting(p *program, out *stream) (known bool) {
	c.first(p.rows, p)
	for _, r := range p.rows {
		if r.verb != does || known && !r.options() {
			continue
		}
		if bound, ok := c.fit(r, p); ok {
			known = known || !r.options()
			*out = c.done(r, bound, *out)
		}
	}
	return known
}

// first finds the first row that denies or allows the command, unless it only shows what
// it would do.
func (c *command) first(rows []*row, p *program) {
	_, looks := option(c.args, c.k.table.lists["looks-only"])
	for _, r := range rows {
		if r.verb == does || looks && c.call == nil {
			continue
		}
		if _, ok := c.fit(r, p); ok {
			if r.verb == deny {
				c.k.add(r.name, c.line(), c.because(r.why))
			}
			return
		}
	}
}

// because returns why a row denies the command, with the place of its first operand in
// words.
func (c *command) because(why string) string {
	if !strings.HasSuffix(why, "PLACE") {
		return why
	}
	place := c.k.table.lists["why-"+string(c.spot(c.args[0].s).kind)]
	return strings.TrimSuffix(why, "PLACE") + strings.Join(place, " ")
}

// outTaints are what a row says of where output comes from.
var outTaints = map[string]taint{"NET": fromNet, "CODE": fromCode, "ENV": fromEnv, "SECRET": fromEnv}

// done judges the words of a row that fits, and returns what the program writes.
func (c *command) done(r *row, bound []binding, out stream) stream {
	var args, read, listed []field
	for _, b := range bound {
		switch b.role.name {
		case "ARGS":
			args = b.words
		case "READ":
			read = append(read, b.words...)
		case "NAME":
			listed = b.words
		}
	}
	for _, b := range bound {
		c.apply(b, args)
	}
	if c.out != nil {
		out = *c.out
	}
	if r.in.role.lang != "" {
		c.reader(r.in.role, c.in)
		out.taint |= fromShell
	}
	out.taint |= outTaints[r.out]
	return c.output(r.out, read, listed, out)
}

// output returns what a program writes, as its row says: read are the files that it reads,
// listed those whose names it prints.
func (c *command) output(kind string, read, listed []field, out stream) stream {
	switch kind {
	case "SECRET":
		if !c.captured {
			c.k.add("credentials", c.line(), "prints credentials")
		}
	case "SAME":
		in := c.in // a filter passes on what it reads, from files or before it
		in.tty = false
		for _, f := range read {
			if f.s != "-" {
				in.taint |= out.taint | c.fileTaint(f.s)
				in.text, in.known = "", false
			}
		}
		return in
	case "FILES":
		if out.text = "*"; len(listed) > 0 {
			out.text = ""
		}
		for _, w := range listed[:min(len(listed), maxLoop)] {
			out.text += strings.TrimRight(w.s, "/") + "/*\n"
		}
	case "TOP":
		out.text = c.k.at.Dir
	case "HERE":
		out.text = c.dir
	case "MADE":
		out.text = made
	case "SPARE":
		out.text = "left-over" // what nobody uses
	}
	return out
}

// usualOptions judges the options that name what is run or written whatever the
// program, but for those that it has a row for.
func (c *command) usualOptions(p *program) {
	if c.k.table.in("readers", c.name) {
		return
	}
	usual := c.k.table.programs[Shell]["*"].named
	for i, a := range c.args {
		if len(a.s) < 2 || a.s[0] != '-' {
			if p.prefix {
				return
			}
			continue
		}
		name, value, ok := strings.Cut(a.s, "=")
		v := field{s: value, src: a.src}
		if !ok && i+1 < len(c.args) {
			v = c.args[i+1]
		}
		_, own := p.named[name]
		if r := usual[name]; !own && (r.lang != "" && strings.Contains(v.s, " ") || r.name == "WRITE" && strings.Contains(v.s, "/")) {
			c.apply(binding{role: r, words: []field{v}}, nil)
		}
	}
}

// stranger judges a program of whose words nothing is known: they are files that it
// reads, and what looks like a command among them is read as one.
func (c *command) stranger(p *program) {
	for i, a := range c.args {
		word := a.s
		if _, val, ok := strings.Cut(word, "="); ok && word[0] == '-' {
			word = val
		}
		if len(word) < 1024 && !strings.ContainsAny(word, "\n;|& ") {
			c.place("READ", word)
		}
		if name := path.Base(a.s); i+1 < len(c.args) && (name == "sudo" || strings.HasPrefix(c.args[i+1].s, "-") && (c.k.table.in("destroyers", name) || c.k.table.in("shells", name))) {
			c.inner(c.args[i:], c.in)
			return
		}
	}
	c.first(c.k.table.programs[Shell]["*"].rows, p)
}

// programName returns the name of the program that a word starts.
func (s *shell) programName(word string) string {
	programs := s.k.table.programs[Shell]
	name := path.Base(strings.ReplaceAll(strings.TrimPrefix(word, "="), string(unknown), "")) // zsh's =rm
	for _, n := range []string{name, strings.TrimRight(name, "0123456789.-"), strings.ToLower(strings.TrimSuffix(name, ".exe"))} {
		if programs[n] != nil {
			return n // python3.11, CMD.EXE
		}
	}
	return name
}

// isAssignment reports whether a word that stands before a command sets a
// variable: what is left of a line that could not be parsed.
func isAssignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && name != "" && strings.IndexFunc(name, func(r rune) bool { return r > 127 || !isLetter(byte(r)) }) < 0
}
