package danger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/glob"
)

// A pattern is the form of a command, of a clause of SQL, or of a call in a program.
type pattern struct {
	names  []string
	elems  []elem
	valued []string // options that take a value
	prefix bool     // options end at the first operand
	in     want     // of the standard input
	out    string   // what is written; SCREEN: only where that is shown
}

// A kind says where an element of a pattern is looked for.
type kind byte

const (
	isOperand kind = iota
	isOption       // or an operand name=value
	isJoined       // all words behind the name
	isEnd          // no further operand
)

// An elem is one element of a pattern.
type elem struct {
	kind  kind
	not   bool
	many  bool     // any number of operands
	names []string // of an option
	want  want
}

// A want is what a word must be, or what it is for. The zero value is any word.
type want struct {
	words []string // in which * stands for anything
	re    *lazyRegexp
	class []string // of which it is one
	role  role
}

// given reports whether there is a condition.
func (w want) given() bool { return w.words != nil || w.re != nil || w.class != nil }

// regexps returns the regular expressions of a row.
func (r *row) regexps() []*lazyRegexp {
	out := []*lazyRegexp{r.re}
	for _, e := range r.elems {
		out = append(out, e.want.re)
	}
	return slices.DeleteFunc(out, func(re *lazyRegexp) bool { return re == nil })
}

// options reports whether a row says no more than what options are.
func (p *pattern) options() bool {
	return p.in.role.name == "" && p.out == "" && !slices.ContainsFunc(p.elems, func(e elem) bool { return e.kind == isOperand && !e.not })
}

// parse reads a pattern.
func (p *pattern) parse(text string) (err error) {
	words := strings.Fields(text)
	p.names = strings.Split(words[0], "|")
	for i := 1; i < len(words) && err == nil; i++ {
		w, last := words[i], i+1 == len(words)
		switch {
		case w == "<" && !last:
			i++
			p.in, err = parseWant(words[i])
		case w == ">" && !last:
			i++
			if p.out = words[i]; !slices.Contains(outputs, p.out) {
				err = fmt.Errorf("%q is not an output (%s)", p.out, strings.Join(outputs, ", "))
			}
		case w == "--":
			p.prefix = true
		default:
			err = p.parseElem(w)
		}
	}
	return err
}

// parseElem reads one element. Of an option that takes a value and means nothing else
// only the name is kept, in p.valued.
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
		e.kind, w = isEnd, "_"
	case w[0] == '~':
		e.kind, w = isJoined, w[1:]
	case option, key && w[0] != '/':
		e.kind, e.names = isOption, strings.Split(name, "|")
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
		e.want, err = parseWant(w)
	}
	p.elems = append(p.elems, e)
	return err
}

// parseWant reads what a word must be: /REGEX/, a class or a role in capitals, or words.
func parseWant(text string) (w want, err error) {
	switch {
	case len(text) > 1 && text[0] == '/' && text[len(text)-1] == '/':
		w.re = &lazyRegexp{src: text[1 : len(text)-1]}
	case slices.Contains(classes, strings.Split(text, "|")[0]):
		w.class = strings.Split(text, "|")
	case len(text) > 1 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") == "" && text[0] != '-':
		w.role, err = parseRole(text)
	default:
		w.words = strings.Split(text, "|")
	}
	return w, err
}

// meets reports whether a word is what is wanted.
func (s *shell) meets(w want, f field) bool {
	switch {
	case w.re != nil:
		return w.re.get().MatchString(f.s)
	case w.class != nil:
		return slices.ContainsFunc(w.class, func(class string) bool { return s.is(class, f) })
	case w.words != nil:
		return s.oneOf(w.words, f.s)
	}
	return true
}

// oneOf reports whether a word fits one of the words, or is in the list of an @name.
func (s *shell) oneOf(words []string, word string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return w[0] == '@' && s.k.table.in(w[1:], word) || glob.Match(w, word)
	})
}

// A binding is words and what they are for.
type binding struct {
	role  role
	words []field
	many  bool
}

// fit reports whether a row of p fits the command, and what its words are for then.
func (c *command) fit(r *row, p *program) (bound []binding, ok bool) {
	if r.out == "SCREEN" && c.captured || r.in.class != nil && !c.meets(r.in, field{src: &c.in}) {
		return nil, false
	}
	opts, at, ops := c.args, c.places, []elem(nil)
	if at == nil || len(r.valued) > 0 && c.call == nil {
		at = c.operands(p, r)
	}
	if c.places == nil && len(r.valued) == 0 {
		c.places = at
	}
	if (p.prefix || r.prefix) && len(at) > 0 {
		opts = opts[:at[0]]
	}
	for _, e := range r.elems {
		holds := false
		switch e.kind {
		case isOption:
			var values []field
			if values, holds = option(opts, e.names); e.want.given() {
				holds = slices.ContainsFunc(values, func(f field) bool { return c.meets(e.want, f) })
			} else if e.want.role.name != "" {
				for _, f := range values {
					bound = append(bound, binding{role: e.want.role, words: []field{f}})
				}
				continue
			}
		case isJoined:
			holds = slices.Contains(e.want.class, "EVERY-ROW") && c.everyRow() || e.want.re != nil && e.want.re.get().MatchString(joined(c.args))
		default:
			ops = append(ops, e)
			continue
		}
		if holds == e.not {
			return nil, false
		}
	}
	more, ok := c.sequence(ops, at)
	return append(bound, more...), ok
}

// sequence reports whether the operands, by their places among the arguments, stand as
// ops say: in this order, others between them.
func (c *command) sequence(ops []elem, at []int) (bound []binding, ok bool) {
	i := 0
	for n, e := range ops {
		b := binding{role: e.want.role, many: e.many}
		last := n+1 < len(ops) && ops[n+1].kind == isEnd
		switch {
		case e.not:
			if slices.ContainsFunc(at, func(a int) bool { return c.meets(e.want, c.args[a]) }) {
				return nil, false
			}
		case e.kind == isEnd:
			if i != len(at) && !(c.on && i == 0 && len(at) == 1) {
				return nil, false
			}
		case e.want.role.rest() && i < len(at):
			b.words = c.args[at[i]:]
			i = len(at)
		case e.many:
			for ; i < len(at)-(len(ops)-n-1); i++ {
				b.words = append(b.words, c.args[at[i]])
			}
		default:
			for i < len(at) && (last && i < len(at)-1 || !c.meets(e.want, c.args[at[i]])) {
				i++
			}
			if i++; i > len(at) {
				return nil, false
			}
			b.words = []field{c.args[at[i-1]]}
		}
		bound = append(bound, b)
	}
	return bound, true
}

// operands returns the indexes of the arguments that are neither options nor their values.
func (c *command) operands(p *program, r *row) []int {
	takes := func(name string) bool { return slices.Contains(p.valued, name) || slices.Contains(r.valued, name) }
	out := make([]int, 0, len(c.args))
	for i := 0; i < len(c.args); i++ {
		switch a := c.args[i].s; {
		case len(a) < 2 || a[0] != '-' && (a[0] != '+' || !takes("+")):
			out = append(out, i)
		case takes(a):
			i++
		case a[0] == '-' && bundle(a):
			// The letter that takes a value takes the rest, or the next word.
			if j := strings.IndexFunc(a[1:], func(l rune) bool { return takes("-" + string(l)) }); j == len(a)-2 {
				i++
			}
		}
	}
	return out
}

// option looks for options among args: as a word, with a value behind = or in the next
// word, and letters among others; -x* stands for all words that begin with -x, x= for an
// operand that does, + for a word that does. It returns the values, and whether there is
// one of the options.
func option(args []field, names []string) (values []field, given bool) {
	for i, a := range args {
		if len(a.s) < 2 || a.s == "--" {
			continue
		}
		for _, n := range names {
			rest, begins := strings.CutPrefix(a.s, strings.TrimSuffix(n, "*"))
			letter := len(n) == 2 && n[0] == '-' && a.s[0] == '-' && a.s[1] != '-'
			value, next := field{src: a.src}, false
			switch {
			case a.s == n:
				next = true
			case n[len(n)-1] == '=' && begins, n == "+" && begins:
				value.s = rest
			case begins && n[len(n)-1] == '*', begins && strings.HasPrefix(rest, "=") && rest != "=false" && rest != "=none":
				value.s = strings.TrimPrefix(rest, "=")
			case letter && begins:
				value.s = rest
			case letter && bundle(a.s) && strings.Contains(a.s, n[1:]):
				next = a.s[len(a.s)-1] == n[1]
			default:
				continue
			}
			given = true
			if next && i+1 < len(args) {
				value = args[i+1]
			}
			if value.s != "" {
				values = append(values, value)
			}
		}
	}
	return values, given
}

// bundle reports whether a word is a sign and letters of options.
func bundle(word string) bool {
	return len(word) <= 8 && word[1] != '-' && strings.IndexFunc(word[1:], func(r rune) bool { return r > 127 || !isLetter(byte(r)) || r == '_' }) < 0
}
