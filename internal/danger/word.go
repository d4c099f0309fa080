package danger

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unknown stands in a word for text that only running would tell.
const unknown = '\x00'

// The bounds of words.
const (
	maxBraces = 64       // words that braces make of one
	maxValue  = 16 << 10 // bytes of a variable or a literal output
)

// A field is one word of a command, after expansion.
type field struct {
	s   string
	src *stream // of the command whose output it holds, nil when none
}

// A stream is what is known of the output of a command.
type stream struct {
	text  string   // when known
	known bool     // text is all of it
	items []string // the paths that it lists, each perhaps with unknown parts
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

// fields returns the words that w expands to.
func (s *shell) fields(w *syntax.Word) []field {
	if w == nil {
		return nil
	}
	if s.temporary(w) {
		return []field{{s: made}}
	}
	out := []field{}
	for _, parts := range braced(w) {
		out = append(out, s.expand(parts)...)
	}
	return out
}

// temporary reports whether a word is no more than a variable whose name says that it
// holds a temporary directory, and whose value is not known: when it is empty, there is
// no word, or an empty one.
func (s *shell) temporary(w *syntax.Word) bool {
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return false
	}
	p, ok := parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && p.Exp == nil && p.Slice == nil && p.Repl == nil && !p.Length && s.vars[p.Param.Value] == nil && temporaryName.MatchString(p.Param.Value)
}

// temporaryName finds the names of variables that scripts give what mktemp made.
var temporaryName = regexp.MustCompile(`^(?:[a-z_]*_)?(?:tmp|temp)_?(?:dir|directory|d|file|path)?$|^(?:[A-Z]+_)?(?:TMP|TEMP)_DIR$|^(?:tmp|temp)Dir$`)

// one returns w as a single word, as in an assignment or after a redirection.
func (s *shell) one(w *syntax.Word) field {
	if w == nil {
		return field{}
	}
	b := builder{sh: s, whole: true}
	b.parts(w.Parts, false)
	return b.end()
}

// braced returns the parts of the words that w's braces make of it: {a,b} makes
// two, and of a sequence only the ends are taken.
func braced(w *syntax.Word) [][]syntax.WordPart {
	copied := &syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	if !syntax.SplitBraces(copied) {
		return [][]syntax.WordPart{w.Parts}
	}
	return combine(copied.Parts)
}

// combine multiplies out the braces among parts.
func combine(parts []syntax.WordPart) [][]syntax.WordPart {
	out := [][]syntax.WordPart{nil}
	for _, p := range parts {
		br, ok := p.(*syntax.BraceExp)
		if !ok {
			for i := range out {
				out[i] = append(out[i], p)
			}
			continue
		}
		var next [][]syntax.WordPart
		for _, elem := range br.Elems {
			for _, tail := range combine(elem.Parts) {
				for _, head := range out {
					if len(next) < maxBraces {
						next = append(next, append(append([]syntax.WordPart(nil), head...), tail...))
					}
				}
			}
		}
		out = next
	}
	return out
}

// expand returns the fields of a word's parts, split where a shell would.
func (s *shell) expand(parts []syntax.WordPart) []field {
	b := builder{sh: s}
	b.parts(parts, false)
	return b.all()
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

// all returns the fields.
func (b *builder) all() []field {
	if b.open {
		b.cut()
	}
	return b.out
}

// end returns the one field.
func (b *builder) end() field {
	return field{s: b.cur.String(), src: b.src}
}

// cut ends the current field.
func (b *builder) cut() {
	b.out = append(b.out, field{s: b.cur.String(), src: b.src})
	b.cur.Reset()
	b.open, b.src = false, nil
}

// add appends text that is not split.
func (b *builder) add(text string) {
	b.open = true
	if b.cur.Len()+len(text) > maxValue {
		text = string(unknown)
	}
	b.cur.WriteString(text)
}

// value appends the result of an expansion, split at blanks unless quoted.
func (b *builder) value(f field, quoted bool) {
	if f.src != nil {
		b.src = f.src
	}
	if quoted || b.whole {
		b.add(f.s)
		return
	}
	words := b.words(f.s)
	if f.s != "" && len(words) == 0 || f.s != strings.TrimLeft(f.s, " \t\n") {
		b.split()
	}
	for i, w := range words {
		if i > 0 {
			b.split()
			b.src = f.src
		}
		b.add(w)
	}
	if len(words) > 0 && f.s != strings.TrimRight(f.s, " \t\n") {
		b.split()
	}
}

// words cuts a value as the shell does: at blanks, or at what the line has set IFS to.
func (b *builder) words(text string) []string {
	ifs, ok := b.sh.vars["IFS"]
	if !ok || len(ifs) != 1 {
		return strings.Fields(text)
	}
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(ifs[0].s, r) })
}

// split ends the current field when there is one.
func (b *builder) split() {
	if b.open {
		b.cut()
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
			text := p.Value
			if p.Dollar {
				text = ansiC(text)
			}
			b.add(text)
		case *syntax.DblQuoted:
			b.open = true
			b.parts(p.Parts, true)
		case *syntax.ParamExp:
			b.param(p, quoted)
		case *syntax.CmdSubst:
			out := b.sh.subst(p.Stmts)
			b.value(field{s: substText(out), src: &out}, quoted)
		case *syntax.ProcSubst:
			if p.Op == syntax.CmdOut {
				b.sh.fork().block(p.Stmts, b.sh.reading)
				b.add("/dev/fd/63")
				continue
			}
			out := b.sh.subst(p.Stmts)
			b.value(field{s: "/dev/fd/63", src: &out}, true)
		case *syntax.ExtGlob:
			b.add("*")
		case *syntax.ArithmExp:
			b.sh.nested(p)
			b.add(string(unknown))
		default:
			b.add(string(unknown))
		}
	}
}

// substText returns the text that a command substitution leaves.
func substText(out stream) string {
	if !out.known {
		return string(unknown)
	}
	return strings.TrimRight(out.text, "\n")
}

// param appends the value of a parameter.
func (b *builder) param(p *syntax.ParamExp, quoted bool) {
	vals := b.sh.param(p)
	for i, v := range vals {
		if i > 0 {
			if b.whole {
				b.add(" ")
			} else {
				b.split()
			}
		}
		b.value(v, quoted)
	}
}

// param returns the value of a parameter, several words for an array.
func (s *shell) param(p *syntax.ParamExp) []field {
	s.expressions(p)
	if p.Param == nil || p.Length || p.Width || p.IsSet || p.Slice != nil || p.Names != 0 {
		return []field{{s: string(unknown)}}
	}
	name := p.Param.Value
	if p.Repl != nil {
		val, _ := s.lookup(name)
		if out, ok := s.replaced(p, val); ok {
			return out
		}
		return []field{{s: string(unknown)}}
	}
	val, ok := s.lookup(name)
	if p.Excl && ok && len(val) == 1 {
		val, ok = s.lookup(val[0].s)
	}
	if p.Exp != nil {
		if val, ok = s.expanded(p.Exp, val, ok); !ok {
			return []field{{s: string(unknown)}}
		}
	}
	if !ok {
		return []field{{s: string(unknown)}}
	}
	if len(val) > 1 && p.Index == nil && name != "@" && name != "*" {
		val = val[:1]
	}
	return val
}

// expanded returns what an operator behind the name of a parameter makes of its value,
// as far as that is known.
func (s *shell) expanded(e *syntax.Expansion, val []field, known bool) ([]field, bool) {
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		// What is not known may be unset: then the default holds.
		if !known {
			return []field{s.one(e.Word)}, true
		}
		return val, true
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return val, known
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return []field{s.one(e.Word)}, true
	case syntax.OtherParamOps:
		for _, v := range val {
			s.evaluates(v.s)
		}
	}
	return nil, false
}

// lookup returns a variable's value as far as it is known.
func (s *shell) lookup(name string) ([]field, bool) {
	if v, ok := s.vars[name]; ok {
		return v, true
	}
	text := ""
	switch name {
	case "HOME":
		text = s.k.at.Home
	case "PWD":
		text = s.dir
	case "TMPDIR":
		text = "/tmp"
	case "IFS":
		return []field{{s: " \t\n"}}, true
	case "OLDPWD":
		text = s.old
	case "SHELL", "BASH", "0":
		text = "/bin/bash"
	case "$", "!", "RANDOM", "UID", "EUID", "PPID", "?", "#":
		text = "1234"
	}
	return []field{{s: text}}, text != ""
}
