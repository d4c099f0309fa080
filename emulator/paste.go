package emulator

import (
	"strings"
	"unicode"
)

// EncodePaste returns the bytes that pasting text would send: inside brackets
// when ?2004 is set, with whatever could end the brackets taken out; line feeds
// as carriage returns (xterm ctlseqs, "Bracketed Paste Mode").
//
// Control characters become spaces, so that a paste can neither close its
// brackets nor press ctrl+c: xterm does so with those in its resource
// disallowedPasteControls, ESC among them, and with C1 characters. We do it with
// all but tab and newline, as xterm offers with the name C0, because the
// terminal cannot know which of them the line discipline acts on. Bytes that are
// not UTF-8 become U+FFFD, since 9B alone is CSI to some programs.
func EncodePaste(text string, m Modes) []byte {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.ReplaceAll(text, "\r\n", "\r")
	text = strings.Map(pasteRune, text)
	if m.BracketedPaste {
		text = "\x1b[200~" + text + "\x1b[201~"
	}
	return []byte(text)
}

// pasteRune returns what is pasted in place of r.
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
