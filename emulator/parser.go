package emulator

import (
	"bytes"

	"github.com/glasstty/glasstty/emulator/graphics"
)

// A state is a state of the parser (after Paul Williams' diagram,
// vt100.net/emu/dec_ansi_parser). ESC inside a string has a state of its own, so that
// ESC followed by anything but \ cancels the string.
type state uint8

const (
	ground  state = iota // outside all sequences and strings
	escape               // after ESC
	csi                  // in a control sequence
	dcs                  // in the header of a device control string
	text                 // in the payload of OSC, DCS, APC, PM, SOS and ESC k
	textEsc              // after ESC inside such a payload
)

// Control characters that have a meaning for the parser, and the end of C1.
const (
	can   = 0x18
	sub   = 0x1A
	esc   = 0x1B
	del   = 0x7F
	c1End = 0xA0 // the first character after the C1 control characters
)

// A parser finds the boundaries of escape and control sequences and of control strings. It
// does not know their meaning.
type parser struct {
	state   state
	prefix  byte    // one of < = > ?, or 0
	inter   [2]byte // the first intermediates; unused elements are 0
	ninter  int     // number of intermediates; the sequence is unknown if it is more than len(inter)
	params  params
	kind    byte   // the type of control string, by the character after ESC: ] P X ^ _ k
	final   byte   // the final of a DCS header
	str     []byte // the payload of the string
	tooLong bool   // the payload exceeded its maximum length and is dropped
}

// step processes one character. The characters U+0080 to U+009F, which are C1 controls in
// 8-bit sets, are always ignored, as in xterm and tmux. The bytes 0x80 to 0x9F alone are not
// valid UTF-8; the decoder has replaced them by U+FFFD.
func (t *Terminal) step(r rune) {
	p := &t.parser
	if p.state == textEsc && r != '\\' {
		p.reset(escape) // an ESC that does not begin ST aborts the string and begins a new sequence
	}
	switch {
	case r == can, r == sub:
		p.reset(ground)
	case r == esc && p.state == text:
		p.state = textEsc
	case r == esc:
		p.reset(escape)
	case p.state == text:
		t.stepText(r)
	case p.state == textEsc:
		t.finishString(false)
	case r < ' ':
		if p.state != dcs { // in a DCS header, C0 characters are ignored
			t.execute(r)
		}
	case r >= del && r < c1End:
	case p.state == ground:
		t.printRune(r)
		return
	case r < '0':
		p.intermediate(byte(r))
	case p.state == escape:
		t.stepEscape(r)
	default:
		t.stepHeader(r)
	}
	if p.state == ground {
		t.last = 0
	}
}

// stepEscape processes the character after ESC and its intermediates. As in xterm and
// xterm.js, a character from U+00A0 onwards acts as the final of an unknown sequence.
func (t *Terminal) stepEscape(r rune) {
	p := &t.parser
	p.state = ground
	switch {
	case p.ninter == 0 && r == '[':
		p.state = csi
	case p.ninter == 0 && r == 'P':
		p.state = dcs
	case p.ninter == 0 && r < c1End && bytes.IndexByte([]byte("]X^_k"), byte(r)) >= 0: // OSC, SOS, PM, APC; ESC k is screen's title
		p.beginString(byte(r))
	case r < c1End:
		t.dispatchESC(byte(r))
	}
}

// stepHeader processes a prefix, parameter or final of a control sequence or DCS header. A misplaced
// or non-ASCII character makes the sequence unknown, and ends a DCS header as its final.
func (t *Terminal) stepHeader(r rune) {
	p := &t.parser
	switch {
	case r < '<' && p.ninter == 0:
		p.param(byte(r))
		return
	case r >= '<' && r < '@' && p.prefix == 0 && p.params.n == 0 && p.ninter == 0:
		p.prefix = byte(r)
		return
	case r < '@':
		p.ninter = len(p.inter) + 1
		if p.state == csi {
			return
		}
	case r >= c1End:
		p.ninter = len(p.inter) + 1
	}
	if p.state == dcs {
		p.final = byte(r)
		p.beginString('P')
		return
	}
	p.state = ground
	t.dispatchCSI(byte(r))
}

// stepText processes a character of a control string. BEL ends OSC and ESC k; in other strings
// it is payload. C0 characters in OSC, and C1 characters in all strings, are ignored.
func (t *Terminal) stepText(r rune) {
	p := &t.parser
	switch {
	case r == '\a' && (p.kind == ']' || p.kind == 'k'):
		t.finishString(true)
	case r < ' ' && p.kind == ']', r > del && r < c1End:
	default:
		t.put([]byte(string(r)))
	}
}

// put appends b to the payload of a control string. A payload that becomes too long is dropped.
func (t *Terminal) put(b []byte) {
	p := &t.parser
	if n := len(p.str) + len(b); n > maxString && (n > graphics.MaxString || !p.isImage()) {
		p.tooLong = true
		p.str = nil
	}
	if !p.tooLong {
		p.str = append(p.str, b...)
	}
}

// finishString runs a control string that has ended with BEL, if bell is set, or with ST. It
// ignores SOS, PM, ESC k, and APC other than kitty images.
func (t *Terminal) finishString(bell bool) {
	p := &t.parser
	p.state = ground
	switch {
	case p.tooLong:
	case p.kind == ']':
		t.runOSC(p.str, bell)
	case p.kind == 'P':
		t.runDCS()
	case p.isImage() && p.kind == '_':
		t.kittyImage(p.str[1:])
	}
	p.str = nil
}

// maxString is the maximum length in bytes of the payload of a control string, except an image
// (see isImage). A longer payload is dropped as a whole, because half a title is worse than none.
const maxString = 1 << 20

// isImage reports whether the payload is that of an image, whose maximum length is
// graphics.MaxString.
func (p *parser) isImage() bool {
	switch p.kind {
	case 'P':
		return p.final == 'q' && p.prefix == 0 && p.ninter == 0
	case '_':
		return len(p.str) > 0 && p.str[0] == 'G'
	case ']':
		return bytes.HasPrefix(p.str, []byte("1337;File="))
	}
	return false
}

// clear resets the header before a new sequence.
func (p *parser) clear() {
	p.prefix, p.ninter = 0, 0
	p.inter = [2]byte{}
	p.params.reset()
}

// reset drops an incomplete sequence or string and enters a state.
func (p *parser) reset(to state) {
	p.str = nil
	p.clear()
	p.state = to
}

func (p *parser) intermediate(c byte) {
	if p.ninter < len(p.inter) {
		p.inter[p.ninter] = c
	}
	p.ninter = min(p.ninter, len(p.inter)) + 1
}

func (p *parser) param(c byte) {
	switch c {
	case ';':
		p.params.separate(false)
	case ':':
		p.params.separate(true)
	default:
		p.params.digit(c)
	}
}

// beginString begins a control string.
func (p *parser) beginString(kind byte) { p.state, p.kind, p.tooLong = text, kind, false }
