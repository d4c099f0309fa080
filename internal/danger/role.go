package danger

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A role says what a word of a command, or an argument of a call, is for: READ, TREE,
// SHELL. Roles that are not effects are languages in capitals.
type role struct {
	name string // "" for none
	lang Lang   // of text that is run
	file bool   // the word names a file with the text: SHELL-FILE
	far  bool   // it is run where nobody knows the directory: FAR-SHELL, BOX-COMMAND
	box  bool   // in a container, whose temporary files nobody else has
}

// The roles that a table may name in addition to languages.
var (
	outputs   = []string{"NET", "CODE", "ENV", "SECRET", "SAME", "FILES", "TOP", "HERE", "MADE", "SPARE", "SCREEN"}
	restRoles = []string{"COMMAND", "LINE", "AGAIN", "ARGS"} // of all words from there on
	effects   = []string{"NAME", "READ", "SEND", "WRITE", "APPEND", "CREATE", "DELETE", "TREE", "SHRED", "MOVE", "UNPACK", "ARCHIVE", "FETCH", "URL", "SHOWN", "SWEEP"}
	classes   = []string{"NET", "PRIVATE", "ENVIRONMENT", "REMOTE-SHELL", "PIPED", "UNKNOWN", "INSIDE", "OUTSIDE", "MADE", "WORKTREE", "TEMP", "FILE", "DOTFILE", "HOME", "OTHER", "ELSEWHERE", "SYSTEM", "ROOT", "DEVICE", "NOWHERE", "UNTOLD", "ALL", "HARMLESS", "LOG", "KERNEL", "BACKUP", "PEOPLE", "SECRET", "OWN", "EVERY-ROW", "NOTHING"}
)

// parseRole reads the name of a role.
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

// rest reports whether the role takes all words from its own on, options included.
func (r role) rest() bool { return slices.Contains(restRoles, r.name) }

// classTaints are the classes of where data comes from.
var classTaints = map[string]taint{"NET": fromNet | fromCode, "PRIVATE": fromEnv | fromOwn, "ENVIRONMENT": fromEnv, "REMOTE-SHELL": fromShell}

// is reports whether a word, or where it comes from, is of a class.
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
	if string(sp.kind) == class || s.k.table.in("kinds", class) {
		return string(sp.kind) == class
	}
	return s.k.table.in(class, string(sp.kind)) || s.k.table.fits(class, sp.path, s.k.at.Home)
}

// apply judges words by what they are for. args are the words behind a script.
func (c *command) apply(b binding, args []field) {
	r := b.role
	if r.name == "ARCHIVE" {
		from := c.in.taint
		for _, w := range b.words {
			from |= c.fileTaint(w.s)
		}
		c.files[unpackedHere] = stream{taint: from & fromNet}
	}
	if c.sql { // what they are for holds for strings
		var texts []field
		for _, w := range b.words {
			if text, ok := strings.CutPrefix(w.s, "'"); ok {
				texts = append(texts, field{s: text})
			}
		}
		b.words, b.many = texts, false
	}
	switch line := oneWord(b.words); {
	case r.name == "", c.call != nil && c.applyCall(r), len(b.words) == 0:
	case r.name == "COMMAND" && (len(b.words) > 1 || !strings.Contains(line.s, " ") || isAssignment(line.s)):
		c.away(r, func(s *shell) stream { return s.inner(b.words, c.in) })
	case r.name == "AGAIN":
		if line.src == nil || !c.tainted(line.src.taint) {
			out := c.again(line.s)
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

// oneWord returns words as one, with what is known of where they come from.
func oneWord(words []field) field {
	f := field{s: joined(words)}
	for _, w := range words {
		if w.src != nil && (f.src == nil || f.src.taint == 0) {
			f.src = w.src
		}
	}
	return f
}

// away runs f in a shell where a role says: here, on another machine or in a container.
func (c *command) away(r role, f func(*shell) stream) {
	s := c.shell
	if r.far {
		at, boxed := s.k.at, s.k.boxed
		defer func() { s.k.at, s.k.boxed = at, boxed }()
		s.k.at.Dir, s.k.boxed = "", boxed || r.box
		s = newShell(s.k)
		s.captured = c.captured
	}
	out := f(s)
	c.out = &out
}

// code judges text that is run, or the file that a word names.
func (c *command) code(r role, f field, args []field) {
	text := f.s
	switch {
	case f.src != nil && c.tainted(f.src.taint):
		return
	case r.file && f.src != nil:
		text = f.src.text
	case r.file && (f.s == "-" || f.s == "/dev/stdin"):
		c.reader(r, c.in)
		return
	case r.file:
		if c.downloaded(f.s) {
			c.k.add("remote", c.line(), "runs what it has just downloaded")
		}
		text = c.files[path.Clean(f.s)].text
		script := &command{shell: c.shell, name: path.Base(f.s), args: args, in: c.in}
		p := c.k.table.program(Shell, script.name)
		script.first(p.rows, p)
	}
	c.away(r, func(s *shell) stream {
		if r.lang != Shell {
			s.inside(r.lang, text)
			return stream{taint: c.in.taint}
		}
		inner := s.fork()
		inner.vars = map[string][]field{}
		if len(args) > 0 {
			inner.vars["0"] = args[:1]
			inner.positional(args[1:])
		}
		return inner.again(text)
	})
}

// inside reads text as lang, one level further in, from where the shell is.
func (s *shell) inside(lang Lang, text string) {
	at := s.k.at
	if s.dir != "" {
		s.k.at.Dir = s.dir
	}
	s.k.deeper(text, func() { s.k.text(lang, text) })
	s.k.at = at
}

// reader judges what a program reads and runs.
func (c *command) reader(r role, in stream) {
	if !in.tty && !c.tainted(in.taint) && in.known {
		r.file = false
		c.code(r, field{s: in.text}, nil)
	}
}

// tainted says that code comes from where it should not.
func (c *command) tainted(t taint) bool {
	switch {
	case t&fromNet != 0:
		c.k.add("remote", c.line(), "runs what it downloads, unseen")
	case t&fromCode != 0:
		c.k.add("remote", c.line(), "runs what it decodes, unread")
	default:
		return false
	}
	return true
}

// effect judges a word by what its program does with it.
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
			c.matches("shown", p)
		}
	}
	c.place(name, p)
}

// matches judges text by the regular expressions for a language, and reports whether
// one of them allows it.
func (s *shell) matches(lang Lang, text string) bool {
	for _, r := range s.k.table.texts[lang] {
		switch {
		case r.verb == does:
			for _, m := range r.re.get().FindAllStringSubmatch(text, maxLoop) {
				f := field{s: strings.TrimSpace(strings.Join(m[1:], ""))}
				if r.role.lang == "" {
					f.s = s.tilde(f.s, f.s)
				}
				c := &command{shell: s, name: string(lang), text: text}
				c.apply(binding{role: r.role, words: []field{f}}, nil)
			}
		case r.re.get().MatchString(text):
			if r.verb == allow {
				return true
			}
			s.k.add(r.name, text, r.why)
		}
	}
	return false
}
