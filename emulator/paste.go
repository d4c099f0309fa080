package emulator

import (
	"strings"
	"unicode"
)

// EncodePaste returns the bytes that pasting text would send, in brackets if ?2004 is set
// (xterm ctlseqs, "Bracketed Paste Mode"). LF and CR LF become CR.
//
// Control characters other than CR, LF and tab become spaces, so that a paste can neither end its
// brackets nor send ctrl+c. xterm replaces C1 characters, but only those C0 characters that its
// resource disallowedPasteControls lists, such as ESC. We replace all C0 characters, because the
// terminal cannot know which of them the line discipline acts on. Bytes that are not UTF-8 become
// U+FFFD, because some programs interpret a single byte 0x9B as CSI.
func EncodePaste(text string, m Modes) []byte {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.ReplaceAll(text, "\r\n", "\r")
	text = strings.Map(pasteRune, text)
	if m.BracketedPaste {
		text = "\x1b[200~" + text + "\x1b[201~"
	}
	return []byte(text)
}

// pasteRune returns the character that is sent for r.
func pasteRune(r rune) rune {
	switch {
	case r == '\n':
		return '\r'
	case r == '\r', r == '\t':
		return r
	case unicode.IsControl(r):
		return ' '
	default:
		return r
	}
}
