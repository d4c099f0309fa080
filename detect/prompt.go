package detect

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is learned.
const (
	// MaxPromptText is how many bytes before the cursor are looked at.
	MaxPromptText = 512
	// maxPrompts is how many prompts a session remembers; the one that was not seen for the
	// longest time is forgotten first.
	maxPrompts = 32
)

// Prompts are the prompts that a session has learned, each as a shape in which runs of
// digits and paths match any others. The zero value has no prompts. It can be encoded. It
// is not safe for concurrent use.
type Prompts struct {
	Shapes []LearnedPrompt `json:"shapes,omitempty"` // oldest first
	// Scope identifies the program that prompts now, according to marks: Alone for a shell
	// that marks its commands, otherwise a number for each marked command.
	Scope int64 `json:"scope,omitempty"`
}

// Alone is the Scope of a shell that marks its commands: their output has ended before the
// shell prompts, so its continuation prompts are alone in their rows.
const Alone = -1

// A LearnedPrompt is a prompt that was learned.
type LearnedPrompt struct {
	Shape string `json:"shape"`
	// Text is the prompt as it was last, cut at the front to MaxPromptText bytes. With it, a
	// path or number at its beginning can be distinguished from output without line end.
	Text string `json:"text"`
	// Drawn says that it has always come with control sequences.
	Drawn bool `json:"drawn,omitempty"`
	// Scope is the one in which it was last seen. In another scope it is a prompt only at the
	// beginning of a line: a shell's "> " is not the end of a command's "name> ".
	Scope int64 `json:"scope,omitempty"`
}

// Learn remembers text as a prompt; drawn says that its line came with control sequences,
// as line editors draw theirs. It ignores blank text.
func (p *Prompts) Learn(text string, drawn bool) {
	if strings.TrimSpace(text) == "" {
		return
	}
	text = tail(text)
	shape, _ := generalise(text)
	learned := LearnedPrompt{shape, text, drawn, p.Scope}
	if i := p.index(shape); i >= 0 {
		learned.Drawn = learned.Drawn && p.Shapes[i].Drawn
		p.Shapes = slices.Delete(p.Shapes, i, i+1)
	}
	if len(p.Shapes) == maxPrompts {
		p.Shapes = slices.Delete(p.Shapes, 0, 1)
	}
	p.Shapes = append(p.Shapes, learned)
}

// index returns the index of the prompt with this shape, -1 when there is none.
func (p *Prompts) index(shape string) int {
	return slices.IndexFunc(p.Shapes, func(l LearnedPrompt) bool { return l.Shape == shape })
}

// Drawn reports whether the learned prompt at the end of text has always come with control
// sequences: the same text without them is output.
func (p *Prompts) Drawn(text string) bool {
	start, ok := p.Match(text)
	if !ok {
		return false
	}
	shape, _ := generalise(tail(text[start:]))
	i := p.index(shape)
	return i >= 0 && p.Shapes[i].Drawn
}

// Match reports whether text, left of the cursor, is or ends in a learned prompt, and the
// byte at which the prompt begins. That is not 0 only for a prompt learned in the present
// Scope.
func (p *Prompts) Match(text string) (start int, ok bool) {
	cut := len(text) - len(tail(text))
	text = text[cut:]
	shape, origin := generalise(text)
	best := len(text)
	for _, l := range p.Shapes {
		if at := l.start(text, shape, origin); cut+at == 0 || l.Scope == p.Scope && l.Scope != Alone {
			best = min(best, at)
		}
	}
	return cut + best, best < len(text)
}

// start returns the byte of text at which the prompt at its end begins, or the length of
// text if it does not end in the prompt. shape and origin are those of text, see
// generalise.
func (l LearnedPrompt) start(text, shape string, origin []int) int {
	if at := len(text) - len(l.Text); l.Text != "" && strings.HasSuffix(text, l.Text) && !sameSign(text, at) {
		return at
	}
	if at := len(shape) - len(l.Shape); strings.HasSuffix(shape, l.Shape) && !sameSign(shape, at) {
		return origin[at]
	}
	return len(text)
}

// sameSign reports whether the bytes at i and before it are the same sign: Lua's ">> " does
// not end in the prompt "> ".
func sameSign(shape string, i int) bool {
	return i > 0 && shape[i] == shape[i-1] && strings.IndexByte(">$#%*", shape[i]) >= 0
}

// Prefix returns the length of the learned prompt at the start of line, 0 if there is none.
func (p *Prompts) Prefix(line string) int {
	head := line[:min(len(line), MaxPromptText)]
	shape, origin := generalise(head)
	best := 0
	for _, l := range p.Shapes {
		if strings.HasPrefix(shape, l.Shape) && len(l.Shape) > best {
			best = len(l.Shape)
		}
	}
	if best == 0 {
		return 0
	}
	if best == len(shape) {
		return len(head)
	}
	return origin[best]
}

// SamePrompt reports whether text, left of the cursor, is the same prompt as before, apart
// from numbers and paths. A repeated question is not a prompt.
func SamePrompt(before, text string) bool {
	if strings.TrimSpace(before) == "" || len(text) > MaxPromptText || AsksSecret(text) || AsksYesNo(text) || AsksMore(text) {
		return false
	}
	if bare := strings.TrimRight(text, " "); strings.HasSuffix(bare, "?") || strings.HasSuffix(bare, ":") {
		return false
	}
	was, _ := generalise(tail(before))
	is, _ := generalise(text)
	return was == is
}

// tail returns the last MaxPromptText bytes of text.
func tail(text string) string {
	if len(text) <= MaxPromptText {
		return text
	}
	text = text[len(text)-MaxPromptText:]
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}

// generalise returns text with each run of digits as one 0 and each path as
// one /, and for each byte of the result where in text it comes from.
func generalise(text string) (shape string, origin []int) {
	var b strings.Builder
	put := func(s string, at int) {
		for i := range len(s) {
			origin = append(origin, at+i)
		}
		b.WriteString(s)
	}
	for i := 0; i < len(text); {
		n := pathLen(text[i:], i > 0 && wordByte(text[i-1]))
		switch {
		case n > 0:
			put("/", i)
		case digit(text[i]):
			for n < len(text)-i && digit(text[i+n]) {
				n++
			}
			put("0", i)
		default:
			n = 1
			put(text[i:i+1], i)
		}
		i += n
	}
	return b.String(), origin
}

// pathLen returns the length of the path at the beginning of s, 0 if there is none: a path
// starts with / or ~, not inside a word.
func pathLen(s string, inWord bool) int {
	if inWord || s[0] != '/' && s[0] != '~' {
		return 0
	}
	end := strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("$#%>:)]}❯➜λ»", r)
	})
	if end < 0 {
		end = len(s)
	}
	return end
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func wordByte(c byte) bool {
	return digit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-' || c == '.'
}

// maxPromptShape is the longest text that counts as a prompt by its shape alone.
const maxPromptShape = 200

// LooksLikePrompt reports whether text, left of the cursor, has the shape of a
// shell's or REPL's prompt: it ends in one of their usual signs, perhaps with a
// blank after it.
func LooksLikePrompt(text string) bool {
	if len(text) > maxPromptShape {
		return false
	}
	bare := strings.TrimRight(text, " ")
	if bare == "" || len(text)-len(bare) > 2 {
		return false
	}
	if len(bare) == len(text) && len(bare) > 1 && !strings.HasSuffix(bare, ">") {
		// No blank after it: only a lone sign, or > as in "ftp>".
		return false
	}
	sign, size := utf8.DecodeLastRuneInString(bare)
	before := bare[:len(bare)-size]
	switch sign {
	case '$', '#', '❯', '➜', 'λ', '»', '›', '▶':
		return true
	case '%':
		return before == "" || !digit(before[len(before)-1])
	case '>':
		return !strings.HasSuffix(before, "-") && !strings.HasSuffix(before, "=")
	case ')':
		return strings.HasPrefix(bare, "(") && !strings.ContainsRune(bare, ' ')
	case ':', ']':
		return strings.HasPrefix(bare, "In [")
	}
	return false
}

// AsksSecret reports whether text, left of the cursor, asks for a secret: it names a
// password or the like, and ends in a colon or question mark.
func AsksSecret(text string) bool {
	bare := strings.ToLower(strings.TrimRight(text, " "))
	if len(bare) > maxPromptShape || bare == "" {
		return false
	}
	if c := bare[len(bare)-1]; c != ':' && c != '?' {
		return false
	}
	for _, word := range []string{
		"password", "passphrase", "passwort", "mot de passe", "contraseña", "verification code", "one-time code", "passcode", "pin:", "pin code",
	} {
		if strings.Contains(bare, word) {
			return true
		}
	}
	return false
}

// AsksYesNo reports whether text, left of the cursor, is a question that offers
// yes and no: "Go on? [Y/n] ", "Overwrite (y/N)? ", "Quit anyway? (y or n) ",
// "continue connecting (yes/no/[fingerprint])? ".
func AsksYesNo(text string) bool {
	bare := strings.ToLower(strings.TrimRight(text, " ?:>"))
	if len(bare) > maxPromptShape || bare == "" {
		return false
	}
	open := strings.LastIndexAny(bare, "[(")
	if strings.HasSuffix(bare, "])") { // ssh: (yes/no/[fingerprint])
		open = strings.LastIndexByte(bare, '(')
	}
	if open < 0 || !strings.ContainsRune("])", rune(bare[len(bare)-1])) {
		return false
	}
	choices := strings.NewReplacer(" or ", "/", "|", "/", ",", "/", "[", "", "]", "", ")", "").Replace(bare[open+1:])
	switch first, rest, _ := strings.Cut(choices, "/"); first {
	case "y", "yes":
		return strings.Contains("/"+rest, "/n")
	case "n", "no":
		return strings.Contains("/"+rest, "/y")
	}
	return false
}

// AsksMore reports whether text, left of the cursor, is the prompt of a pager that waits
// before it continues: "--More--(42%)", "--Type <RET> for more, …--", "Press ENTER
// or type command to continue".
func AsksMore(text string) bool {
	bare := strings.ToLower(strings.TrimRight(text, " ."))
	if strings.HasPrefix(bare, "press ") && strings.HasSuffix(bare, "to continue") && len(bare) <= maxPromptShape {
		return true
	}
	if i := strings.LastIndexByte(bare, '('); i > 0 && strings.HasSuffix(bare, "%)") {
		bare = bare[:i]
	}
	return len(bare) <= maxPromptShape && strings.HasPrefix(bare, "--") && strings.HasSuffix(bare, "--") && strings.Contains(bare, "more")
}
