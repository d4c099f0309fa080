package danger

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A role says what a word of a command, or an argument of a call, is for: READ, TREE, SHELL. A
// role that is in neither effects nor restRoles is a language in capitals.
type role struct {
	name string // "" if there is none
	lang Lang   // language of text that is run
	file bool   // the word names the file that contains the text: SHELL-FILE
	far  bool   // the text is run in an unknown directory: FAR-SHELL, BOX-COMMAND
	box  bool   // the text is run in a container, which has its own temporary files
}

// The outputs, roles and classes that a table may name. Languages are roles too.
var (
	outputs   = []string{"NET", "CODE", "ENV", "SECRET", "SAME", "FILES", "TOP", "HERE", "MADE", "SPARE", "SCREEN"}
	restRoles = []string{"COMMAND", "LINE", "AGAIN", "ARGS"} // roles of all words from one on
	effects   = []string{"NAME", "READ", "SEND", "WRITE", "APPEND", "CREATE", "DELETE", "TREE", "SHRED", "MOVE", "UNPACK", "ARCHIVE", "FETCH", "URL", "SHOWN", "SWEEP"}
	classes   = []string{"NET", "PRIVATE", "ENVIRONMENT", "REMOTE-SHELL", "PIPED", "UNKNOWN", "INSIDE", "OUTSIDE", "MADE", "WORKTREE", "TEMP", "FILE", "DOTFILE", "HOME", "OTHER", "ELSEWHERE", "SYSTEM", "ROOT", "DEVICE", "NOWHERE", "UNTOLD", "ALL", "HARMLESS", "LOG", "KERNEL", "BACKUP", "PEOPLE", "SECRET", "OWN", "EVERY-ROW", "NOTHING"}
)

// parseRole parses the name of a role.
func parseRole(name string) (r role, err error) {
	text, far := strings.CutPrefix(name, "FAR-")
	text, r.box = strings.CutPrefix(text, "BOX-")
	r.far = far || r.box
	r.name = text
	text, r.file = strings.CutSuffix(text, "-FILE")
	switch {
	case text == "SHELL", text == "LINE", text == "COMMAND":
		r.lang = Shell
	case slices.Contains(restRoles, text), slices.Contains(effects, text):
	case text == "" || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return r, fmt.Errorf("%q is neither a role (%s), a class (%s) nor a language", name, strings.Join(append(restRoles, effects...), ", "), strings.Join(classes, ", "))
	default:
		r.lang = Lang(strings.ToLower(text))
	}
	return r, nil
}

// rest reports whether the role applies to all words from one on, including options.
func (r role) rest() bool { return slices.Contains(restRoles, r.name) }

// classTaints maps classes of origins to taints.
var classTaints = map[string]taint{"NET": fromNet | fromCode, "PRIVATE": fromEnv | fromOwn, "ENVIRONMENT": fromEnv, "REMOTE-SHELL": fromShell}

// is reports whether a word, or its origin, belongs to a class.
func (s *shell) is(class string, f field) bool {
	if t := classTaints[class]; t != 0 {
		return f.src != nil && f.src.taint&t != 0
	}
	switch class {
	case "PIPED":
		return f.src != nil && !f.src.tty
	case "UNKNOWN":
		return strings.ContainsRune(f.s, unknown)
	case "SECRET":
		return s.secret(f.s)
	case "OWN":
		return s.fileTaint(f.s)&fromOwn != 0
	}
	sp := s.spot(f.s)
	if class == "ALL" {
		return sp.all
	}
	if sp.kind == class || s.check.table.in("kinds", class) {
		return sp.kind == class
	}
	return s.check.table.in(class, sp.kind) || s.check.table.fits(class, sp.path, s.check.at.Home)
}

// apply judges words by their role. args are the arguments of a script.
func (c *command) apply(b binding, args []field) {
	r := b.role
	if r.name == "ARCHIVE" {
		from := c.in.taint
		for _, w := range b.words {
			from |= c.fileTaint(w.s)
		}
		c.files[unpackedHere] = stream{taint: from & fromNet}
	}
	if c.sql { // roles apply only to strings
		var texts []field
		for _, w := range b.words {
			if text, ok := strings.CutPrefix(w.s, "'"); ok {
				texts = append(texts, field{s: text})
			}
		}
		b.words, b.many = texts, false
	}
	switch line := oneWord(b.words); {
	case r.name == "":
	case c.call != nil && r.lang != "":
		c.judgeExec(r.lang, *c.call)
	case c.call != nil && r.name == "SWEEP" && !c.program.has(c.check.table.lists["removers"]...): // a loop over files, of which none is removed
	case len(b.words) == 0:
	case r.name == "COMMAND" && (len(b.words) > 1 || !strings.Contains(line.s, " ") || isAssignment(line.s)):
		c.away(r, func(s *shell) stream { return s.runNested(b.words, c.in) })
	case r.name == "AGAIN":
		if line.src == nil || !c.tainted(line.src.taint) {
			out := c.eval(line.s)
			c.out = &out
		}
	case r.lang != "" && (b.many || r.rest()) && !r.file:
		c.code(r, line, nil)
	default:
		for _, w := range b.words {
			if r.lang != "" {
				c.code(r, w, args)
			} else if c.call == nil || !strings.HasPrefix(w.s, notPath) {
				c.effect(r.name, w.s)
			}
		}
	}
}

// oneWord joins words to one, with the origin of a tainted one if there is any.
func oneWord(words []field) field {
	f := field{s: joined(words)}
	for _, w := range words {
		if w.src != nil && (f.src == nil || f.src.taint == 0) {
			f.src = w.src
		}
	}
	return f
}

// away runs f in a shell at the place that a role means: here, on another machine or in a
// container.
func (c *command) away(r role, f func(*shell) stream) {
	s := c.shell
	if r.far {
		at, boxed := s.check.at, s.check.boxed
		defer func() { s.check.at, s.check.boxed = at, boxed }()
		s.check.at.Dir, s.check.boxed = "", boxed || r.box
		s = newShell(s.check)
		s.captured = c.captured
	}
	out := f(s)
	c.out = &out
}

// code judges text that is run, or the file that contains it.
func (c *command) code(r role, f field, args []field) {
	text := f.s
	switch {
	case f.src != nil && c.tainted(f.src.taint):
		return
	case r.file && f.src != nil:
		text = f.src.text
	case r.file && (f.s == "-" || f.s == "/dev/stdin"):
		c.judgeInput(r)
		return
	case r.file:
		if c.downloaded(f.s) {
			c.check.add("remote", c.line(), "runs what it has just downloaded")
		}
		text = c.files[path.Clean(f.s)].text
		script := &command{shell: c.shell, name: path.Base(f.s), args: args, in: c.in}
		p := c.check.table.program(Shell, script.name)
		script.first(p.rows, p)
	}
	c.away(r, func(s *shell) stream {
		if r.lang != Shell {
			s.judgeNested(r.lang, text)
			return stream{taint: c.in.taint}
		}
		inner := s.fork()
		inner.vars = map[string][]field{}
		if len(args) > 0 {
			inner.vars["0"] = args[:1]
			inner.positional(args[1:])
		}
		return inner.eval(text)
	})
}

// judgeNested judges text in lang, one level deeper, in the shell's directory.
func (s *shell) judgeNested(lang Lang, text string) {
	at := s.check.at
	if s.dir != "" {
		s.check.at.Dir = s.dir
	}
	s.check.deeper(text, func() { s.check.text(lang, text) })
	s.check.at = at
}

// judgeInput judges the command's input, which the command runs.
func (c *command) judgeInput(r role) {
	in := c.in
	if !in.tty && !c.tainted(in.taint&^fromKeys) && in.known { // text that is typed into it later is judged then
		r.file = false
		c.code(r, field{s: in.text}, nil)
	}
}

// tainted adds a finding if code comes from a download, a decoder or the keyboard, and reports
// whether it does.
func (c *command) tainted(t taint) bool {
	switch {
	case t&fromNet != 0:
		c.check.add("remote", c.line(), "runs downloaded code that nobody has read")
	case t&fromCode != 0:
		c.check.add("remote", c.line(), "runs decoded text that nobody has read")
	case t&fromKeys != 0:
		c.check.add("unreadable", c.line(), "runs what is typed after it")
	default:
		return false
	}
	return true
}

// effect judges a path by what the program does with it.
func (c *command) effect(name, p string) {
	switch name {
	case "WRITE", "APPEND":
		c.wrote(p, c.in)
	case "FETCH":
		if p == "-" || p == "/dev/stdout" {
			return
		}
		c.files[path.Clean(p)] = stream{taint: fromNet}
	case "URL":
		if addr, _, _ := strings.Cut(p, "?"); strings.Contains(addr, "/") {
			c.files[path.Base(addr)] = stream{taint: fromNet}
		}
	case "SHOWN":
		if !c.captured {
			c.judgeText("shown", p)
		}
	}
	c.place(name, p)
}

// judgeText judges text by the regular expressions for a language, and reports whether one of
// them allows it.
func (s *shell) judgeText(lang Lang, text string) bool {
	for _, r := range s.check.table.texts[lang] {
		switch {
		case r.verb == does:
			for _, m := range r.re().FindAllStringSubmatch(text, maxLoop) {
				f := field{s: strings.TrimSpace(strings.Join(m[1:], ""))}
				if r.role.lang == "" {
					f.s = s.tilde(f.s, f.s)
				}
				c := &command{shell: s, name: string(lang), text: text}
				c.apply(binding{role: r.role, words: []field{f}}, nil)
			}
		case r.re().MatchString(text):
			if r.verb == allow {
				return true
			}
			s.check.add(r.name, text, r.why)
		}
	}
	return false
}
