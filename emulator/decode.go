package emulator

import "unicode/utf8"

// A decoder decodes UTF-8 as the WHATWG Encoding Standard's "UTF-8 decode" does: each
// maximal part of an ill-formed sequence becomes one U+FFFD, and a byte that cannot
// continue a sequence starts the next one.
type decoder struct {
	bytes [utf8.UTFMax]byte // the incomplete sequence
	n     int               // its length
}

const replacement = utf8.RuneError

// step decodes one byte. ok reports whether r is a complete rune. retry means that r
// replaces the incomplete sequence before b, and b must be passed again.
func (d *decoder) step(b byte) (r rune, ok, retry bool) {
	d.bytes[d.n] = b
	p := d.bytes[:d.n+1]
	if !utf8.FullRune(p) {
		d.n++
		return 0, false, false
	}
	d.n = 0
	r, size := utf8.DecodeRune(p)
	return r, true, size < len(p)
}
