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
	name      string // "" if there is none
	lang      Lang   // language of the text that is run; "" for other roles
	file      bool   // the word names the file that contains the text: SHELL-FILE
	remote    bool   // the text is run elsewhere, in an unknown directory: FAR-SHELL, BOX-COMMAND
	container bool   // the text is run in a container, which has its own temporary files
}

// The outputs, roles and classes that rules may name. Languages are roles too.
var (
	outputs   = []string{"NET", "CODE", "ENV", "SECRET", "SAME", "FILES", "TOP", "HERE", "MADE", "SPARE", "SCREEN"}
	restRoles = []string{"COMMAND", "LINE", "AGAIN", "ARGS"} // roles of a word and all words after it
	effects   = []string{"NAME", "READ", "SEND", "WRITE", "APPEND", "CREATE", "DELETE", "TREE", "SHRED", "MOVE", "UNPACK", "ARCHIVE", "FETCH", "URL", "SHOWN", "SWEEP"}
	classes   = []string{"NET", "PRIVATE", "ENVIRONMENT", "REMOTE-SHELL", "PIPED", "UNKNOWN", "INSIDE", "OUTSIDE", "MADE", "WORKTREE", "TEMP", "FILE", "DOTFILE", "HOME", "OTHER", "ELSEWHERE", "SYSTEM", "ROOT", "DEVICE", "NOWHERE", "UNTOLD", "ALL", "HARMLESS", "LOG", "KERNEL", "BACKUP", "PEOPLE", "SECRET", "OWN", "EVERY-ROW"}
)

func parseRole(name string) (r role, err error) {
	text, elsewhere := strings.CutPrefix(name, "FAR-")
	text, r.container = strings.CutPrefix(text, "BOX-")
	r.remote = elsewhere || r.container
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

// takesRest reports whether the role applies to a word and all words after it, including options.
func (r role) takesRest() bool { return slices.Contains(restRoles, r.name) }

// classTaints maps the classes that are about the origin of a word to taints.
var classTaints = map[string]taint{"NET": fromNet | fromCode, "PRIVATE": fromEnv | fromOwn, "ENVIRONMENT": fromEnv, "REMOTE-SHELL": fromShell}

// inClass reports whether a word belongs to a class: by its origin, its text or the place that it names.
func (s *shell) inClass(class string, f field) bool {
	if t := classTaints[class]; t != 0 {
		return f.origin != nil && f.origin.taint&t != 0
	}
	switch class {
	case "PIPED":
		return f.origin != nil && !f.origin.tty
	case "UNKNOWN":
		return strings.ContainsRune(f.text, unknown)
	case "SECRET":
		return s.isSecret(f.text)
	case "OWN":
		return s.fileTaint(f.text)&fromOwn != 0
	}
	loc := s.locate(f.text)
	if class == "ALL" {
		return loc.all
	}
	if loc.kind == class || s.check.table.in("kinds", class) {
		return loc.kind == class
	}
	return s.check.table.in(class, loc.kind) || s.check.table.pathIn(class, loc.path, s.check.place.Home)
}

// applyRole judges words by their role. If a word names a script, args are the script's arguments.
func (c *command) applyRole(b binding, args []field) {
	r := b.role
	if r.name == "ARCHIVE" {
		from := c.in.taint
		for _, w := range b.words {
			from |= c.fileTaint(w.text)
		}
		c.files[unpackedHere] = stream{taint: from & fromNet}
	}
	if c.sql { // roles apply only to string literals
		var texts []field
		for _, w := range b.words {
			if text, ok := strings.CutPrefix(w.text, "'"); ok {
				texts = append(texts, field{text: text})
			}
		}
		b.words, b.many = texts, false
	}
	switch line := joinFields(b.words); {
	case r.name == "":
	case c.call != nil && r.lang != "":
		c.judgeExec(r.lang, *c.call)
	case c.call != nil && r.name == "SWEEP" && !c.program.has(c.check.table.lists["removers"]...): // the program loops over files, but removes none
	case len(b.words) == 0:
	case r.name == "COMMAND" && (len(b.words) > 1 || !strings.Contains(line.text, " ") || isAssignment(line.text)):
		c.runAt(r, func(s *shell) stream { return s.runNested(b.words, c.in) })
	case r.name == "AGAIN":
		if line.origin == nil || !c.judgeTaint(line.origin.taint) {
			out := c.eval(line.text)
			c.out = &out
		}
	case r.lang != "" && (b.many || r.takesRest()) && !r.file:
		c.judgeCode(r, line, nil)
	default:
		for _, w := range b.words {
			if r.lang != "" {
				c.judgeCode(r, w, args)
			} else if c.call == nil || !strings.HasPrefix(w.text, notPath) {
				c.judgeEffect(r.name, w.text)
			}
		}
	}
}

// joinFields joins words to one, with the origin of the first tainted word, or else of any word.
func joinFields(words []field) field {
	f := field{text: joinWords(words)}
	for _, w := range words {
		if w.origin != nil && (f.origin == nil || f.origin.taint == 0) {
			f.origin = w.origin
		}
	}
	return f
}

// runAt calls f with the shell that runs text of this role: c's shell, or a new one on another
// machine or in a container. It stores the output in c.out.
func (c *command) runAt(r role, f func(*shell) stream) {
	s := c.shell
	if r.remote {
		place, inContainer := s.check.place, s.check.inContainer
		defer func() { s.check.place, s.check.inContainer = place, inContainer }()
		s.check.place.Dir, s.check.inContainer = "", inContainer || r.container
		s = newShell(s.check)
		s.captured = c.captured
	}
	out := f(s)
	c.out = &out
}

// judgeCode judges text that is run with args: f or, if r.file is set, the content of the file that f names.
func (c *command) judgeCode(r role, f field, args []field) {
	text := f.text
	switch {
	case f.origin != nil && c.judgeTaint(f.origin.taint):
		return
	case r.file && f.origin != nil:
		text = f.origin.text
	case r.file && (f.text == "-" || f.text == "/dev/stdin"):
		c.judgeInput(r)
		return
	case r.file:
		if c.isDownloaded(f.text) {
			c.check.add("remote", c.asText(), "runs what it has just downloaded")
		}
		text = c.files[path.Clean(f.text)].text
		script := &command{shell: c.shell, name: path.Base(f.text), args: args, in: c.in}
		p := c.check.table.program(Shell, script.name)
		script.applyVerdict(p.rows, p)
	}
	c.runAt(r, func(s *shell) stream {
		if r.lang != Shell {
			s.judgeNested(r.lang, text)
			return stream{taint: c.in.taint}
		}
		inner := s.fork()
		inner.vars = map[string][]field{}
		if len(args) > 0 {
			inner.vars["0"] = args[:1]
			inner.setPositional(args[1:])
		}
		return inner.eval(text)
	})
}

// judgeNested judges text in lang, one level deeper, in the shell's directory.
func (s *shell) judgeNested(lang Lang, text string) {
	place := s.check.place
	if s.dir != "" {
		s.check.place.Dir = s.dir
	}
	s.check.nested(text, func() { s.check.judge(lang, text) })
	s.check.place = place
}

// judgeInput judges the command's input, which the command runs as code.
func (c *command) judgeInput(r role) {
	in := c.in
	if !in.tty && !c.judgeTaint(in.taint&^fromKeys) && in.known { // what is typed is judged when it is typed
		r.file = false
		c.judgeCode(r, field{text: in.text}, nil)
	}
}

// judgeTaint adds a finding if code comes from a download, a decoder or the keyboard, and reports
// whether it has added one.
func (c *command) judgeTaint(t taint) bool {
	switch {
	case t&fromNet != 0:
		c.check.add("remote", c.asText(), "runs downloaded code that nobody has read")
	case t&fromCode != 0:
		c.check.add("remote", c.asText(), "runs decoded text that nobody has read")
	case t&fromKeys != 0:
		c.check.add("unreadable", c.asText(), "runs what is typed after it")
	default:
		return false
	}
	return true
}

// judgeEffect judges the effect of a command on a path, or on a variable (SHOWN), and records
// written and downloaded files.
func (c *command) judgeEffect(name, p string) {
	switch name {
	case "WRITE", "APPEND":
		c.recordWrite(p, c.in)
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
	c.judgePath(name, p)
}

// judgeText judges text by the regular expressions for a language, and reports whether one of
// them allows it.
func (s *shell) judgeText(lang Lang, text string) bool {
	for _, r := range s.check.table.texts[lang] {
		switch {
		case r.verb == does:
			for _, m := range r.re().FindAllStringSubmatch(text, -1) {
				if !s.check.withinBudget() {
					break
				}
				f := field{text: strings.TrimSpace(strings.Join(m[1:], ""))}
				if r.role.lang == "" {
					f.text = s.expandTilde(f.text, f.text)
				}
				c := &command{shell: s, name: string(lang), text: text}
				c.applyRole(binding{role: r.role, words: []field{f}}, nil)
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
