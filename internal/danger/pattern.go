package danger

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/glob"
)

// A pattern describes a command, a clause of SQL, or a call in a program.
type pattern struct {
	names        []string  // of the programs, clauses or calls
	elems        []elem    // what follows the name, except < and >
	valued       []string  // options that take a value
	optionsFirst bool      // options end at the first operand
	in           condition // role or class of the standard input
	out          string    // one of outputs, or ""; SCREEN: the pattern matches only if the output is shown
}

// A kind says which part of a command an element of a pattern matches.
type kind byte

const (
	operandElem kind = iota // an operand: a word that is neither an option nor the value of one
	optionElem              // an option, or an operand of the form name=value
	textElem                // all words after the name, as one text
	endElem                 // no further operand
)

// An elem is one element of a pattern.
type elem struct {
	kind  kind
	not   bool      // the command must not have such a word
	many  bool      // accepts any number of operands
	names []string  // names of an option, in the forms that findOption describes
	cond  condition // on the operand, or on the option's value
}

// A condition says which words an element accepts, or the role of any word. At most one field is set.
type condition struct {
	words []string // accepted words, in which * matches anything
	re    func() *regexp.Regexp
	class []string // accepted classes, such as SECRET; see inClass
	role  role
}

// onlyOptions reports whether the pattern is about options alone: it has no element for an operand
// except !X, no role for the input, and no output.
func (p *pattern) onlyOptions() bool {
	return p.in.role.name == "" && p.out == "" && !slices.ContainsFunc(p.elems, func(e elem) bool { return e.kind == operandElem && !e.not })
}

func (p *pattern) parse(text string) (err error) {
	words := strings.Fields(text)
	p.names = strings.Split(words[0], "|")
	for i := 1; i < len(words) && err == nil; i++ {
		w, last := words[i], i+1 == len(words)
		switch {
		case w == "<" && !last:
			i++
			p.in, err = parseCondition(words[i])
		case w == ">" && !last:
			i++
			if p.out = words[i]; !slices.Contains(outputs, p.out) {
				err = fmt.Errorf("%q is not an output (%s)", p.out, strings.Join(outputs, ", "))
			}
		case w == "--":
			p.optionsFirst = true
		default:
			err = p.parseElem(w)
		}
	}
	return err
}

// parseElem parses one element. If w says only that an option takes a value, as in -a:, parseElem
// adds no element, but the option's name to p.valued.
func (p *pattern) parseElem(w string) (err error) {
	var e elem
	w, e.not = strings.CutPrefix(w, "!")
	name, value, key := strings.Cut(w, "=")
	option := w[0] == '-' || w[0] == '+'
	if option && !key {
		name, value, key = strings.Cut(w, ":")
	}
	switch {
	case w == "$":
		e.kind, w = endElem, "_"
	case w[0] == '~':
		e.kind, w = textElem, w[1:]
	case option, key && w[0] != '/':
		e.kind, e.names = optionElem, strings.Split(name, "|")
		if w = value; option && key {
			p.valued = append(p.valued, e.names...)
		} else if key {
			e.names = strings.Split(strings.ReplaceAll(name, "|", "=|")+"=", "|")
		}
		if key && value == "" {
			return nil
		}
	default:
		w, e.many = strings.CutSuffix(w, "...")
	}
	if w != "_" && w != "" {
		e.cond, err = parseCondition(w)
	}
	p.elems = append(p.elems, e)
	return err
}

// parseCondition parses a condition: /REGEX/, a class or a role in capitals, or words.
func parseCondition(text string) (c condition, err error) {
	switch {
	case len(text) > 1 && text[0] == '/' && text[len(text)-1] == '/':
		c.re = lazy(text[1 : len(text)-1])
		_, err = syntax.Parse(text[1:len(text)-1], syntax.Perl)
	case slices.Contains(classes, strings.Split(text, "|")[0]):
		c.class = strings.Split(text, "|")
	case len(text) > 1 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") == "" && text[0] != '-':
		c.role, err = parseRole(text)
	default:
		c.words = strings.Split(text, "|")
	}
	return c, err
}

// satisfies reports whether a word satisfies a condition.
func (s *shell) satisfies(c condition, f field) bool {
	switch {
	case c.re != nil:
		return c.re().MatchString(f.text)
	case c.class != nil:
		return slices.ContainsFunc(c.class, func(class string) bool { return s.inClass(class, f) })
	case c.words != nil:
		return s.oneOf(c.words, f.text)
	}
	return true
}

// oneOf reports whether word matches one of words, in which * is any text, or is in a list that one names with @.
func (s *shell) oneOf(words []string, word string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return w[0] == '@' && s.check.table.in(w[1:], word) || glob.Match(w, word)
	})
}

// A binding is a role and the words that have it.
type binding struct {
	role  role
	words []field
	many  bool // the element of the pattern accepts any number of operands
}

// match reports whether a row of p matches the command, and returns the roles of its words.
func (c *command) match(r *row, p *program) (bound []binding, ok bool) {
	if r.out == "SCREEN" && c.captured || r.in.class != nil && !c.satisfies(r.in, field{origin: &c.in}) {
		return nil, false
	}
	options, operands, elems := c.args, c.operandIndexes, []elem(nil)
	if operands == nil {
		operands = c.operandPositions(p, r)
	}
	if (p.optionsFirst || r.optionsFirst) && len(operands) > 0 {
		options = options[:operands[0]]
	}
	for _, e := range r.elems {
		holds := false
		switch e.kind {
		case optionElem:
			values, given := findOption(options, e.names)
			if e.cond.role.name != "" {
				for _, f := range values {
					bound = append(bound, binding{role: e.cond.role, words: []field{f}})
				}
				continue
			}
			holds = given
			if e.cond.words != nil || e.cond.re != nil || e.cond.class != nil {
				holds = slices.ContainsFunc(values, func(f field) bool { return c.satisfies(e.cond, f) })
			}
		case textElem:
			holds = slices.Contains(e.cond.class, "EVERY-ROW") && c.affectsAllRows() || e.cond.re != nil && e.cond.re().MatchString(joinWords(c.args))
		default:
			elems = append(elems, e)
			continue
		}
		if holds == e.not {
			return nil, false
		}
	}
	more, ok := c.matchOperands(elems, operands)
	return append(bound, more...), ok
}

// matchOperands reports whether the operands, given by their indexes in the arguments, match elems
// in this order. Before, between and (unless an endElem follows) after them, others are allowed.
func (c *command) matchOperands(elems []elem, operands []int) (bound []binding, ok bool) {
	i := 0
	for n, e := range elems {
		b := binding{role: e.cond.role, many: e.many}
		last := n+1 < len(elems) && elems[n+1].kind == endElem
		switch {
		case e.not:
			if slices.ContainsFunc(operands, func(a int) bool { return c.satisfies(e.cond, c.args[a]) }) {
				return nil, false
			}
		case e.kind == endElem:
			if i != len(operands) && !(c.hasReceiver && i == 0 && len(operands) == 1) {
				return nil, false
			}
		case e.cond.role.takesRest() && i < len(operands):
			b.words = c.args[operands[i]:]
			i = len(operands)
		case e.many:
			for ; i < len(operands)-(len(elems)-n-1); i++ {
				b.words = append(b.words, c.args[operands[i]])
			}
		default:
			for i < len(operands) && (last && i < len(operands)-1 || !c.satisfies(e.cond, c.args[operands[i]])) {
				i++
			}
			if i++; i > len(operands) {
				return nil, false
			}
			b.words = []field{c.args[operands[i-1]]}
		}
		bound = append(bound, b)
	}
	return bound, true
}

// operandPositions returns the indexes of the arguments that are neither options nor values of options.
func (c *command) operandPositions(p *program, r *row) []int {
	takes := func(name string) bool { return slices.Contains(p.valued, name) || slices.Contains(r.valued, name) }
	out := make([]int, 0, len(c.args))
	for i := 0; i < len(c.args); i++ {
		switch a := c.args[i].text; {
		case len(a) < 2 || a[0] != '-' && (a[0] != '+' || !takes("+")):
			out = append(out, i)
		case takes(a):
			i++
		case a[0] == '-' && isOptionLetters(a):
			// The value of a letter is the rest of the word, or else the next word.
			if j := strings.IndexFunc(a[1:], func(l rune) bool { return takes("-" + string(l)) }); j == len(a)-2 {
				i++
			}
		}
	}
	return out
}

// findOption looks for options among args: as a word or as one of several letters, with a value after =, after
// the letter or in the next word. --x=false and --x=none do not count. The name -x* means all words that begin
// with -x, x= means operands that begin with x=, and + means words that begin with +. findOption returns the
// values, and whether any of the options is given.
func findOption(args []field, names []string) (values []field, given bool) {
	for i, a := range args {
		if len(a.text) < 2 || a.text == "--" {
			continue
		}
		for _, n := range names {
			rest, begins := strings.CutPrefix(a.text, strings.TrimSuffix(n, "*"))
			letter := len(n) == 2 && n[0] == '-' && a.text[0] == '-' && a.text[1] != '-'
			value, next := field{origin: a.origin}, false
			switch {
			case a.text == n:
				next = true
			case n[len(n)-1] == '=' && begins, n == "+" && begins:
				value.text = rest
			case begins && n[len(n)-1] == '*', begins && strings.HasPrefix(rest, "=") && rest != "=false" && rest != "=none":
				value.text = strings.TrimPrefix(rest, "=")
			case letter && begins:
				value.text = rest
			case letter && isOptionLetters(a.text) && strings.Contains(a.text, n[1:]):
				next = a.text[len(a.text)-1] == n[1]
			default:
				continue
			}
			given = true
			if next && i+1 < len(args) {
				value = args[i+1]
			}
			if value.text != "" {
				values = append(values, value)
			}
		}
	}
	return values, given
}

// isOptionLetters reports whether word, which begins with a sign, has at most 7 letters and digits after the sign.
func isOptionLetters(word string) bool {
	return len(word) <= 8 && word[1] != '-' && !strings.ContainsFunc(word[1:], func(r rune) bool { return !isNameChar(r) || r == '_' })
}
