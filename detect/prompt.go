package detect

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on learned prompts.
const (
	// MaxPromptText is the maximum number of bytes of a line that are compared with learned
	// prompts.
	MaxPromptText = 512
	// maxPrompts is the maximum number of prompts of a session. The least recently seen
	// prompt is removed first.
	maxPrompts = 32
)

// Prompts stores the learned prompts of a session. In the shape of a prompt, runs of
// digits and paths match any others. The zero value has no prompts. It can be encoded as
// JSON. It is not safe for concurrent use.
type Prompts struct {
	Shapes []LearnedPrompt `json:"shapes,omitempty"` // least recently seen first
	// Scope identifies the program that is now in the foreground, according to marks: 0 if there
	// are none, ScopeShell for a shell that marks its commands, or the offset of the mark with which a
	// command began.
	Scope int64 `json:"scope,omitempty"`
}

// ScopeShell is the Scope of a shell that marks its commands. Such a shell shows its prompts, and its
// continuation prompts, only at the beginning of a line.
const ScopeShell = -1

// A LearnedPrompt is a prompt that was learned.
type LearnedPrompt struct {
	Shape string `json:"shape"` // the text with its numbers and paths replaced, see generalise
	// Text is the end of the prompt's last text, at most MaxPromptText bytes. It allows a
	// path or number at the beginning of the prompt to be distinguished from output
	// without a line feed.
	Text string `json:"text"`
	// Drawn reports whether the prompt was always written with control sequences.
	Drawn bool `json:"drawn,omitempty"`
	// Scope is the scope in which the prompt was last seen. In another scope, it is a
	// prompt only at the beginning of a line: a command's "name> " does not end in a
	// shell's prompt "> ".
	Scope int64 `json:"scope,omitempty"`
}

// Learn stores text as a prompt, unless text is blank. drawn says that its line was written
// with control sequences, as line editors write.
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

// index returns the index of the prompt with this shape, or -1 if there is none.
func (p *Prompts) index(shape string) int {
	return slices.IndexFunc(p.Shapes, func(l LearnedPrompt) bool { return l.Shape == shape })
}

// Drawn reports whether text ends in a learned prompt that was always written with control
// sequences. The same text without control sequences is output.
func (p *Prompts) Drawn(text string) bool {
	start, ok := p.Match(text)
	if !ok {
		return false
	}
	shape, _ := generalise(tail(text[start:]))
	i := p.index(shape)
	return i >= 0 && p.Shapes[i].Drawn
}

// Match reports whether text, which is left of the cursor, is or ends in a learned
// prompt, and the offset of the prompt in text. The offset is greater than 0 only for a
// prompt last seen in the current Scope, and never in ScopeShell.
func (p *Prompts) Match(text string) (start int, ok bool) {
	cut := len(text) - len(tail(text))
	text = text[cut:]
	shape, origin := generalise(text)
	best := len(text)
	for _, l := range p.Shapes {
		if at := l.start(text, shape, origin); cut+at == 0 || l.Scope == p.Scope && l.Scope != ScopeShell {
			best = min(best, at)
		}
	}
	return cut + best, best < len(text)
}

// start returns the offset of the prompt at the end of text, or the length of text if it
// does not end in the prompt. shape and origin are the results of generalise for text.
func (l LearnedPrompt) start(text, shape string, origin []int) int {
	if at := len(text) - len(l.Text); l.Text != "" && strings.HasSuffix(text, l.Text) && !sameSign(text, at) {
		return at
	}
	if at := len(shape) - len(l.Shape); strings.HasSuffix(shape, l.Shape) && !sameSign(shape, at) {
		return origin[at]
	}
	return len(text)
}

// sameSign reports whether the bytes at i and i-1 are the same sign: Lua's ">> " does not
// end in the prompt "> ".
func sameSign(shape string, i int) bool {
	return i > 0 && shape[i] == shape[i-1] && strings.IndexByte(">$#%*", shape[i]) >= 0
}

// Prefix returns the length in bytes of the longest learned prompt at the start of line, or 0 if
// there is none.
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

// SamePrompt reports whether text, which is left of the cursor, is the same prompt as
// before, ignoring differences in numbers and paths. Blank text and questions are not prompts.
func SamePrompt(before, text string) bool {
	if strings.TrimSpace(before) == "" || len(text) > MaxPromptText || AsksSecret(text) || AsksYesNo(text) || AsksMore(text) {
		return false
	}
	if bare := strings.TrimRight(text, " "); strings.HasSuffix(bare, "?") || strings.HasSuffix(bare, ":") {
		return false
	}
	oldShape, _ := generalise(tail(before))
	newShape, _ := generalise(text)
	return oldShape == newShape
}

// tail returns the last MaxPromptText bytes of text, without a partial character.
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

// generalise returns text with each run of digits replaced by 0 and each path by /, and
// the offset in text of each byte of the result.
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

// pathLen returns the length of the path at the beginning of s, or 0 if there is none. A
// path starts with / or ~, not inside a word, and ends before a blank or a prompt's sign.
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

// maxPromptShape is the maximum length in bytes of a text that counts as a prompt by its
// shape alone.
const maxPromptShape = 200

// LooksLikePrompt reports whether text, which is left of the cursor, has the shape of a
// prompt of a shell or REPL: it ends in one of their usual signs and one or two blanks.
func LooksLikePrompt(text string) bool {
	if len(text) > maxPromptShape {
		return false
	}
	bare := strings.TrimRight(text, " ")
	if bare == "" || len(text)-len(bare) > 2 {
		return false
	}
	if len(bare) == len(text) && len(bare) > 1 && !strings.HasSuffix(bare, ">") {
		return false // without a blank, only a text of one byte or one that ends in > counts, such as "ftp>"
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

// AsksSecret reports whether text, which is left of the cursor, asks for a secret: it
// contains "password" or a similar word and ends in a colon or question mark.
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

// AsksYesNo reports whether text, which is left of the cursor, is a question that offers
// yes and no: "Go on? [Y/n] ", "Overwrite (y/N)? ", "Quit anyway? (y or n) ", "continue
// connecting (yes/no/[fingerprint])? ".
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

// AsksMore reports whether text, which is left of the cursor, is the prompt of a pager
// that waits before it continues: "--More--(42%)", "--Type <RET> for more, …--", "Press
// ENTER or type command to continue".
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
