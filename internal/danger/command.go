package danger

import (
	"path"
	"slices"
	"strings"
)

// A command is a simple command with its arguments and its input.
type command struct {
	*shell
	name string
	args []field // without the name
	in   stream
	out  *stream // output of the command that it runs; nil if not known

	text           string    // the text for findings; "" means name and args
	sql            bool      // it is a clause of SQL
	operandIndexes []int     // indexes of the operands in args; nil until known
	call           *call     // the call if it is one in a program, else nil
	program        tokenList // the program that contains the call
	hasReceiver    bool      // the first operand is the call's receiver
}

// line returns the command as text.
func (c *command) line() string {
	if c.text != "" {
		return c.text
	}
	return c.name + " " + joined(c.args)
}

// runNested runs a command that is an argument of another.
func (s *shell) runNested(args []field, in stream) (out stream) {
	s.check.deeper("", func() { out = s.run(args, in) })
	return out
}

// run judges a command and returns what is known about its output.
func (s *shell) run(args []field, in stream) stream {
	for len(args) > 0 && (args[0].s == "" || isAssignment(args[0].s)) {
		if name, val, ok := strings.Cut(args[0].s, "="); ok {
			s.judgeText("variable", name+"="+val)
		}
		args = args[1:]
	}
	if len(args) == 0 || !s.check.withinBudget() {
		return stream{}
	}
	if s.check.ran != nil {
		s.check.ran(args)
	}
	word := args[0].s
	if alias := s.vars[aliasOf+word]; len(alias) > 0 {
		if args = slices.Concat(alias, args[1:]); alias[0].s != word {
			return s.runNested(args, in)
		}
	}
	c := &command{shell: s, name: s.programName(word), args: args[1:], in: in}
	switch {
	case strings.ContainsRune(word, unknown):
		if from := args[0].src; from != nil {
			(&command{shell: s, text: word}).tainted(from.taint)
		}
		s.runNested(args[1:], in) // $SUDO rm
		return stream{}
	case s.downloaded(word) && (strings.Contains(word, "/") || s.files[word].taint&fromNet != 0):
		s.check.add("remote", joined(args), "runs what it has just downloaded")
	case strings.Contains(word, "/"):
		s.judgeNested(Shell, s.files[path.Clean(word)].text)
	}
	return c.judge()
}

// judge judges the command by the rows for it.
func (c *command) judge() stream {
	p := c.check.table.program(Shell, c.name)
	out := stream{taint: c.in.taint}
	for _, a := range c.args {
		if c.captured {
			out.taint |= c.fileTaint(a.s)
		}
	}
	known := c.applyRows(p, &out)
	if own, ok := c.builtin(); ok {
		return own
	}
	if c.check.table.in("readers", c.name) {
		return out
	}
	c.usualOptions(p)
	if !known && !c.check.table.in("namers", c.name) {
		c.judgeUnknown(p)
	}
	return out
}

// applyRows judges the command by the rows of p: by the first that denies or allows it, and
// then by those that say what its operands are. It reports whether one of the latter matches.
func (c *command) applyRows(p *program, out *stream) (known bool) {
	c.first(p.rows, p)
	for _, r := range p.rows {
		if r.verb != does || known && !r.options() {
			continue
		}
		if bound, ok := c.fit(r, p); ok {
			known = known || !r.options()
			*out = c.applyRow(r, bound, *out)
		}
	}
	return known
}

// first applies the first row that denies or allows the command, unless the command's
// options make it only show what it would do.
func (c *command) first(rows []*row, p *program) {
	_, looks := option(c.args, c.check.table.lists["looks-only"])
	for _, r := range rows {
		if r.verb == does || looks && c.call == nil {
			continue
		}
		if _, ok := c.fit(r, p); ok {
			if r.verb == deny {
				c.check.add(r.name, c.line(), c.because(r.why))
			}
			return
		}
	}
}

// because returns why a row denies the command. It replaces PLACE at the end by a
// description of the first operand's place.
func (c *command) because(why string) string {
	if !strings.HasSuffix(why, "PLACE") {
		return why
	}
	place := c.check.table.lists["why-"+c.spot(c.args[0].s).kind]
	return strings.TrimSuffix(why, "PLACE") + strings.Join(place, " ")
}

// outTaints maps outputs of rows to the taint of the output.
var outTaints = map[string]taint{"NET": fromNet, "CODE": fromCode, "ENV": fromEnv, "SECRET": fromEnv}

// applyRow judges the words of a matching row, and returns the program's output.
func (c *command) applyRow(r *row, bound []binding, out stream) stream {
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
		c.judgeInput(r.in.role)
		out.taint |= fromShell
	}
	out.taint |= outTaints[r.out]
	return c.output(r.out, read, listed, out)
}

// output returns the program's output of the given kind. read contains the files that it
// reads, and listed the directories whose file names it prints.
func (c *command) output(kind string, read, listed []field, out stream) stream {
	switch kind {
	case "SECRET":
		if !c.captured {
			c.check.add("credentials", c.line(), "prints credentials")
		}
	case "SAME":
		in := c.in // a filter passes on its input or the files that it reads
		for _, f := range read {
			if f.s != "-" {
				in.taint |= out.taint | c.fileTaint(f.s)
				in.text, in.known, in.tty = "", false, false
			}
		}
		if in.tty {
			in.taint |= fromKeys
		}
		in.tty = false
		return in
	case "FILES":
		if out.text = "*"; len(listed) > 0 {
			out.text = ""
		}
		for _, w := range listed[:min(len(listed), maxLoop)] {
			out.text += strings.TrimRight(w.s, "/") + "/*\n"
		}
	case "TOP":
		out.text = c.check.at.Dir
	case "HERE":
		out.text = c.dir
	case "MADE":
		out.text = made
	case "SPARE":
		out.text = "left-over" // a placeholder for things that nothing uses
	}
	return out
}

// usualOptions judges the options that name a command or an output file in any program,
// except options for which p has a row.
func (c *command) usualOptions(p *program) {
	usual := c.check.table.programs[Shell]["*"].named
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

// judgeUnknown judges an unknown program. It treats the arguments as files that the program
// reads, and runs what looks like a command among them.
func (c *command) judgeUnknown(p *program) {
	for i, a := range c.args {
		word := a.s
		if _, val, ok := strings.Cut(word, "="); ok && word[0] == '-' {
			word = val
		}
		if len(word) < 1024 && !strings.ContainsAny(word, "\n;|& ") {
			c.place("READ", word)
		}
		if name := path.Base(a.s); i+1 < len(c.args) && (name == "sudo" || strings.HasPrefix(c.args[i+1].s, "-") && (c.check.table.in("destroyers", name) || c.check.table.in("shells", name))) {
			c.runNested(c.args[i:], c.in)
			return
		}
	}
	c.first(c.check.table.programs[Shell]["*"].rows, p)
}

// programName returns the name of the program that a word starts.
func (s *shell) programName(word string) string {
	programs := s.check.table.programs[Shell]
	name := path.Base(strings.ReplaceAll(strings.TrimPrefix(word, "="), string(unknown), "")) // zsh's =rm
	for _, n := range []string{name, strings.TrimRight(name, "0123456789.-"), strings.ToLower(strings.TrimSuffix(name, ".exe"))} {
		if programs[n] != nil {
			return n // such as python3.11 or CMD.EXE
		}
	}
	return name
}

// isAssignment reports whether a word before a command sets a variable, as happens in the
// rest of a line that could not be parsed.
func isAssignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !isNameChar(r) })
}
