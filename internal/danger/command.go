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
	out  *stream // output of the command that the arguments contain; nil until it is judged, or if there is none

	text           string    // the text for findings; "" means name and args
	sql            bool      // the command is a clause of SQL
	operandIndexes []int     // indexes of the operands in args; nil if operandPositions has to find them
	call           *call     // the call in a program that is judged as this command, or nil
	program        tokenList // the program that contains the call
	hasReceiver    bool      // the first operand is the call's receiver
}

func (c *command) asText() string {
	if c.text != "" {
		return c.text
	}
	return c.name + " " + joinWords(c.args)
}

// runNested judges a command that is an argument of another, as run does.
func (s *shell) runNested(args []field, in stream) (out stream) {
	s.check.nested("", func() { out = s.run(args, in) })
	return out
}

// run judges a command, given by its words, and returns what is known about its output.
func (s *shell) run(args []field, in stream) stream {
	for len(args) > 0 && (args[0].text == "" || isAssignment(args[0].text)) {
		if name, val, ok := strings.Cut(args[0].text, "="); ok {
			s.judgeText("variable", name+"="+val)
		}
		args = args[1:]
	}
	if len(args) == 0 || !s.check.withinBudget() {
		return stream{}
	}
	if s.check.onCommand != nil {
		s.check.onCommand(args)
	}
	word := args[0].text
	if alias := s.vars[aliasPrefix+word]; len(alias) > 0 {
		if args = slices.Concat(alias, args[1:]); alias[0].text != word {
			return s.runNested(args, in)
		}
	}
	c := &command{shell: s, name: s.programName(word), args: args[1:], in: in}
	switch {
	case strings.ContainsRune(word, unknown):
		if from := args[0].origin; from != nil {
			(&command{shell: s, text: word}).judgeTaint(from.taint)
		}
		s.runNested(args[1:], in) // as in $SUDO rm
		return stream{}
	case s.isDownloaded(word) && (strings.Contains(word, "/") || s.files[word].taint&fromNet != 0):
		s.check.add("remote", joinWords(args), "runs what it has just downloaded")
	case strings.Contains(word, "/"):
		s.judgeNested(Shell, s.files[path.Clean(word)].text)
	}
	return c.judge()
}

// judge judges the command by its rows, and then as a builtin or unknown program. It returns the output.
func (c *command) judge() stream {
	p := c.check.table.program(Shell, c.name)
	out := stream{taint: c.in.taint}
	for _, a := range c.args {
		if c.captured {
			out.taint |= c.fileTaint(a.text)
		}
	}
	known := c.applyRows(p, &out)
	if own, ok := c.judgeBuiltin(); ok {
		return own
	}
	if c.check.table.in("readers", c.name) {
		return out
	}
	c.judgeUsualOptions(p)
	if !known && !c.check.table.in("namers", c.name) {
		c.judgeUnknown(p)
	}
	return out
}

// applyRows judges the command by the rows of p that match: by the first that denies or allows it,
// the first that says what its operands are for, and all that are about options alone. It reports
// whether a row says what the operands are for.
func (c *command) applyRows(p *program, out *stream) (known bool) {
	c.applyVerdict(p.rows, p)
	for _, r := range p.rows {
		if r.verb != does || known && !r.onlyOptions() {
			continue
		}
		if bound, ok := c.match(r, p); ok {
			known = known || !r.onlyOptions()
			*out = c.applyRow(r, bound, *out)
		}
	}
	return known
}

// applyVerdict applies the first of the rows that denies or allows the command. For a command that
// has an option such as --dry-run, it does nothing, unless the command is a call in a program.
func (c *command) applyVerdict(rows []*row, p *program) {
	_, dryRun := findOption(c.args, c.check.table.lists["looks-only"])
	for _, r := range rows {
		if r.verb == does || dryRun && c.call == nil {
			continue
		}
		if _, ok := c.match(r, p); ok {
			if r.verb == deny {
				c.check.add(r.name, c.asText(), c.reason(r.why))
			}
			return
		}
	}
}

// reason returns why, a row's reason to deny the command. If the reason ends in PLACE, reason
// replaces this word with a description of the first operand's place.
func (c *command) reason(why string) string {
	if !strings.HasSuffix(why, "PLACE") {
		return why
	}
	place := c.check.table.lists["why-"+c.locate(c.args[0].text).kind]
	return strings.TrimSuffix(why, "PLACE") + strings.Join(place, " ")
}

// outputTaints maps names of outputs, as rows use them, to taints.
var outputTaints = map[string]taint{"NET": fromNet, "CODE": fromCode, "ENV": fromEnv, "SECRET": fromEnv}

// applyRow judges the words in bound by their roles. It returns out, the output so far, changed as the row says.
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
		c.applyRole(b, args)
	}
	if c.out != nil {
		out = *c.out
	}
	if r.in.role.lang != "" {
		c.judgeInput(r.in.role)
		out.taint |= fromShell
	}
	out.taint |= outputTaints[r.out]
	return c.outputOf(r.out, read, listed, out)
}

// outputOf returns out changed to the given kind of output, as > in a row names it. read contains the
// files that the program reads, and listed the directories whose file names it prints.
func (c *command) outputOf(kind string, read, listed []field, out stream) stream {
	switch kind {
	case "SECRET":
		if !c.captured {
			c.check.add("credentials", c.asText(), "prints credentials")
		}
	case "SAME":
		in := c.in // a filter writes its input, or the files that it reads
		for _, f := range read {
			if f.text != "-" {
				in.taint |= out.taint | c.fileTaint(f.text)
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
		for _, w := range truncated(listed, field{text: string(unknown)}) {
			out.text += strings.TrimRight(w.text, "/") + "/*\n"
		}
	case "TOP":
		out.text = c.check.place.Dir
	case "HERE":
		out.text = c.dir
	case "MADE":
		out.text = made
	case "SPARE":
		out.text = "left-over" // stands for the names of objects that nothing uses
	}
	return out
}

// judgeUsualOptions judges options that usually name a command or an output file, unless p has a row
// for them. It ignores the name of a command without a blank, and the name of a file without a slash.
func (c *command) judgeUsualOptions(p *program) {
	usual := c.check.table.programs[Shell]["*"].optionRoles
	for i, a := range c.args {
		if len(a.text) < 2 || a.text[0] != '-' {
			if p.optionsFirst {
				return
			}
			continue
		}
		name, value, ok := strings.Cut(a.text, "=")
		v := field{text: value, origin: a.origin}
		if !ok && i+1 < len(c.args) {
			v = c.args[i+1]
		}
		_, own := p.optionRoles[name]
		if r := usual[name]; !own && (r.lang != "" && strings.Contains(v.text, " ") || r.name == "WRITE" && strings.Contains(v.text, "/")) {
			c.applyRole(binding{role: r, words: []field{v}}, nil)
		}
	}
}

// judgeUnknown judges an unknown program. It treats short arguments without blanks as files that the
// program reads. If a command seems to begin at an argument, judgeUnknown judges this command;
// otherwise, it applies the rules for any program.
func (c *command) judgeUnknown(p *program) {
	for i, a := range c.args {
		word := a.text
		if _, val, ok := strings.Cut(word, "="); ok && word[0] == '-' {
			word = val
		}
		if len(word) < 1024 && !strings.ContainsAny(word, "\n;|& ") {
			c.judgePath("READ", word)
		}
		if name := path.Base(a.text); i+1 < len(c.args) && (name == "sudo" || strings.HasPrefix(c.args[i+1].text, "-") && (c.check.table.in("destroyers", name) || c.check.table.in("shells", name))) {
			c.runNested(c.args[i:], c.in)
			return
		}
	}
	c.applyVerdict(c.check.table.programs[Shell]["*"].rows, p)
}

// programName returns the name under which the rules know the program that a word starts.
func (s *shell) programName(word string) string {
	programs := s.check.table.programs[Shell]
	name := path.Base(strings.ReplaceAll(strings.TrimPrefix(word, "="), string(unknown), "")) // zsh: =rm is rm
	for _, n := range []string{name, strings.TrimRight(name, "0123456789.-"), strings.ToLower(strings.TrimSuffix(name, ".exe"))} {
		if programs[n] != nil {
			return n // such as python3.11 or CMD.EXE
		}
	}
	return name
}

// isAssignment reports whether a word has the form NAME=VALUE.
func isAssignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !isNameChar(r) })
}
