package danger

import (
	"slices"
	"strings"
)

// The bounds of reading calls, in tokens: of a call's arguments, and before a call.
const (
	maxCallArgs = 200
	maxReceiver = 40
)

// A call is one call in a program.
type call struct {
	lang Lang
	name string      // the last word
	from string      // what stands before it and a point, "" for nothing
	args []tokenList // between commas
	all  tokenList   // all between the brackets
	recv tokenList   // what it is called on, from the start of its statement
	line string      // in which it stands
}

// script judges a program, or a line of one, by the calls in it.
func (s *shell) script(lang Lang, text string) {
	s.matches(lang, text)
	text = s.k.table.spelledOut(text)
	ts := resolved(tokens(lang, text))
	for i, t := range ts {
		if t.kind == isShell {
			s.inside(Shell, t.text)
		}
		if t.kind != isWord || !s.k.table.in("calls-"+string(lang), t.text) {
			continue
		}
		if c, ok := callAt(lang, ts, i); ok && s.k.step() {
			c.line = lineAt(text, t.at)
			s.called(c, ts)
		}
	}
}

// callAt returns the call whose name is token i.
func callAt(lang Lang, ts tokenList, i int) (c call, ok bool) {
	behind, ok := arguments(lang, ts, i)
	c.lang, c.name, c.all = lang, ts[i].text, split(behind, token.sign)[0]
	if ts.at(i - 1).is(".") {
		c.from = ts.at(i - 2).text
	}
	from := i
	for from > max(0, i-maxReceiver) && !(ts[from-1].kind == isSign && strings.Contains(";\n=", ts[from-1].text)) {
		from--
	}
	c.recv, c.args = ts[from:i], split(c.all, token.sign, ",")
	return c, ok
}

// arguments returns what stands behind the name of a call, token i: in brackets, or in
// Ruby and Perl without.
func arguments(lang Lang, ts tokenList, i int) (behind tokenList, ok bool) {
	next, plain := ts.at(i+1), lang == Ruby || lang == Perl
	behind = ts[min(len(ts), i+1):min(len(ts), i+2+maxCallArgs)]
	switch {
	case next.is("("):
		return behind[1:], true
	case plain && next.kind == isSign && strings.Contains("\n;}", next.text):
		return nil, true // User.destroy_all, unlink;
	case next.kind == isText && (plain || lang == Node && ts[i].text[0] == '$'), plain && slices.Contains([]string{"glob", "Dir", "Pathname", "for"}, next.text):
		return split(behind, token.sign, ";", "\n")[0], true
	}
	return nil, false
}

// called judges a call as a command: its name is what stands before it and itself, its
// operands are its arguments, its options the words in it. A path before it, as of
// Path("x").unlink(), is its first operand.
func (s *shell) called(c call, ts tokenList) {
	cmd := &command{shell: s, name: c.name, call: &c, program: ts, text: c.line}
	path := false // among the arguments
	for i := range c.args {
		text, ok := s.pathOf(c.arg(i))
		if ok && strings.HasPrefix(text, "-") {
			continue // rm("-rf", "/")
		}
		if path = path || ok; !ok {
			text = c.arg(i).plain()
		}
		if strings.Trim(text, notPath+"{}") != "" {
			cmd.args = append(cmd.args, field{s: text})
		}
	}
	if on, ok := s.pathOf(c.recv); ok && (c.from == ")" || !path) && !c.recv.has("require", "import") {
		cmd.on = true
		cmd.args = slices.Insert(cmd.args, 0, field{s: on})
	}
	cmd.places = make([]int, len(cmd.args))
	for i := range cmd.places {
		cmd.places[i] = i
	}
	for _, t := range slices.Concat(c.recv, c.all) {
		cmd.args = append(cmd.args, field{s: "-" + strings.TrimPrefix(t.text, "-")})
	}
	for _, name := range []string{c.from + "." + c.name, c.name} {
		if p := s.k.table.programs[c.lang][name]; p != nil && cmd.fitting(p, &stream{}) {
			return
		}
	}
}

// notPath stands before an argument that names no path.
const notPath = "="

// plain returns an argument that names no path: a number as it is.
func (ts tokenList) plain() string {
	text := ""
	for _, t := range ts {
		text += t.text
	}
	if text == "" || isNumber(strings.TrimPrefix(text, "-")) {
		return text
	}
	return notPath + text
}

// arg returns argument i, without a keyword before it.
func (c *call) arg(i int) tokenList {
	a := c.args[i]
	if a.at(1).is("=") && a[0].kind == isWord {
		a = a[2:]
	}
	return a
}

// applyCall judges a call's words by what they are for, and reports whether that is
// another way than a command's.
func (c *command) applyCall(r role) bool {
	if r.lang != "" {
		c.runs(r.lang, *c.call)
		return true
	}
	return r.name == "SWEEP" && !c.program.has(c.k.table.lists["removers"]...)
}

// runs judges a call that runs text: a program, a line for a shell, or a program's name
// and its arguments.
func (s *shell) runs(lang Lang, c call) {
	then := c.name == "then"
	if c.all.has(s.k.table.lists["fetchers"]...) || then && c.all.at(0).is("eval") {
		s.k.add("remote", c.name+"(…)", "runs what it downloads, unseen")
	} else if c.all.has(s.k.table.lists["decoders"]...) && !then {
		s.k.add("remote", c.name+"(…)", "runs what it decodes, unread")
	}
	switch words := c.words(); {
	case len(words) == 0:
	case lang != Shell:
		s.inside(lang, words[0].s)
	case len(words) > 1 && !strings.Contains(words[0].s, " "):
		s.inner(words, stream{})
	default:
		s.inside(lang, hole.get().ReplaceAllLiteralString(joined(words), slot))
	}
}

// words returns the words of the command that a call runs: its strings, without keywords
// and options.
func (c *call) words() (words []field) {
	for i := range c.args {
		a := c.arg(i)
		if i > 0 && len(a) < len(c.args[i]) || a.at(0).is("{") {
			continue // shell=True, env={…}
		}
		for _, t := range a {
			if text := strings.TrimSpace(t.text); t.kind == isText && text != "" {
				words = append(words, field{s: text})
			}
		}
	}
	return words
}

// pathOf returns the path that an argument names: its strings, joined as
// os.path.join or a / would, after the home directory where that is meant.
func (s *shell) pathOf(arg tokenList) (string, bool) {
	var parts []string
	home := false
	for _, t := range arg {
		switch {
		case t.text == "HOME" && (t.kind == isWord || arg.has("environ", "getenv", "ENV", "env")), t.is("home"), t.is("homedir"):
			home = true
		case t.kind == isText:
			parts = append(parts, t.text)
		}
	}
	p := strings.ReplaceAll(strings.Join(parts, "/"), slot, string(unknown))
	if home {
		p = "~/" + strings.TrimPrefix(p, "/")
	}
	return s.tilde(p, p), len(parts) > 0 || home
}
