package text

import "strings"

// Readable returns typed bytes as text: Enter as a line feed, a tab unchanged, other control
// characters as ^X, as terminals echo them (ECHOCTL). Invalid UTF-8 becomes U+FFFD.
func Readable(typed string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(typed, "\uFFFD") {
		switch {
		case r == '\r' || r == '\n':
			b.WriteByte('\n')
		case r == 0x7f:
			b.WriteString("^?")
		case r < ' ' && r != '\t':
			b.WriteByte('^')
			b.WriteRune(r + '@')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
