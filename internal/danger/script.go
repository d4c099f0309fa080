package danger

import (
	"strings"
)

// An effect is what a call of a programming language does with its arguments.
type effect int

const (
	doesShell  effect = iota // runs its first string as a command line, or a list as a command
	doesTree                 // deletes a directory and all below it
	doesTreeIf               // the same when the call says recursive
	doesFile                 // deletes a file
	doesWrite                // writes a file
	doesOpen                 // opens a file: reads it, or writes it by its mode
	doesRead                 // reads a file
	doesKill                 // signals a process
	doesCode                 // runs its argument as a program
	doesSQL                  // runs SQL
	doesFork                 // makes a process
	doesMove                 // moves its first path to its second
	doesCopy                 // copies its first path to its second
	doesMode                 // changes the mode or owner of a path
	doesDrop                 // deletes a database, or all that a table or a cache holds
	doesEach                 // calls what its arguments name with the others
)

// A call is one call in a program.
type progCall struct {
	name string      // the last word
	from string      // the word before it, "" for none, ")" for a call's result
	args []tokenList // between commas
	all  tokenList   // all between the brackets
	end  int         // the token behind it
	most int         // tokens of arguments that are looked at
	recv tokenList   // what it is called on
}

// maxCallArgs is how many tokens of a call's arguments are looked at, maxAgain how
// many when each token of the program has been looked at as often.
const (
	maxCallArgs = 400
	maxAgain    = 8
)

// script judges a program, or a line of one, by the calls in it.
func (k *check) script(lang Lang, text string) {
	k.escapes(lang, text)
	ts := joinTexts(withoutRegexps(lang, tokens(lang, text)))
	s := newShell(k)
	if lang == Python {
		ts = imported(ts)
		s.sweeps(ts)
	}
	ts = known(lang, members(ts))
	forever := false
	looked := 0 // tokens in arguments, which are looked at again in calls inside calls
	for i, t := range ts {
		switch {
		case t.kind == isShell:
			k.inside(Shell, t.text)
		case t.kind != isWord:
		case endless(ts, i):
			forever = true
		default:
			c := callName(ts, i)
			eff, ok := effectOf(lang, c)
			c.most = maxCallArgs
			if looked > maxAgain*len(ts) {
				c.most = maxAgain
			}
			if !ok || !c.takeArgs(lang, ts, i) {
				continue
			}
			looked += len(c.all)
			if !k.step() {
				return
			}
			if eff == doesFork && forever {
				k.add("bomb", text, "starts processes without end")
			}
			s.called(lang, eff, c)
		}
	}
	if ts.has("socket") && ts.has("connect") && (ts.has("dup2") || ts.has("spawn")) {
		k.add("remote", text, "gives a shell to another machine")
	}
	if lang == Ruby && strings.Contains(text, "delete_all") {
		k.rubyDelete(ts)
	}
}

// endless reports whether a loop without end begins at token i.
func endless(ts tokenList, i int) bool {
	one, two := ts.at(i+1).text, ts.at(i+2).text
	switch ts[i].text {
	case "while":
		return one == "True" || one == "1" || one == "true" || two == "true" || two == "1"
	case "for":
		return one == "(" && two == ";"
	}
	return ts[i].text == "loop"
}

// has reports whether one of the tokens is the word w.
func (ts tokenList) has(w string) bool {
	for _, t := range ts {
		if t.kind == isWord && t.text == w {
			return true
		}
	}
	return false
}

// rubyDelete judges ActiveRecord's delete_all and destroy_all on a whole table.
func (k *check) rubyDelete(ts tokenList) {
	for i, t := range ts {
		if i > 1 && (t.text == "delete_all" || t.text == "destroy_all") && ts[i-1].text == "." && ts[i-2].kind == isWord && ts[i-2].text != "" && ts[i-2].text[0] >= 'A' && ts[i-2].text[0] <= 'Z' {
			k.add("sql", ts.String(), "deletes all rows of a table")
		}
	}
}

// withoutRegexps drops the regular expressions of JavaScript that stand before a
// call: /x/.exec(y) runs nothing.
func withoutRegexps(lang Lang, ts tokenList) tokenList {
	if lang != Node {
		return ts
	}
	out := ts[:0:0]
	for i, t := range ts {
		if t.kind == isWord && t.text == "exec" && i > 1 && ts[i-1].text == "." && (ts[i-2].text == "/" || ts[i-2].text == "g" || ts[i-2].text == "i") {
			t.text = "match"
		}
		out = append(out, t)
	}
	return out
}

// joinTexts joins strings that are added or stand side by side: "rm " + "-rf".
// The letter before a string (f, r, b) goes.
func joinTexts(ts tokenList) tokenList {
	var out tokenList
	for i := 0; i < len(ts); i++ {
		t := ts[i]
		n := len(out)
		if t.kind == isText && n > 0 {
			last := out[n-1]
			if last.kind == isWord && len(last.text) <= 2 && strings.Trim(last.text, "fFrRbBuU") == "" {
				if strings.ContainsAny(last.text, "fF") {
					t.text = filledIn(t.text)
				}
				out = out[:n-1]
				n--
			}
			if n > 0 && out[n-1].kind == isText && len(out[n-1].text) < maxValue {
				out[n-1].text += t.text
				continue
			}
			if n > 1 && out[n-1].text == "+" && out[n-1].kind == isSign && out[n-2].kind == isText && len(out[n-2].text) < maxValue {
				out = out[:n-1]
				out[n-2].text += t.text
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

// callName returns the call whose name is token i, without its arguments.
func callName(ts tokenList, i int) progCall {
	c := progCall{name: ts[i].text}
	if i > 1 && ts[i-1].text == "-" && ts[i-2].kind == isWord {
		if long := ts[i-2].text + "-" + c.name; calls[Perl][long] != 0 || long == "run-program" {
			c.name = long // a Lisp's
		}
	}
	switch {
	case i > 1 && ts[i-1].text == "." && ts[i-2].kind == isWord:
		c.from = ts[i-2].text
	case i > 0 && ts[i-1].text == ".", i > 0 && ts[i-1].text == ":":
		c.from = ")"
	}
	c.recv = ts[max(0, i-maxReceiver):i]
	return c
}

// maxReceiver is how many tokens before a call are looked at.
const maxReceiver = 40

// takeArgs takes the arguments of the call whose name is token i, and reports
// whether it is a call.
func (c *progCall) takeArgs(lang Lang, ts tokenList, i int) bool {
	if i > 0 && ts[i-1].kind == isWord && (ts[i-1].text == "def" || ts[i-1].text == "function" || ts[i-1].text == "import") {
		return false
	}
	j, bare, ok := argsBegin(lang, c.name, ts, i)
	if !ok {
		return false
	}
	var arg tokenList
	depth := 0
	for ; j < len(ts) && len(c.all) < c.most; j++ {
		t := ts[j]
		if t.kind == isSign {
			switch t.text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth--
			}
			if depth < 0 || bare && (t.text == ";" || t.text == "\n") {
				break
			}
			if t.text == "," && depth == 0 {
				c.args = append(c.args, arg)
				arg = nil
				c.all = append(c.all, t)
				continue
			}
		}
		arg = append(arg, t)
		c.all = append(c.all, t)
	}
	c.args, c.end = append(c.args, arg), j
	return true
}

// argsBegin returns where the arguments of the call whose name is token i begin, and
// whether they stand without brackets.
func argsBegin(lang Lang, name string, ts tokenList, i int) (at int, bare, ok bool) {
	next := ts.at(i + 1)
	lisp := lang == Ruby || lang == Perl
	switch {
	case next.text == "(" && next.kind == isSign:
		return i + 2, false, true
	case next.text == "!" && ts.at(i+2).text == "(":
		return i + 3, false, true // Elixir's File.rm_rf!(…)
	case lang == Ruby && ts.at(i-1).text == "." && next.kind == isSign && contains([]string{"", "\n", ";", "}"}, next.text):
		return len(ts), false, true // User.destroy_all
	case next.kind == isText && (lisp || lang == Node && name[0] == '$'), lang == Perl && name == "exec" && i+1 < len(ts),
		lisp && contains([]string{"glob", "Dir", "Pathname"}, next.text):
		return i + 1, true, true
	}
	return 0, false, false
}

// effectOf returns what a call does.
func effectOf(lang Lang, c progCall) (effect, bool) {
	table := calls[lang]
	if c.from != "" {
		if e, ok := table[c.from+"."+c.name]; ok {
			return e, true
		}
	}
	e, ok := table[c.name]
	if only, limited := qualified[c.name]; ok && limited && !contains(only, c.from) {
		return e, false
	}
	return e, ok
}
