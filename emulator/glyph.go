package emulator

import "unicode/utf8"

// A glyph is the content of one cell as a screen stores it: a character or a handle for
// its text, and a handle for its style.
type glyph struct {
	ch rune    // a character, a handle, or one of the special values below
	st styleID // index in the style table
}

// Special values of glyph.ch. C1 characters are never stored as text, so their code points can
// have another meaning here.
const (
	blank       rune = ' '     // an erased cell; vt10x erases with the same value
	spacer      rune = 0x80    // the right half of a wide cell
	space       rune = 0x81    // a printed space
	firstHandle rune = 0xF0000 // first handle of an interned cluster; handles fill planes 15 and 16
)

// maxClusters is the maximum number of interned grapheme clusters: the code points of
// planes 15 and 16 that vt10x and UTF-8 carry unchanged.
const maxClusters = 0x10FFFD - int(firstHandle)

// maxClusterBytes is the maximum length of a cell's text in bytes; further combining marks
// are dropped.
const maxClusterBytes = 64

// clusters interns those texts of cells that are not a single code point below tileBase: a
// base with combining marks, an emoji sequence, or a character of planes 4 to 16.
type clusters struct{ interner[string] }

// internText returns the rune that represents text in a cell. If it reports false, the table is
// full, and the caller must collect garbage.
func (c *clusters) internText(text string) (rune, bool) {
	if r, n := utf8.DecodeRuneInString(text); n == len(text) && r < tileBase {
		return r, true
	}
	id, ok := c.id(text)
	return firstHandle + rune(id), ok
}

// text returns the text of a cell whose glyph has ch: "" for an erased cell, a spacer or a
// tile.
func (c *clusters) text(ch rune) string {
	switch {
	case ch == blank || ch == spacer:
		return ""
	case ch == space:
		return " "
	case ch >= firstHandle:
		return c.values[ch-firstHandle]
	case ch < utf8.RuneSelf:
		return asciiTexts[ch : ch+1]
	case isTile(ch):
		return ""
	}
	return string(ch)
}

// asciiTexts provides the texts of ASCII cells without allocation.
const asciiTexts = "" +
	"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f" +
	" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_" +
	"`abcdefghijklmnopqrstuvwxyz{|}~\x7f"

// appendText appends the text of a cell, not a tile, to b: a space for an erased cell, nothing for a spacer.
func (c *clusters) appendText(b []byte, ch rune) []byte {
	switch {
	case ch == spacer:
		return b
	case ch == blank || ch == space:
		return append(b, ' ')
	case ch >= firstHandle:
		return append(b, c.values[ch-firstHandle]...)
	}
	return utf8.AppendRune(b, ch)
}
