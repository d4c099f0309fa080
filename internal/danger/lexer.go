package danger

import (
	"slices"
	"strconv"
	"strings"
)

// A token is a word, a string, a command in backquotes, or an operator or punctuation of a program.
type token struct {
	kind string
	text string // of a string, its content
	at   int    // offset of its first byte in the program
}

// The kinds of tokens, as rules.txt names them.
const (
	wordToken   = "word"
	stringToken = "text"
	signToken   = "sign"  // an operator or punctuation
	shellToken  = "shell" // a command, as in backquotes in Ruby and Perl
)

// is reports whether the token is w and not a string.
func (t token) is(w string) bool { return t.text == w && t.kind != stringToken }

// sign returns the token's text, or "" for a string.
func (t token) sign() string {
	if t.kind == stringToken {
		return ""
	}
	return t.text
}

// bracketDepth is 1 for an opening bracket and -1 for a closing one.
var bracketDepth = map[string]int{"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}

// split splits a list at the given separators outside brackets. It ignores everything after an
// unmatched closing bracket.
func split[L ~[]T, T interface{ sign() string }](list L, separators ...string) (parts []L) {
	depth, begin := 0, 0
	for i, t := range list {
		x := t.sign()
		if depth += bracketDepth[x]; depth < 0 {
			return append(parts, list[begin:i])
		}
		if depth == 0 && slices.Contains(separators, x) {
			parts = append(parts, list[begin:i])
			begin = i + 1
		}
	}
	return append(parts, list[begin:])
}

// A tokenList is a program, or a part of one, as tokens.
type tokenList []token

// at returns token i, or an empty sign if there is none.
func (ts tokenList) at(i int) token {
	if i >= 0 && i < len(ts) {
		return ts[i]
	}
	return token{kind: signToken}
}

// has reports whether one of the tokens is one of the words.
func (ts tokenList) has(words ...string) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return t.kind == wordToken && slices.Contains(words, t.text) })
}

// hasString reports whether one of the tokens is a string.
func (ts tokenList) hasString() bool {
	return slices.ContainsFunc(ts, func(t token) bool { return t.kind == stringToken })
}

// lineAt returns the text around an offset: from the start of the line or statement, but at most
// maxWhat/2 bytes before the offset, to the end of the line, but at most maxWhat bytes after it.
func lineAt(text string, at int) string {
	before, after := text[max(0, at-maxWhat/2):at], text[at:min(len(text), at+maxWhat)]
	after, _, _ = strings.Cut(after, "\n")
	return before[strings.LastIndexAny(before, "\n;")+1:] + after
}

// tokens returns the tokens of a program in lang, without comments. Each group of the language's
// regular expression has the name of the kind of token that it matches. The groups "escaped" and
// "template" match strings too, whose escapes are decoded; of a template, parts are replaced as well.
func tokens(lang Lang, text string) (out tokenList) {
	re := builtin().lexers[lang]()
	names := re.SubexpNames()
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		for g := len(names) - 1; g > 0; g-- {
			if m[2*g] < 0 {
				continue
			}
			t := token{names[g], text[m[2*g]:m[2*g+1]], m[0]}
			switch t.kind {
			case shellToken:
				t.text = unescapeC(t.text)
			case "escaped":
				t.kind, t.text = stringToken, unescapeC(t.text)
			case "template":
				t.kind, t.text = stringToken, interpolation().ReplaceAllLiteralString(unescapeC(t.text), placeholder)
			}
			out = append(out, t)
			break
		}
	}
	return out
}

// placeholder represents text that is inserted into a string when the program runs. If the string
// is read as shell text, placeholder is a variable whose value is unknown.
const placeholder = "${_unknown}"

// interpolation matches the parts of a string that a program replaces with values: {x}, ${x} and %s.
var interpolation = lazy(`\$?\{[^{}]*\}|%s`)

// escape matches a backslash and what it escapes: the number of a character, or a character.
var escape = lazy(`(?s)\\(?:x[[:xdigit:]]{1,2}|x\{[[:xdigit:]]{1,8}\}|u[[:xdigit:]]{1,4}|U[[:xdigit:]]{1,8}|[0-7]{1,3}|.)`)

// unescapeC decodes the escapes of $'…', printf, echo -e and strings in programs. Of other escapes, such
// as \cX, it removes only the backslash.
func unescapeC(text string) string {
	return escape().ReplaceAllStringFunc(text, func(e string) string {
		digits, base, mask := e[1:], 8, int64(0xff)
		if strings.ContainsAny(e[1:2], "xuU") {
			digits, base, mask = strings.Trim(e[2:], "{}"), 16, -1
		}
		if n, err := strconv.ParseInt(digits, base, 32); err == nil {
			return string(rune(n & mask)) // shells keep the low byte of an octal number
		}
		if i := strings.Index("abeEfnrtv", e[1:]); i >= 0 {
			return "\a\b\x1b\x1b\f\n\r\t\v"[i : i+1]
		}
		return e[1:]
	})
}
