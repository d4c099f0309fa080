package danger

import (
	"slices"
	"strings"
)

// Limits on the tokens of a call's arguments, and of its receiver.
const (
	maxCallArgs = 200
	maxReceiver = 40
)

// A call is one call in a program.
type call struct {
	lang      Lang
	name      string      // the last part of the name, such as remove in os.remove
	qualifier string      // what precedes the dot before name, such as os in os.remove; "" if there is none
	args      []tokenList // split at commas
	tokens    tokenList   // everything between the brackets
	receiver  tokenList   // the tokens between name and the start of the statement or =, at most maxReceiver
}

// judgeScript judges a program, or a line of one, by its calls.
func (s *shell) judgeScript(lang Lang, text string) {
	s.judgeText(lang, text)
	for _, r := range s.check.table.texts[reads] { // such as getattr(os, "system"), fs["rmSync"](…), "r" + "m"
		text = r.re().ReplaceAllString(text, r.why)
	}
	ts := resolveNames(tokens(lang, text))
	for i, t := range ts {
		if t.kind == shellToken {
			s.judgeNested(Shell, t.text)
		}
		if t.kind != wordToken || !s.check.table.in("calls-"+string(lang), t.text) {
			continue
		}
		if c, ok := callAt(lang, ts, i); ok && s.check.withinBudget() {
			s.judgeCall(c, ts, lineAt(text, t.at))
		}
	}
}

// callAt returns the call whose name is token i. ok is false if the token does not name a call.
func callAt(lang Lang, ts tokenList, i int) (c call, ok bool) {
	after, ok := arguments(lang, ts, i)
	c.lang, c.name, c.tokens = lang, ts[i].text, split(after)[0]
	if ts.at(i - 1).is(".") {
		c.qualifier = ts.at(i - 2).text
	}
	from := i
	for from > max(0, i-maxReceiver) && !(ts[from-1].kind == signToken && strings.Contains(";\n=", ts[from-1].text)) {
		from--
	}
	c.receiver, c.args = ts[from:i], split(c.tokens, ",")
	return c, ok
}

// arguments returns the tokens after the name of a call, token i. In Ruby and Perl, it also recognises
// some calls without parentheses. ok is false if token i does not name a call.
func arguments(lang Lang, ts tokenList, i int) (args tokenList, ok bool) {
	next, optionalParens := ts.at(i+1), lang == Ruby || lang == Perl
	args = ts[min(len(ts), i+1):min(len(ts), i+2+maxCallArgs)]
	switch {
	case next.is("("):
		return args[1:], true
	case optionalParens && next.kind == signToken && strings.Contains("\n;}", next.text):
		return nil, true // such as User.destroy_all or unlink;
	case optionalParens && (next.kind == stringToken || slices.Contains([]string{"glob", "Dir", "Pathname", "for"}, next.text)),
		lang == Node && next.kind == stringToken && ts[i].text[0] == '$': // such as $`rm x` of the library zx
		return split(args, ";", "\n")[0], true
	}
	return nil, false
}

// judgeCall judges a call as a command. The command is named QUALIFIER.NAME, or NAME if there are no
// rows for the former. Its operands are the call's arguments, and every token of the call is also an
// option. A path in the receiver, as in Path("x").unlink(), is the first operand. line is the line of
// the program ts that contains the call.
func (s *shell) judgeCall(c call, ts tokenList, line string) {
	cmd := &command{shell: s, name: c.name, call: &c, program: ts, text: line}
	path := false // an argument is a path
	for i := range c.args {
		text, ok := s.pathOf(c.arg(i))
		if ok && strings.HasPrefix(text, "-") {
			continue // an option, as in rm("-rf", "/")
		}
		path = path || ok
		if !ok {
			text = c.arg(i).plain()
		}
		if strings.Trim(text, notPath+"{}") != "" {
			cmd.args = append(cmd.args, field{text: text})
		}
	}
	if receiver, ok := s.pathOf(c.receiver); ok && (c.qualifier == ")" || !path) && !c.receiver.has("require", "import") {
		cmd.hasReceiver = true
		cmd.args = slices.Insert(cmd.args, 0, field{text: receiver})
	}
	cmd.operandIndexes = make([]int, len(cmd.args))
	for i := range cmd.operandIndexes {
		cmd.operandIndexes[i] = i
	}
	for _, t := range slices.Concat(c.receiver, c.tokens) {
		cmd.args = append(cmd.args, field{text: "-" + strings.TrimPrefix(t.text, "-")})
	}
	for _, name := range []string{c.qualifier + "." + c.name, c.name} {
		if p := s.check.table.programs[c.lang][name]; p != nil && cmd.applyRows(p, &stream{}) {
			return
		}
	}
}

// notPath is put before an argument that is not a path, so that no effect on a path is judged for it.
const notPath = "="

// plain returns the text of an argument that is not a path, prefixed with notPath unless it is
// a number.
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

// arg returns argument i without the name of a keyword argument.
func (c *call) arg(i int) tokenList {
	a := c.args[i]
	if a.at(1).is("=") && a[0].kind == wordToken {
		a = a[2:]
	}
	return a
}

// judgeExec judges a call that executes its arguments: as text in lang, or as the name and the
// arguments of a program.
func (s *shell) judgeExec(lang Lang, c call) {
	isThen := c.name == "then" // as in fetch(url).then(eval)
	var from taint
	if c.tokens.has(s.check.table.lists["fetchers"]...) || isThen && c.tokens.at(0).is("eval") {
		from = fromNet
	} else if c.tokens.has(s.check.table.lists["decoders"]...) && !isThen {
		from = fromCode
	}
	(&command{shell: s, text: c.name + "(…)"}).judgeTaint(from)
	switch words := c.words(); {
	case len(words) == 0:
	case lang != Shell:
		s.judgeNested(lang, words[0].text)
	case len(words) > 1 && !strings.Contains(words[0].text, " "):
		s.runNested(words, stream{})
	default:
		s.judgeNested(lang, interpolation().ReplaceAllLiteralString(joinWords(words), placeholder))
	}
}

// words returns the words of the command that a call runs: its string arguments, without
// keyword arguments and options.
func (c *call) words() (words []field) {
	for i := range c.args {
		a := c.arg(i)
		if i > 0 && len(a) < len(c.args[i]) || a.at(0).is("{") {
			continue // such as shell=True or env={…}
		}
		for _, t := range a {
			if text := strings.TrimSpace(t.text); t.kind == stringToken && text != "" {
				words = append(words, field{text: text})
			}
		}
	}
	return words
}

// pathOf returns the path that an argument names: its strings, joined with / as by os.path.join,
// and prefixed with ~/ if the argument refers to the home directory.
func (s *shell) pathOf(arg tokenList) (string, bool) {
	var parts []string
	home := false
	for _, t := range arg {
		switch {
		case t.text == "HOME" && (t.kind == wordToken || arg.has("environ", "getenv", "ENV", "env")), t.is("home"), t.is("homedir"):
			home = true
		case t.kind == stringToken:
			parts = append(parts, t.text)
		}
	}
	p := strings.ReplaceAll(strings.Join(parts, "/"), placeholder, string(unknown))
	if home {
		p = "~/" + strings.TrimPrefix(p, "/")
	}
	return s.expandTilde(p, p), len(parts) > 0 || home
}
