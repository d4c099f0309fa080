package danger

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file has the places where a shell evaluates text that stands in quotes or in
// a variable: arithmetic and array subscripts, prompts, the words of set, eval and
// trap, and the options of its own commands that take a command.

// again reads text that the shell itself runs, with its own directory and variables.
func (s *shell) again(text string) stream {
	if !s.k.deeper(text) {
		return stream{}
	}
	defer s.k.up()
	return s.source(text)
}

// evaluates reads the command substitutions in text that a shell expands once more:
// a subscript in quotes, a prompt, ${x@P}.
func (s *shell) evaluates(text string) {
	if strings.Contains(text, "$(") || strings.Contains(text, "`") {
		s.fork().again(`: "` + strings.ReplaceAll(text, `"`, "") + `"`)
	}
}

// subscripts evaluates text that stands where a number or the name of a variable
// does, as in a[$(cmd)].
func (s *shell) subscripts(text string) {
	if strings.Contains(text, "[") {
		s.evaluates(text)
	}
}

// nested reads the command substitutions inside an expression, also those in the
// values of its variables.
func (s *shell) nested(node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			s.subst(n.Stmts)
			return false
		case *syntax.ProcSubst:
			s.subst(n.Stmts)
			return false
		case *syntax.SglQuoted:
			s.subscripts(n.Value)
		case *syntax.Lit:
			for _, v := range s.vars[n.Value] {
				s.subscripts(v.s)
			}
		}
		return true
	})
}

// expressions reads what is evaluated inside the braces of a parameter beside its
// default: a subscript, a slice, a replacement.
func (s *shell) expressions(p *syntax.ParamExp) {
	if p.Index != nil {
		s.nested(p.Index)
	}
	if p.Slice != nil {
		s.nested(p.Slice.Offset)
		if p.Slice.Length != nil {
			s.nested(p.Slice.Length)
		}
	}
	if p.Repl != nil {
		s.one(p.Repl.Orig)
		s.one(p.Repl.With)
	}
}

// replaced returns a value with a plain text in it replaced, as in ${x/a/b}; false
// when a pattern or an unknown value is in the way.
func (s *shell) replaced(p *syntax.ParamExp, val []field) ([]field, bool) {
	from, to := s.one(p.Repl.Orig).s, s.one(p.Repl.With).s
	if from == "" || len(val) != 1 || strings.ContainsAny(from, "*?[#%\\\x00") {
		return nil, false
	}
	n := 1
	if p.Repl.All {
		n = -1
	}
	if len(val[0].s)*max(1, len(to)) > maxValue {
		return nil, false
	}
	return []field{{s: strings.Replace(val[0].s, from, to, n), src: val[0].src}}, true
}

// evaluating are the shell's own commands that evaluate the names, and for printf and
// test some, of their arguments.
var evaluating = map[string]bool{
	"test": true, "[": true, "unset": true, "read": true, "printf": true, "let": true, "wait": true, "mapfile": true, "readarray": true,
	"declare": true, "typeset": true, "local": true, "export": true, "readonly": true, "getopts": true,
}

// builtinRule judges the shell's own commands that keep or run text.
func builtinRule(name string) func(*command) stream {
	switch name {
	case "eval":
		return eval
	case "trap":
		return func(c *command) stream {
			if _, ops := splitArgs(c.args, "", true); len(ops) > 1 {
				c.fork().again(ops[0].s)
			}
			return stream{}
		}
	case "set":
		return setWords
	case "hash":
		return func(c *command) stream {
			if opts, ops := c.split("p"); opts["p"] != "" && len(ops) > 0 {
				c.aliases[ops[0].s] = opts["p"]
			}
			return stream{}
		}
	case "complete", "compgen", "mapfile", "readarray", "bind", "bindkey":
		return calledBack
	case "enable":
		return func(c *command) stream {
			if opts, _ := c.split("f"); opts["f"] != "" && strings.Contains(opts["f"], "/") {
				c.k.add("remote", c.line(), "loads a library into the shell")
			}
			return stream{}
		}
	}
	return nil
}

// calledBack judges the commands that the shell is told to run later: at a key, for a
// completion, for the lines that mapfile reads.
func calledBack(c *command) stream {
	if strings.HasPrefix(c.name, "bind") {
		for _, m := range boundCommand.FindAllStringSubmatch(joined(c.args), maxLoop) {
			c.fork().again(m[1])
		}
		return stream{}
	}
	opts, _ := c.split("CFAGPSWXcdnOsu")
	c.fork().again(opts["C"])
	return stream{}
}

// boundCommand finds the command that a key is bound to: bind -x '"\C-x": cmd'.
var boundCommand = regexp.MustCompile(`(?:^| )-[xs]\b[^:]*:\s*(.*)`)

// recalled finds a word that a shell takes out of its history: !$, !*, !!:2, !x:1.
var recalled = regexp.MustCompile(`^!(?:[$*^!?]|[-0-9]|[A-Za-z]+:)`)

// recalls judges a command that destroys by words that stand in the history alone.
func (s *shell) recalls(c *syntax.CallExpr) {
	for i, w := range c.Args {
		word := w.Lit()
		if i == 0 && (recalled.MatchString(word) || len(word) > 2 && word[0] == '^' && strings.Count(word, "^") > 1) || i > 0 && recalled.MatchString(word) && (destructive[c.Args[0].Lit()] || c.Args[0].Lit() == "sudo") {
			s.k.add("unreadable", word, "runs words of the shell's history that cannot be seen here")
			return
		}
	}
}

// destructive are the commands that an operand which nobody has read makes dangerous.
var destructive = map[string]bool{"rm": true, "dd": true, "shred": true, "mv": true, "chmod": true, "chown": true, "truncate": true, "wipefs": true, "eval": true, "bash": true, "sh": true}

// setWords gives the shell the words behind set as $1, $2 and so on.
func setWords(c *command) stream {
	if len(c.args) == 0 || c.arg(0) == "+o" || c.arg(0) == "-o" && c.arg(1) != "--" {
		return traces(c)
	}
	words := c.args
	for i, a := range c.args {
		if a.s == "--" {
			words = c.args[i+1:]
			break
		}
	}
	if len(words) == len(c.args) && strings.HasPrefix(c.arg(0), "-") {
		return stream{}
	}
	c.positional(words)
	return stream{}
}

// maxPositional is how many positional parameters have a name of their own.
const maxPositional = 9

// positional sets $@, $1 and those after it.
func (s *shell) positional(words []field) {
	if len(words) > maxBraces {
		words = append(words[:maxBraces-1:maxBraces-1], field{s: string(unknown)}) // set -- "$@" "$@"
	}
	s.vars["@"], s.vars["*"] = words, words
	for i, w := range words[:min(len(words), maxPositional)] {
		s.vars[string(rune('1'+i))] = []field{w}
	}
}

func eval(c *command) stream {
	for _, a := range c.args {
		if a.src != nil && c.tainted(a.src.taint, a.s) {
			return stream{}
		}
	}
	return c.again(joined(c.args))
}

// printsVariables judges echo and printf with a variable whose name says that it holds
// credentials, where the screen shows what they print.
func (s *shell) printsVariables(c *syntax.CallExpr) {
	name := c.Args[0].Lit()
	if s.captured || name != "echo" && name != "printf" && name != "print" {
		return
	}
	for _, w := range c.Args[1:] {
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst:
				return false
			case *syntax.ParamExp:
				if n.Param != nil && !n.Length && n.Exp == nil && n.Slice == nil && n.Repl == nil && secretName.MatchString(n.Param.Value) && s.vars[n.Param.Value] == nil {
					s.k.add("credentials", name+" $"+n.Param.Value, "shows a variable that holds credentials")
				}
			}
			return true
		})
	}
}
