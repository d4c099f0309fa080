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
	// maxPrompts is the maximum number of prompts of a session. If there are more, the least
	// recently seen one is removed.
	maxPrompts = 32
)

// Prompts stores the learned prompts of a session: texts at which a program has waited for input.
// Prompts that differ only in numbers and paths have the same shape and are one prompt. The zero
// value has no prompts. It can be encoded as JSON. It is not safe for concurrent use.
type Prompts struct {
	Shapes []LearnedPrompt `json:"shapes,omitempty"` // least recently seen first
	// Scope identifies the program that is now in the foreground, by the shell's marks. It is 0 without marks,
	// and ScopeShell at the prompt of a shell that has marked a command. Otherwise it is the offset in the output
	// of the latest mark: the beginning of a command, or a prompt of a shell that has not marked any command yet.
	Scope int64 `json:"scope,omitempty"`
}

// ScopeShell is the Scope of a shell that marks its commands. A prompt or continuation prompt of
// such a shell counts only at the beginning of a line.
const ScopeShell = -1

// A LearnedPrompt is a prompt that was learned.
type LearnedPrompt struct {
	Shape string `json:"shape"` // the text with its numbers and paths replaced by generalise
	// Text is the prompt as it was last shown, at most its last MaxPromptText bytes. If a prompt
	// begins with a path or number, Text shows where the prompt begins after output that does not
	// end in a line feed.
	Text string `json:"text"`
	// Drawn reports whether the prompt was always written with control sequences.
	Drawn bool `json:"drawn,omitempty"`
	// Scope is the Prompts.Scope in which the prompt was last seen. In another Scope, the prompt
	// counts only at the beginning of a line: the "name> " of a command does not end in the prompt
	// "> " of a shell.
	Scope int64 `json:"scope,omitempty"`
}

// Learn stores text as a prompt, unless text is blank. drawn says that the line of the prompt was
// written with control sequences, as line editors do.
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
// sequences. If the same text comes without control sequences, it is output.
func (p *Prompts) Drawn(text string) bool {
	start, ok := p.Match(text)
	if !ok {
		return false
	}
	shape, _ := generalise(tail(text[start:]))
	i := p.index(shape)
	return i >= 0 && p.Shapes[i].Drawn
}

// Match reports whether text, which is left of the cursor, is or ends in a learned prompt, and at
// which offset in text the prompt begins. The offset is greater than 0 only if the prompt was last
// seen in the current Scope, and this Scope is not ScopeShell.
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

// start returns the offset in text at which the prompt l begins, if text ends in l. Otherwise it
// returns the length of text. shape and origin are the results of generalise for text.
func (l LearnedPrompt) start(text, shape string, origin []int) int {
	if at := len(text) - len(l.Text); l.Text != "" && strings.HasSuffix(text, l.Text) && !sameSign(text, at) {
		return at
	}
	if at := len(shape) - len(l.Shape); strings.HasSuffix(shape, l.Shape) && !sameSign(shape, at) {
		return origin[at]
	}
	return len(text)
}

// sameSign reports whether the bytes at i and i-1 are the same prompt sign. If they are, no prompt
// begins at i: Lua's ">> " does not end in the prompt "> ".
func sameSign(shape string, i int) bool {
	return i > 0 && shape[i] == shape[i-1] && strings.IndexByte(">$#%*", shape[i]) >= 0
}

// Prefix returns the length in bytes of the longest learned prompt at the beginning of line, or 0
// if there is none.
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

// SamePrompt reports whether text, which is left of the cursor, is a prompt that differs from
// before, an earlier text, only in numbers and paths. Blank text and questions are not prompts.
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

// tail returns the last MaxPromptText bytes of text, without the rest of a character cut in two.
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

// generalise returns text with each run of digits replaced by 0 and each path by /. origin has, for
// each byte of the result, its offset in text.
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

// pathLen returns the length of the path at the beginning of s, or 0 if there is none. A path
// begins with / or ~, which must not be inside a word, and ends before a blank or a prompt's sign.
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

// maxPromptShape is the maximum length in bytes of a text that counts as a prompt or question by
// its form alone.
const maxPromptShape = 200

// LooksLikePrompt reports whether text, which is left of the cursor, has the shape of a prompt of a
// shell or REPL: it ends in one of their usual signs and at most two blanks.
func LooksLikePrompt(text string) bool {
	if len(text) > maxPromptShape {
		return false
	}
	bare := strings.TrimRight(text, " ")
	if bare == "" || len(text)-len(bare) > 2 {
		return false
	}
	sign, size := utf8.DecodeLastRuneInString(bare)
	before := bare[:len(bare)-size]
	if len(bare) == len(text) && before != "" && sign != '>' {
		return false // without a blank, only a sign alone or a text that ends in > counts, such as "ftp>"
	}
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

// AsksSecret reports whether text, which is left of the cursor, asks for a secret: it contains
// "password" or a similar word and, apart from blanks, ends in a colon or question mark.
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
