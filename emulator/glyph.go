package emulator

import "unicode/utf8"

// A glyph is what the screen's memory holds for one cell: handles for a text
// and a style, never their meaning.
type glyph struct {
	ch rune    // a plain character, or one of the handles below
	st styleID // an index of the style table
}

// The reserved texts. C1 code points never reach a cell as text, so they are
// free to stand for what is not a character.
const (
	blank  rune = ' '     // an erased cell; vt10x itself erases with this
	spacer rune = 0x80    // the right half of a wide cell
	space  rune = 0x81    // a space that was written
	planeA rune = 0xF0000 // handles of clusters begin: plane 15, then plane 16
)

// maxClusters bounds the interned grapheme clusters: the code points of planes
// 15 and 16 that vt10x and UTF-8 carry unchanged.
const maxClusters = 0x10FFFD - int(planeA)

// maxClusterBytes bounds one cell's text; further combining marks are dropped.
const maxClusterBytes = 64

// clusters interns the texts of cells that are not one plain rune: a base with
// combining marks, an emoji sequence, a rune of planes 4 to 16.
type clusters struct{ interner[string] }

func newClusters() *clusters {
	return &clusters{newInterner[string](maxClusters)}
}

// handle returns the rune that stands for text in a cell. It reports false
// when the table is full; the caller then collects garbage.
func (c *clusters) handle(text string) (rune, bool) {
	if r, n := utf8.DecodeRuneInString(text); n == len(text) && r < tileBase {
		return r, true
	}
	id, ok := c.id(text)
	return planeA + rune(id), ok
}

// text returns what a cell with handle ch shows.
func (c *clusters) text(ch rune) string {
	switch {
	case ch == blank || ch == spacer:
		return ""
	case ch == space:
		return " "
	case ch >= planeA:
		return c.values[ch-planeA]
	case ch < utf8.RuneSelf:
		return asciiTexts[ch : ch+1]
	case isTile(ch):
		return ""
	}
	return string(ch)
}

// asciiTexts gives ASCII cells their text without an allocation.
const asciiTexts = "" +
	"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f" +
	" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_" +
	"`abcdefghijklmnopqrstuvwxyz{|}~\x7f"

// appendText appends what a cell shows to b, a blank cell as a space.
func (c *clusters) appendText(b []byte, ch rune) []byte {
	switch {
	case ch == spacer:
		return b
	case ch == blank || ch == space:
		return append(b, ' ')
	case ch >= planeA:
		return append(b, c.values[ch-planeA]...)
	}
	return utf8.AppendRune(b, ch)
}
