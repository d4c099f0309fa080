package danger

import (
	"slices"
	"strconv"
	"strings"
)

// A token is a word, a string or a sign of a program.
type token struct {
	kind string
	text string // of a string: what it holds
	at   int    // where it begins
}

// The kinds of tokens, as rules.txt names them.
const (
	isWord  = "word"
	isText  = "text"
	isSign  = "sign"
	isShell = "shell" // Ruby's and Perl's backquotes: a command
)

// is reports whether the token is a word or sign.
func (t token) is(w string) bool { return t.text == w && t.kind != isText }

// sign returns the token's text, "" when it is a string.
func (t token) sign() string {
	if t.kind == isText {
		return ""
	}
	return t.text
}

// opens is 1 for a bracket that opens, -1 for one that closes.
var opens = map[string]int{"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}

// split cuts a list, to the bracket that ends it, at signs that are not in brackets.
func split[L ~[]T, T any](list L, sign func(T) string, at ...string) (parts []L) {
	depth, begin := 0, 0
	for i, t := range list {
		x := sign(t)
		if depth += opens[x]; depth < 0 {
			return append(parts, list[begin:i])
		}
		if depth == 0 && slices.Contains(at, x) {
			parts = append(parts, list[begin:i])
			begin = i + 1
		}
	}
	return append(parts, list[begin:])
}

type tokenList []token

// at returns token i, an empty sign when there is none.
func (ts tokenList) at(i int) token {
	if i >= 0 && i < len(ts) {
		return ts[i]
	}
	return token{kind: isSign}
}

// has reports whether one of the tokens is one of the words.
func (ts tokenList) has(words ...string) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return t.kind == isWord && slices.Contains(words, t.text) })
}

// lineAt returns what stands around a place in a text, in its line or statement, as far as
// a finding shows it.
func lineAt(text string, at int) string {
	before, behind := text[max(0, at-maxWhat/2):at], text[at:min(len(text), at+maxWhat)]
	behind, _, _ = strings.Cut(behind, "\n")
	return before[strings.LastIndexAny(before, "\n;")+1:] + behind
}

// tokens returns the tokens of a program in lang, without comments. The groups of the
// regular expression are words, signs, what a shell runs, and strings.
func tokens(lang Lang, text string) (out tokenList) {
	re := builtin().lexers[lang].get()
	names := re.SubexpNames()
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		for g := len(names) - 1; g > 0; g-- {
			if m[2*g] < 0 {
				continue
			}
			t := token{names[g], text[m[2*g]:m[2*g+1]], m[0]}
			switch t.kind {
			case isShell:
				t.text = ansiC(t.text)
			case "escaped":
				t.kind, t.text = isText, ansiC(t.text)
			case "template":
				t.kind, t.text = isText, hole.get().ReplaceAllLiteralString(ansiC(t.text), slot)
			}
			out = append(out, t)
			break
		}
	}
	return out
}

// slot stands for what is put into a string when the program runs, which a shell does
// not know either.
const slot = "${_unknown}"

// hole finds what is put into an f-string, a template or a format: {x}, ${x}, %s.
var hole = lazyRegexp{src: `\$?\{[^{}]*\}|%s`}

// ansiC decodes the escapes of $'…', of printf's format and of echo -e, which programs have
// in their strings too. A backslash before anything else goes.
func ansiC(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for text != "" {
		char, _, rest, err := strconv.UnquoteChar(text, 0)
		if err != nil {
			rest = text[1:]
		} else {
			b.WriteRune(char)
		}
		text = rest
	}
	return b.String()
}
