package danger

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a word, a string or a sign of a program.
type token struct {
	kind tokenKind
	text string // of a string: what it holds
}

type tokenKind int

const (
	isWord tokenKind = iota
	isText
	isSign
	isShell // Ruby's and Perl's backquotes: a command
)

type tokenList []token

// plain returns the tokens as text, with what strings hold left out.
func (ts tokenList) plain() []string {
	out := make([]string, len(ts))
	for i, t := range ts {
		switch t.kind {
		case isText, isShell:
			out[i] = `""`
		default:
			out[i] = t.text
		}
	}
	return out
}

// A lexer cuts a program into tokens.
type lexer struct {
	lang Lang
	text string
	at   int
	out  tokenList
}

// tokens returns the tokens of a program in lang, without comments.
func tokens(lang Lang, text string) tokenList {
	l := &lexer{lang: lang, text: text}
	for l.at < len(l.text) {
		l.next()
	}
	return l.out
}

// next takes one token.
func (l *lexer) next() {
	rest := l.text[l.at:]
	c := rest[0]
	switch {
	case c == ' ' || c == '\t' || c == '\r':
		l.at++
	case l.comment(rest):
	case c == '$' && l.lang == SQL && l.dollar(rest):
	case c == '\'' || c == '"' || c == '`':
		l.quoted(c)
	case l.lang == Ruby && strings.HasPrefix(rest, "%x") && len(rest) > 2:
		l.percent(rest)
	case c < utf8.RuneSelf && !word(rune(c)):
		l.at++
		l.out = append(l.out, token{isSign, string(c)})
	default:
		end := strings.IndexFunc(rest, func(r rune) bool { return !word(r) })
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			_, end = utf8.DecodeRuneInString(rest)
		}
		l.at += end
		l.out = append(l.out, token{isWord, rest[:end]})
	}
}

// word reports whether r can stand in a name or number.
func word(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// comment skips a comment and reports whether there was one.
func (l *lexer) comment(rest string) bool {
	line := false
	switch l.lang {
	case SQL:
		line = strings.HasPrefix(rest, "--")
	case Node, Mongo:
		line = strings.HasPrefix(rest, "//")
	default:
		line = rest[0] == '#'
	}
	if line {
		l.skipTo(rest, "\n", false)
		return true
	}
	if (l.lang == SQL || l.lang == Node || l.lang == Mongo) && strings.HasPrefix(rest, "/*") {
		l.skipTo(rest, "*/", true)
		return true
	}
	return false
}

// skipTo goes on to, or behind, the next end, or to the end of the text.
func (l *lexer) skipTo(rest, end string, behind bool) {
	n := strings.Index(rest, end)
	if n < 0 {
		l.at = len(l.text)
		return
	}
	if behind {
		n += len(end)
	}
	l.at += n
}

// quoted takes a string.
func (l *lexer) quoted(q byte) {
	rest := l.text[l.at:]
	triple := strings.Repeat(string(q), 3)
	if l.lang == Python && strings.HasPrefix(rest, triple) {
		body, n := rest[3:], len(rest)
		if end := strings.Index(body, triple); end >= 0 {
			body, n = body[:end], end+6
		}
		l.at += n
		l.out = append(l.out, token{isText, body})
		return
	}
	var b strings.Builder
	i := 1
	escapes := l.lang != SQL || l.escaping()
	for ; i < len(rest) && rest[i] != q; i++ {
		if rest[i] == '\\' && i+1 < len(rest) && escapes {
			b.WriteByte('\\')
			i++
		}
		b.WriteByte(rest[i])
	}
	kind := isText
	if q == '`' && (l.lang == Ruby || l.lang == Perl) {
		kind = isShell
	}
	text := b.String()
	if l.lang != SQL {
		text = ansiC(text)
	}
	if l.lang == Node && q == '`' {
		text = filledIn(text)
	}
	if l.lang == SQL && i >= len(rest) && q != '\'' {
		i = 0 // an open quote of a name: the text is half typed
		text = ""
	}
	l.at = min(l.at+i+1, len(l.text))
	l.out = append(l.out, token{kind, text})
}

// percent takes Ruby's %x(…).
func (l *lexer) percent(rest string) {
	end := map[byte]string{'(': ")", '[': "]", '{': "}", '<': ">"}[rest[2]]
	if end == "" {
		end = rest[2:3]
	}
	body := rest[3:]
	n := strings.Index(body, end)
	if n < 0 {
		n = len(body)
	}
	l.out = append(l.out, token{isShell, body[:n]})
	l.at = min(l.at+3+n+1, len(l.text))
}
