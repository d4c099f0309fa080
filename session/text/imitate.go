package text

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// ProgramMark precedes a program's line that looks like a line of the server: a status
// line, a heading, or a line that says what was left out. Such a line without the mark is
// the server's.
const ProgramMark = "⟪program⟫ "

// unclear stands, in the outlines that the function outline makes, for a letter that may look like an ASCII letter.
const unclear = '?'

var (
	// statusLike matches the outline of the server's lines in brackets.
	statusLike = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\[ *(?:[a-z0-9?]{1,8}(?: +` + words(states) + `(?:[^a-z0-9?]|$)| *·)|` +
			sessionID + `(?:[ :;,=/-]+` + words(states) + `(?:[^a-z0-9?]|$)| [^·\]]{1,60}·.*\]$)|(?:[0-9?]+|` + words("no") + `) +` + words("sessions?") + ` *[\];·]|` +
			words("screen") + ` +[0-9?]+ *[x?]|` + words("rows") + ` +` + words("changed") + `|` + words("step") + ` +[0-9?]+ *·|` + words("m") + `[0-9?]+ +` + words("input|output") + `)`)
	})
	// bareLike matches the outline of the server's lines that have no brackets, and of the others
	// when their first bracket is missing.
	bareLike = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:` + sessionID + ` +` + words(states) + `[^·]{0,60}·|` +
			words("m") + `[0-9?]+ +` + words("input|output") + `[^,]{0,60}, *[0-9?]+ +` + words("bytes?") + `,)`)
	})
	// quotedLike matches the outline of a line that begins with a session's id, with or without a
	// bracket, after characters that quote or frame the id.
	quotedLike = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^([\"'`>|» ]*[\"'`>|»] *)([\\[({<] *)?" + sessionID)
	})
	// elisionLike matches the outline of the server's lines that say what was left out.
	elisionLike = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^… *(?:[0-9?]+ +(?:` + words("more") + ` +)?(?:` + words("lines?|rows?|characters?|bytes?") + `)(?:[^a-z0-9?]|$).*` +
			`(?:` + words("left +out|like +these") + `)|[0-9?]+ +` + words("more +like +it") + `|[0-9?]+ +` + words("blank") + ` +` + words("rows") + `|` + words("rows") + ` +[0-9?]+ +` + words("to") + ` +[0-9?]+ +` + words("of") + `)`)
	})
	// markLike matches the outline of a line that begins with ProgramMark.
	markLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^« *` + words("program") + ` *»`) })
	// sequence matches a control sequence, as in raw output.
	sequence = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\x1b\[[0-9;:?<=>]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~])`)
	})
)

// sessionID matches the outline of a session's id. Only the s, or only the digits, may be unclear.
const sessionID = `(?:s[0-9?]+|\?[0-9]+)`

// states are the states of a session in a status line.
const states = "running|exited|lost|deleted"

// words returns a pattern that matches the outline of each word in list, which are separated by bars.
func words(list string) string {
	var b strings.Builder
	b.WriteString("(?:")
	for _, r := range list {
		if 'a' <= r && r <= 'z' {
			b.WriteString("[" + string(r) + "?]")
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteString(")")
	return b.String()
}

// MarkProgram returns a program's text with ProgramMark before the lines that look like the server's. If
// elisions is true, it also marks lines that seem to say what was left out. For a Reply's Output, elisions
// is false, because MarkElisions has already marked such lines.
func MarkProgram(text string, elisions bool) string {
	var b strings.Builder
	copied := 0 // bytes of text that are in b
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexAny(text[at:], lineEnds); i >= 0 {
			_, n := utf8.DecodeRuneInString(text[at+i:])
			end = at + i + n
		}
		if imitates(text[at:end], elisions) {
			b.WriteString(text[copied:at])
			b.WriteString(ProgramMark)
			copied = at
		}
		at = end
	}
	if copied == 0 && b.Len() == 0 {
		return text
	}
	b.WriteString(text[copied:])
	return b.String()
}

// lineEnds are the characters after which a reader may see a new line.
const lineEnds = "\n\r\v\f\u0085\u2028\u2029"

// imitates reports whether a line looks like one of the server's.
func imitates(line string, elisions bool) bool {
	for i, r := range line { // for most lines, the first character is enough
		if r >= utf8.RuneSelf || r < ' ' || strings.ContainsRune("[({<.\"'`>|sSmM", r) {
			line = line[i:]
			break
		}
		if r != ' ' {
			return false
		}
	}
	if len(line) > 1 && strings.ContainsRune("sSmM", rune(line[0])) && 'A' <= line[1] && line[1] <= 'z' {
		return false // a word, not a session's id
	}
	if rest, ok := strings.CutPrefix(line, ProgramMark); ok && elisionLike().MatchString(outline(rest)) {
		return false // already marked
	}
	o := outline(line)
	return isStatus(o) || bareLike().MatchString(o) || markLike().MatchString(o) || elisions && elisionLike().MatchString(o)
}

// isStatus reports whether an outline is that of one of the server's lines in brackets. If letters are
// unclear, the line must also contain a middle dot or end in a bracket, as the server's lines do:
// otherwise it may be text in another script.
func isStatus(outline string) bool {
	m := statusLike().FindString(outline)
	return m != "" && (!strings.ContainsRune(m, unclear) || strings.HasSuffix(outline, "]") || strings.ContainsRune(outline, '·'))
}

// maxImitated is the number of bytes at each end of a line that outline reads.
const maxImitated = 400

// outline returns a line in the form in which it is compared: in lower case, without control sequences and
// invisible characters, and without quotes before a session's id. Letters outside ASCII become unclear, except
// some Asian ones. Variants of a blank, a bar, a middle dot or an ellipsis become one character, and brackets
// outside ASCII become square. A question mark becomes a full stop, because it would mean unclear.
func outline(line string) string {
	if len(line) > 2*maxImitated {
		line = strings.ToValidUTF8(line[:maxImitated], "") + strings.ToValidUTF8(line[len(line)-maxImitated:], "")
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		if line[i] == 0x1b {
			if n := len(sequence().FindString(line[i:])); n > 0 {
				i += n
				continue
			}
		}
		r, n := utf8.DecodeRuneInString(line[i:])
		i += n
		if o := outlineOf(r); o != 0 {
			b.WriteRune(o)
		}
	}
	text := strings.Trim(b.String(), " ")
	rest := strings.TrimLeft(text, ".·… ")
	dots := strings.ReplaceAll(text[:len(text)-len(rest)], " ", "")
	if strings.HasPrefix(text, "…") || utf8.RuneCountInString(dots) >= len("...") {
		return "…" + rest
	}
	text = unquoted(text)
	// Programs also begin lines with these brackets, but such lines seldom contain a middle dot.
	if text != "" && strings.ContainsRune("({<", rune(text[0])) && strings.ContainsRune(text, '·') {
		return "[" + text[1:]
	}
	return text
}

// unquoted returns an outline without the characters that quote or frame a session's id at its
// beginning. Bars before the id and at the end of the line become brackets.
func unquoted(text string) string {
	m := quotedLike().FindStringSubmatch(text)
	if m == nil {
		return text
	}
	text = text[len(m[1]):]
	if inner := strings.TrimRight(text, "|"); m[2] == "" && inner != text && strings.Contains(m[1], "|") {
		return "[" + inner + "]"
	}
	return text
}

// outlineOf returns the character that stands for r in an outline, or 0 if r has none.
func outlineOf(r rune) rune {
	switch {
	case r == '?':
		return '.'
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r == '\t':
		return ' '
	case r < utf8.RuneSelf:
		if r >= ' ' && r != 0x7f {
			return r
		}
		return 0
	case unicode.In(r, unicode.Zs), strings.ContainsRune("\u2800\u3164\u115f\u1160\uffa0\u180e", r):
		return ' '
	case unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Cc, unicode.Variation_Selector):
		return 0
	case strings.ContainsRune("…⋯‥⁝⁞︙", r):
		return '…'
	case strings.ContainsRune("·•∙⋅・‧●⬤◦○⸱⸳ꞏᐧ᛫∘˙․⦁⚫･•", r):
		return '·'
	case strings.ContainsRune("❘│┃¦｜∣║", r):
		return '|'
	case strings.ContainsRune("⟪《«≪", r):
		return '«'
	case strings.ContainsRune("⟫》»≫", r):
		return '»'
	case unicode.In(r, unicode.Ps, unicode.Pi), strings.ContainsRune("⌈⌊⎡⎢⎣⸢⸤〖", r):
		return '['
	case unicode.In(r, unicode.Pe, unicode.Pf), strings.ContainsRune("⌉⌋⎤⎥⎦⸣⸥〗", r):
		return ']'
	case unicode.In(r, unicode.L, unicode.N, unicode.So, unicode.Sm) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
		return unclear
	}
	return r
}

// MarkElisions marks the lines of output that look like the server's lines about what was
// left out.
func MarkElisions(lines []OutputLine) []OutputLine {
	for i := range lines {
		if l := &lines[i]; !strings.HasPrefix(l.Text, ProgramMark) && elisionLike().MatchString(outline(l.Text)) {
			l.Text = ProgramMark + l.Text
		}
	}
	return lines
}
