package emulator

// A decoder decodes UTF-8 as the WHATWG Encoding Standard's "UTF-8 decode" does: each
// maximal part of an ill-formed sequence becomes one U+FFFD, and a byte that cannot
// continue a sequence starts the next one.
type decoder struct {
	need   int  // continuation bytes missing
	r      rune // bits decoded so far
	lo, hi byte // range of valid next bytes
}

const replacement = '\uFFFD'

// step decodes one byte. ok reports whether r is a complete rune. retry means that r
// replaces the incomplete sequence before b, and b must be passed again.
func (d *decoder) step(b byte) (r rune, ok, retry bool) {
	if d.need == 0 {
		return d.first(b)
	}
	if b < d.lo || b > d.hi {
		d.need = 0
		return replacement, true, true
	}
	d.lo, d.hi = 0x80, 0xBF
	d.r = d.r<<6 | rune(b&0x3F)
	d.need--
	return d.r, d.need == 0, false
}

// first is step for the first byte of a sequence.
func (d *decoder) first(b byte) (rune, bool, bool) {
	d.lo, d.hi = 0x80, 0xBF
	switch {
	case b < 0x80:
		return rune(b), true, false
	case b >= 0xC2 && b <= 0xDF:
		d.need, d.r = 1, rune(b&0x1F)
	case b >= 0xE0 && b <= 0xEF:
		d.need, d.r = 2, rune(b&0x0F)
		if b == 0xE0 {
			d.lo = 0xA0 // no overlong form
		} else if b == 0xED {
			d.hi = 0x9F // no surrogate
		}
	case b >= 0xF0 && b <= 0xF4:
		d.need, d.r = 3, rune(b&0x07)
		if b == 0xF0 {
			d.lo = 0x90
		} else if b == 0xF4 {
			d.hi = 0x8F // nothing above U+10FFFF
		}
	default:
		return replacement, true, false
	}
	return 0, false, false
}
