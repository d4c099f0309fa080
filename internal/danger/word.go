package danger

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unknown represents text that would be known only by running the line.
const unknown = '\x00'

const (
	maxWords      = 64 // words of $@, and of an array to which words are appended; a longer array loses its old words
	maxPositional = 9  // positional parameters that have values of their own: $1 to $9
)

// A field is one word of a command, after expansion.
type field struct {
	text   string
	origin *stream // output of the last command or process substitution in the word; nil if there is none
}

// A stream is what is known about the output or the input of a command.
type stream struct {
	text  string // may have unknown parts
	known bool   // text is complete
	taint taint
	tty   bool // of an input: it comes from the terminal
}

// A taint is a set of bits that say where data comes from.
type taint uint8

const (
	fromNet   taint = 1 << iota // downloaded
	fromCode                    // decoded from an unreadable form
	fromEnv                     // contains the environment or credentials
	fromShell                   // output of a program that runs its input as code
	fromOwn                     // contains the project's own credentials: .env
	fromKeys                    // typed at the terminal after the line
)

// textStream returns the output of a command that prints text. If origin is not nil, it has
// the taint of origin.
func textStream(text string, origin *stream) stream {
	out := stream{text: text, known: !strings.ContainsRune(text, unknown)}
	if origin != nil {
		out.taint = origin.taint
	}
	return out
}

// followedBy returns the joined output of two commands. Beyond maxValue bytes, only its taint is known.
func (s stream) followedBy(next stream) stream {
	if len(s.text)+len(next.text) > maxValue {
		return stream{taint: s.taint | next.taint}
	}
	return stream{text: s.text + next.text, known: s.known && next.known, taint: s.taint | next.taint}
}

// words returns the words of the text. Of more than maxLoop words, the last stands for the rest and is unknown.
func (s stream) words() []string { return truncated(strings.Fields(s.text), string(unknown)) }

// truncated returns values, or only the first maxLoop-1 values and other if there are more than maxLoop.
func truncated[T any](values []T, other T) []T {
	if len(values) > maxLoop {
		return append(slices.Clip(values[:maxLoop-1]), other)
	}
	return values
}

// expand returns the words that w expands to.
func (s *shell) expand(w *syntax.Word) []field {
	b := expander{shell: s}
	if w != nil {
		b.addParts(w.Parts, false)
		b.split()
	}
	return b.out
}

// expandWord returns w as a single word, as in an assignment or after a redirection operator.
func (s *shell) expandWord(w *syntax.Word) field {
	b := expander{shell: s, noSplit: true}
	if w != nil {
		b.addParts(w.Parts, false)
	}
	return field{text: b.current.String(), origin: b.origin}
}

// An expander expands a word to fields.
type expander struct {
	shell   *shell
	noSplit bool            // the result is a single word
	out     []field         // the finished fields
	current strings.Builder // text of the current field
	started bool            // the current field exists, even if it is empty
	origin  *stream         // origin of the current field
}

// split ends the current field if there is one.
func (b *expander) split() {
	if b.started {
		b.out = append(b.out, field{text: b.current.String(), origin: b.origin})
		b.current.Reset()
		b.started, b.origin = false, nil
	}
}

// add appends text to the current field without splitting it, or unknown if the field would exceed maxValue.
func (b *expander) add(text string) {
	b.started = true
	if b.current.Len()+len(text) > maxValue {
		text = string(unknown)
	}
	b.current.WriteString(text)
}

// blanks replaces tabs and line breaks with spaces: a shell splits words at all three.
var blanks = strings.NewReplacer("\t", " ", "\n", " ")

// addValue appends the result of an expansion, split at blanks unless it is quoted or noSplit is set.
func (b *expander) addValue(f field, quoted bool) {
	if b.origin = cmp.Or(f.origin, b.origin); quoted || b.noSplit {
		b.add(f.text)
		return
	}
	for i, word := range strings.Split(blanks.Replace(f.text), " ") {
		if i > 0 {
			b.split()
		}
		if word != "" {
			b.add(word)
			b.origin = cmp.Or(b.origin, f.origin)
		}
	}
}

// addParts appends the parts of a word.
func (b *expander) addParts(parts []syntax.WordPart, quoted bool) {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text := unescape(p.Value, quoted)
			if i == 0 && !quoted {
				text = b.shell.expandTilde(text, p.Value)
			}
			b.add(text)
		case *syntax.SglQuoted:
			if p.Dollar {
				text, _, _ := strings.Cut(unescapeC(p.Value), "\x00") // a NUL ends the text
				b.add(text)
			} else {
				b.add(p.Value)
			}
		case *syntax.DblQuoted:
			b.started = true
			b.addParts(p.Parts, true)
		case *syntax.ParamExp:
			b.addParam(p, quoted)
		case *syntax.CmdSubst:
			out := b.shell.substitution(p.Stmts)
			text := string(unknown)
			if out.known || out.text != "" {
				text = strings.TrimRight(out.text, "\n")
			}
			b.addValue(field{text: text, origin: &out}, quoted)
		case *syntax.ProcSubst:
			out := b.shell.substitution(p.Stmts)
			b.addValue(field{text: "/dev/fd/63", origin: &out}, true)
		default:
			b.shell.readNested(p, stream{})
			b.add(string(unknown))
		}
	}
}

// addParam appends the value of a parameter.
func (b *expander) addParam(p *syntax.ParamExp, quoted bool) {
	vals, ok := b.shell.paramValue(p)
	if !ok {
		if vals = []field{{text: string(unknown)}}; b.shell.printing && p.Param != nil && !p.Length {
			b.shell.judgeText("shown", p.Param.Value)
		}
	}
	for i, v := range vals {
		if i > 0 && b.noSplit {
			b.add(" ")
		} else if i > 0 {
			b.split()
		}
		b.addValue(v, quoted)
	}
}

// paramValue returns the value of a parameter (for an array, all its words), or false if the value is
// not known.
func (s *shell) paramValue(p *syntax.ParamExp) ([]field, bool) {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.IsSet || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		s.readNested(p, stream{})
		return nil, false
	}
	name := p.Param.Value
	val, ok := s.lookup(name)
	if e := p.Exp; e != nil {
		switch e.Op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			if !ok { // the parameter may be unset: assume the default
				val, ok = []field{s.expandWord(e.Word)}, true
			}
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
			val, ok = []field{s.expandWord(e.Word)}, true
		case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		default:
			ok = false
		}
	}
	return val, ok
}

// lookup returns a variable's value, and whether the value is known.
func (s *shell) lookup(name string) ([]field, bool) {
	if v, ok := s.vars[name]; ok {
		return v, true
	}
	text := map[string]string{"HOME": s.check.place.Home, "PWD": s.dir, "IFS": " \t\n"}[name]
	if known := s.check.table.lists["value-"+name]; known != nil {
		text = known[0]
	} else if s.oneOf(s.check.table.lists["temporary"], name) {
		text = temporary
	}
	return []field{{text: text}}, text != ""
}

// setPositional sets $@, $* and $1 to $9.
func (s *shell) setPositional(words []field) {
	if len(words) > maxWords {
		words = append(words[:maxWords-1:maxWords-1], field{text: string(unknown)}) // set -- "$@" "$@" doubles $@
	}
	s.vars["@"], s.vars["*"] = words, words
	for i, w := range words[:min(len(words), maxPositional)] {
		s.vars[strconv.Itoa(i+1)] = []field{w}
	}
}

// readNested reads the statements and substitutions inside a node, and returns the statements' output.
func (s *shell) readNested(node syntax.Node, in stream) (out stream) {
	out.known = true
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			out = out.followedBy(s.stmt(n, in))
			return false
		case *syntax.CmdSubst:
			s.substitution(n.Stmts)
			return false
		}
		return true
	})
	return out
}

// expandTilde returns text with ~ or ~user at its start expanded, unless the ~ is escaped in raw, the
// text as written.
func (s *shell) expandTilde(text, raw string) string {
	if !strings.HasPrefix(raw, "~") {
		return text
	}
	user, rest, below := strings.Cut(text[1:], "/")
	if below {
		rest = "/" + rest
	}
	home := map[string]string{"": s.check.place.Home, "+": s.dir, "root": "/root"}[user]
	if home == "" {
		home = "/home/" + user
	}
	return home + rest
}

// escaped contains, for text outside quotes (false) and in double quotes (true), an expression for a
// backslash that quotes the next character.
var escaped = map[bool]func() *regexp.Regexp{false: lazy(`\\(?:\n|([^\n]))`), true: lazy("\\\\(?:\n|([$`\"\\\\]))")}

// unescape removes the backslashes that a shell removes, outside quotes or in double quotes.
func unescape(text string, quoted bool) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return escaped[quoted]().ReplaceAllString(text, "$1")
}
