package session

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ProgramMark stands before a line of a program's that looks like one of those that
// the server puts beside its text: a status line, a heading, a line that says what
// was left out. A line without it that looks so is the server's.
const ProgramMark = "⟪program⟫ "

var (
	// statusLike is how lines of the server in brackets begin, also with other
	// brackets, dots and case.
	statusLike = regexp.MustCompile(`(?i)^[\[［⁅❲〔【⟦]\s*(?:[a-z0-9]{1,8}(?:\s+(?:running|exited|lost|deleted)\b|\s*[·•∙⋅・‧])|screen\s+\d+\s*[×x]|rows\s+changed|m\d+\s+(?:input|output))`)
	// elisionLike is how lines begin that say what was left out.
	elisionLike = regexp.MustCompile(`(?i)^(?:…|\.\.\.)\s*\d+\s+(?:more\s+)?(?:lines?|characters?|bytes?|times)\b.*(?:left\s+out|the\s+same|like\s+these)`)
	// markLike is how a marked line begins.
	markLike = regexp.MustCompile(`(?i)^[⟪《«]\s*program\s*[⟫》»]`)
	// sequence is a control sequence; raw output has some.
	sequence = regexp.MustCompile(`^(?:\x1b\[[0-9;:?<=>]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~])`)
)

// MarkProgram returns a program's text with ProgramMark before the lines that look
// like the server's. With elisions those are meant too that say what was left out;
// in a Reply's Output they are marked already.
func MarkProgram(text string, elisions bool) string {
	if !strings.ContainsAny(text, "[［⁅❲〔【⟦…⟪《«") && !strings.Contains(text, "...") {
		return text
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		end := len(rest)
		if i := strings.IndexFunc(rest, endsLine); i >= 0 {
			_, n := utf8.DecodeRuneInString(rest[i:])
			end = i + n
		}
		if line := rest[:end]; imitates(line, elisions) {
			b.WriteString(ProgramMark)
		}
		b.WriteString(rest[:end])
		rest = rest[end:]
	}
	return b.String()
}

// endsLine reports whether a reader may see a new line after r.
func endsLine(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// imitates reports whether a line looks like one of the server's.
func imitates(line string, elisions bool) bool {
	for {
		line = strings.TrimLeftFunc(line, func(r rune) bool {
			return unicode.IsSpace(r) || r != 0x1b && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r))
		})
		n := len(sequence.FindString(line))
		if n == 0 {
			break
		}
		line = line[n:]
	}
	if line == "" || !strings.ContainsAny(line[:min(len(line), utf8.UTFMax)], "[［⁅❲〔【⟦….⟪《«") {
		return false
	}
	// Raw output may have sequences between the letters.
	line = plainOf(line[:min(len(line), maxImitated)])
	if rest, ok := strings.CutPrefix(line, ProgramMark); ok && elisionLike.MatchString(rest) {
		return false // it has its mark
	}
	return statusLike.MatchString(line) || markLike.MatchString(line) || elisions && elisionLike.MatchString(line)
}

// maxImitated is how much of a line is looked at, in bytes.
const maxImitated = 400

// plainOf returns a line without control sequences and invisible characters, and
// blanks of all kinds as one kind.
func plainOf(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		if n := len(sequence.FindString(line[i:])); line[i] == 0x1b && n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(line[i:])
		if unicode.Is(unicode.Zs, r) {
			b.WriteByte(' ')
		} else if !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) {
			b.WriteString(line[i : i+n])
		}
		i += n
	}
	return b.String()
}

// markElisions marks the lines of output that say, as the server does, what was left
// out.
func markElisions(lines []outLine) []outLine {
	for i := range lines {
		if l := &lines[i]; strings.ContainsAny(l.text, "….") && !statusLike.MatchString(l.text) && imitates(l.text, true) {
			l.text = ProgramMark + l.text
		}
	}
	return lines
}
