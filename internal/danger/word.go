package danger

import (
	"cmp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unknown stands in a word for text that only running would tell.
const unknown = '\x00'

const (
	maxWords      = 64 // of a list that is read
	maxPositional = 9  // positional parameters that have a name of their own
)

// A field is one word of a command, after expansion.
type field struct {
	s   string
	src *stream // of the command whose output it holds, nil when none
}

// A stream is what is known of the output of a command.
type stream struct {
	text  string // a list of paths may have unknown parts
	known bool   // text is all of it
	taint taint
	tty   bool // nothing is piped in
}

// A taint says where data comes from.
type taint uint8

const (
	fromNet   taint = 1 << iota // downloaded
	fromCode                    // decoded from something unreadable
	fromEnv                     // holds the environment or credentials
	fromShell                   // a shell that somebody types to
	fromOwn                     // holds the project's own credentials: .env
)

// textStream is the output of a text, with where it comes from when src is given.
func textStream(text string, src *stream) stream {
	out := stream{text: text, known: !strings.ContainsRune(text, unknown)}
	if src != nil {
		out.taint = src.taint
	}
	return out
}

// and is the output of two commands that run one after the other.
func (s stream) and(next stream) stream {
	if len(s.text)+len(next.text) > maxValue {
		return stream{taint: s.taint | next.taint}
	}
	return stream{text: s.text + next.text, known: s.known && next.known, taint: s.taint | next.taint}
}

// words are the words of the text, as xargs reads them.
func (s stream) words() []string {
	out := strings.Fields(s.text)
	return out[:min(len(out), maxWords)]
}

// fields returns the words that w expands to.
func (s *shell) fields(w *syntax.Word) []field {
	b := builder{sh: s}
	if w != nil {
		b.parts(w.Parts, false)
		b.split()
	}
	return b.out
}

// one returns w as a single word, as in an assignment or after a redirection.
func (s *shell) one(w *syntax.Word) field {
	b := builder{sh: s, whole: true}
	if w != nil {
		b.parts(w.Parts, false)
	}
	return field{s: b.cur.String(), src: b.src}
}

// A builder puts the fields of a word together.
type builder struct {
	sh    *shell
	whole bool // no splitting
	out   []field
	cur   strings.Builder
	open  bool // the current field exists, even when empty
	src   *stream
}

// split ends the current field when there is one.
func (b *builder) split() {
	if b.open {
		b.out = append(b.out, field{s: b.cur.String(), src: b.src})
		b.cur.Reset()
		b.open, b.src = false, nil
	}
}

// add appends text that is not split.
func (b *builder) add(text string) {
	b.open = true
	if b.cur.Len()+len(text) > maxValue {
		text = string(unknown)
	}
	b.cur.WriteString(text)
}

// blanks are where a shell splits the result of an expansion.
var blanks = strings.NewReplacer("\t", " ", "\n", " ")

// value appends the result of an expansion, split at blanks unless quoted.
func (b *builder) value(f field, quoted bool) {
	if b.src = cmp.Or(f.src, b.src); quoted || b.whole {
		b.add(f.s)
		return
	}
	for i, word := range strings.Split(blanks.Replace(f.s), " ") {
		if i > 0 {
			b.split()
		}
		if word != "" {
			b.add(word)
			b.src = cmp.Or(b.src, f.src)
		}
	}
}

// parts appends the parts of a word.
func (b *builder) parts(parts []syntax.WordPart, quoted bool) {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text := unescape(p.Value, quoted)
			if i == 0 && !quoted {
				text = b.sh.tilde(text, p.Value)
			}
			b.add(text)
		case *syntax.SglQuoted:
			if p.Dollar {
				b.add(ansiC(p.Value))
			} else {
				b.add(p.Value)
			}
		case *syntax.DblQuoted:
			b.open = true
			b.parts(p.Parts, true)
		case *syntax.ParamExp:
			b.param(p, quoted)
		case *syntax.CmdSubst:
			out := b.sh.subst(p.Stmts)
			text := string(unknown)
			if out.known || out.text != "" {
				text = strings.TrimRight(out.text, "\n")
			}
			b.value(field{s: text, src: &out}, quoted)
		case *syntax.ProcSubst:
			out := b.sh.subst(p.Stmts)
			b.value(field{s: "/dev/fd/63", src: &out}, true)
		default:
			b.sh.nested(p, stream{})
			b.add(string(unknown))
		}
	}
}

// param appends the value of a parameter.
func (b *builder) param(p *syntax.ParamExp, quoted bool) {
	vals, ok := b.sh.param(p)
	if !ok {
		if vals = []field{{s: string(unknown)}}; b.sh.printing && p.Param != nil && !p.Length {
			b.sh.matches("shown", p.Param.Value)
		}
	}
	for i, v := range vals {
		if i > 0 && b.whole {
			b.add(" ")
		} else if i > 0 {
			b.split()
		}
		b.value(v, quoted)
	}
}

// param returns the value of a parameter, several words for an array; false when it
// cannot be told.
func (s *shell) param(p *syntax.ParamExp) ([]field, bool) {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.IsSet || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		s.nested(p, stream{})
		return nil, false
	}
	name := p.Param.Value
	val, ok := s.lookup(name)
	if e := p.Exp; e != nil {
		switch e.Op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			if !ok { // it may be unset: then the default holds
				val, ok = []field{s.one(e.Word)}, true
			}
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
			val, ok = []field{s.one(e.Word)}, true
		case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		default:
			ok = false
		}
	}
	return val, ok
}

// lookup returns a variable's value as far as it is known.
func (s *shell) lookup(name string) ([]field, bool) {
	if v, ok := s.vars[name]; ok {
		return v, true
	}
	text := map[string]string{"HOME": s.k.at.Home, "PWD": s.dir, "IFS": " \t\n"}[name]
	if known := s.k.table.lists["value-"+name]; known != nil {
		text = known[0]
	} else if s.oneOf(s.k.table.lists["temporary"], name) {
		text = temporary
	}
	return []field{{s: text}}, text != ""
}

// positional sets $@, $1 and those after it.
func (s *shell) positional(words []field) {
	if len(words) > maxWords {
		words = append(words[:maxWords-1:maxWords-1], field{s: string(unknown)}) // set -- "$@" "$@"
	}
	s.vars["@"], s.vars["*"] = words, words
	for i, w := range words[:min(len(words), maxPositional)] {
		s.vars[strconv.Itoa(i+1)] = []field{w}
	}
}

// nested reads the statements and substitutions inside a node.
func (s *shell) nested(node syntax.Node, in stream) (out stream) {
	out.known = true
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			out = out.and(s.stmt(n, in))
			return false
		case *syntax.CmdSubst:
			s.subst(n.Stmts)
			return false
		}
		return true
	})
	return out
}

// tilde returns text with ~ or ~user at its start expanded. raw is the text as
// written, in which an escaped ~ can be told.
func (s *shell) tilde(text, raw string) string {
	if !strings.HasPrefix(raw, "~") {
		return text
	}
	user, rest, below := strings.Cut(text[1:], "/")
	if below {
		rest = "/" + rest
	}
	home := map[string]string{"": s.k.at.Home, "+": s.dir, "root": "/root"}[user]
	if home == "" {
		home = "/home/" + user
	}
	return home + rest
}

// escaped finds what a backslash takes the meaning of: outside quotes and in double ones.
var escaped = map[bool]*lazyRegexp{false: {src: `\\(?:\n|([^\n]))`}, true: {src: "\\\\(?:\n|([$`\"\\\\]))"}}

// unescape takes backslashes off, all of them outside quotes, and inside double
// quotes those that a shell takes off there.
func unescape(text string, quoted bool) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return escaped[quoted].get().ReplaceAllString(text, "$1")
}
