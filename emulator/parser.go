package emulator

import "bytes"

// A state is a state of the DEC/ECMA parser (Paul Williams' diagram,
// vt100.net/emu/dec_ansi_parser). ESC inside a string has a state of its own, so that
// ESC followed by anything but \ cancels the string.
type state uint8

const (
	ground state = iota
	escape
	escapeIntermediate
	csiEntry
	csiParam
	csiIntermediate
	csiIgnore
	dcsEntry
	dcsParam
	dcsIntermediate
	text    // the payload of OSC, DCS, APC, PM, SOS and ESC k
	textEsc // ESC inside such a payload
	states
)

// An action is what the parser does with a character.
type action uint8

const (
	ignore action = iota
	print
	execute
	collect
	param
	dispatchESC
	dispatchCSI
	hook   // the DCS header is complete and the payload begins
	begin  // a control string other than DCS begins
	put    // the character belongs to the payload
	finish // the string is complete
	abort  // the string or sequence is dropped
)

// A move is the action and next state for a character in a state.
type move struct {
	do action
	to state
}

// c1 is the end of the C1 control characters. The table covers the characters before it;
// in all states, the others are text.
const c1 = 0xA0

// transitions is the state table. The characters U+0080 to U+009F, which are C1 controls
// in 8-bit sets, are always ignored, as in xterm and tmux. The raw bytes are not valid
// UTF-8; the decoder has replaced them by U+FFFD.
var transitions = buildTransitions()

func buildTransitions() *[states][c1]move {
	var t [states][c1]move
	set := func(s state, lo, hi int, do action, to state) {
		for c := lo; c <= hi; c++ {
			t[s][c] = move{do, to}
		}
	}
	for s := ground; s < states; s++ {
		if s != text && s != textEsc {
			set(s, 0x00, 0x1F, execute, s)
			set(s, 0x7F, 0x9F, ignore, s)
		}
	}
	set(ground, 0x20, 0x7E, print, ground)
	buildEscape(set)
	buildCSI(set)
	buildDCS(set)
	buildText(set)
	for s := ground; s < states; s++ {
		buildAnywhere(s, set)
	}
	return &t
}

type setter func(s state, lo, hi int, do action, to state)

func buildEscape(set setter) {
	set(escape, 0x20, 0x2F, collect, escapeIntermediate)
	set(escape, 0x30, 0x7E, dispatchESC, ground)
	set(escape, '[', '[', ignore, csiEntry)
	set(escape, 'P', 'P', ignore, dcsEntry)
	for _, c := range "]X^_k" { // OSC, SOS, PM, APC; ESC k is screen's title
		set(escape, int(c), int(c), begin, text)
	}
	set(escapeIntermediate, 0x20, 0x2F, collect, escapeIntermediate)
	set(escapeIntermediate, 0x30, 0x7E, dispatchESC, ground)
}

func buildCSI(set setter) {
	set(csiEntry, 0x20, 0x2F, collect, csiIntermediate)
	set(csiEntry, 0x30, 0x3B, param, csiParam)
	set(csiEntry, 0x3C, 0x3F, collect, csiParam)
	set(csiEntry, 0x40, 0x7E, dispatchCSI, ground)
	set(csiParam, 0x20, 0x2F, collect, csiIntermediate)
	set(csiParam, 0x30, 0x3B, param, csiParam)
	set(csiParam, 0x3C, 0x3F, ignore, csiIgnore)
	set(csiParam, 0x40, 0x7E, dispatchCSI, ground)
	set(csiIntermediate, 0x20, 0x2F, collect, csiIntermediate)
	set(csiIntermediate, 0x30, 0x3F, ignore, csiIgnore)
	set(csiIntermediate, 0x40, 0x7E, dispatchCSI, ground)
	set(csiIgnore, 0x20, 0x3F, ignore, csiIgnore)
	set(csiIgnore, 0x40, 0x7E, abort, ground)
}

func buildDCS(set setter) {
	for s := dcsEntry; s <= dcsIntermediate; s++ {
		set(s, 0x00, 0x1F, ignore, s)
	}
	set(dcsEntry, 0x20, 0x2F, collect, dcsIntermediate)
	set(dcsEntry, 0x30, 0x3B, param, dcsParam)
	set(dcsEntry, 0x3C, 0x3F, collect, dcsParam)
	set(dcsEntry, 0x40, 0x7E, hook, text)
	set(dcsParam, 0x20, 0x2F, collect, dcsIntermediate)
	set(dcsParam, 0x30, 0x3B, param, dcsParam)
	set(dcsParam, 0x3C, 0x3F, hook, text) // malformed; dcs ignores it, because no DCS has this final
	set(dcsParam, 0x40, 0x7E, hook, text)
	set(dcsIntermediate, 0x20, 0x2F, collect, dcsIntermediate)
	set(dcsIntermediate, 0x30, 0x3F, hook, text) // malformed, too
	set(dcsIntermediate, 0x40, 0x7E, hook, text)
}

func buildText(set setter) {
	set(text, 0x00, 0x7F, put, text)
	set(text, 0x80, 0x9F, ignore, text)
	set(text, 0x07, 0x07, finish, ground) // BEL ends only OSC and ESC k, see Terminal.finish
	set(text, 0x1B, 0x1B, ignore, textEsc)
	set(textEsc, 0x00, 0x7F, abort, ground) // never used, see Terminal.step
	set(textEsc, '\\', '\\', finish, ground)
}

// buildAnywhere adds the transitions for CAN, SUB and ESC, which are the same in every
// state except for ESC in a string.
func buildAnywhere(s state, set setter) {
	set(s, 0x18, 0x18, abort, ground)
	set(s, 0x1A, 0x1A, abort, ground)
	if s != text {
		set(s, 0x1B, 0x1B, abort, escape)
	}
}

// A parser finds the boundaries of control sequences. It does not know their meaning.
type parser struct {
	state   state
	prefix  byte    // one of < = > ?, or 0
	inter   [2]byte // intermediates
	ninter  int     // their number; the sequence is unknown if it is more than len(inter)
	params  params
	kind    byte   // the type of control string: ] P X ^ _ k
	final   byte   // the final of a DCS header
	str     []byte // the payload of the string
	tooLong bool   // the payload exceeded maxString and is dropped
}

// maxString is the maximum length of the payload of a control string in bytes. A longer
// payload is dropped as a whole, because half a title or half an image is worse than none.
const maxString = 1 << 20

// image reports whether the payload is that of an image, whose maximum length is
// graphics.MaxString.
func (p *parser) image() bool {
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

func (p *parser) collect(c byte) {
	switch {
	case c >= 0x3C:
		p.prefix = c
	case p.ninter < len(p.inter):
		p.inter[p.ninter] = c
		p.ninter++
	default:
		p.ninter = len(p.inter) + 1
	}
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
func (p *parser) beginString(kind byte) {
	p.kind, p.tooLong = kind, false
	p.str = p.str[:0]
}

// keepString is the capacity in bytes up to which the payload buffer is reused.
const keepString = 16 << 10

// endString ends a control string.
func (p *parser) endString() {
	if cap(p.str) > keepString {
		p.str = nil
	}
	p.str = p.str[:0]
}
