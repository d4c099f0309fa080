package emulator

import (
	"fmt"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator/graphics"
)

// The answers that identify us. We say VT420 with what we do of it: sixels,
// selective erase, national and technical characters, horizontal scrolling, colour,
// rectangular editing and OSC 52 writes; no printer, no 132 columns.
const (
	replyDA1     = "\x1b[?64;4;6;9;15;21;22;28;52c"
	replyDA2     = "\x1b[>41;370;0c" // an xterm of patch 370, whose dialect this is
	replyDA3     = "\x1bP!|00000000\x1b\\"
	replyVersion = "\x1bP>|glasstty\x1b\\"
)

// da1, da2 and da3: device attributes, VT510 manual. Only parameter 0 asks.
func (t *Terminal) da1(p *params) {
	if p.get(0, 0) == 0 {
		t.reply(replyDA1)
	}
}

func (t *Terminal) da2(p *params) {
	if p.get(0, 0) == 0 {
		t.reply(replyDA2)
	}
}

func (t *Terminal) da3(p *params) {
	if p.get(0, 0) == 0 {
		t.reply(replyDA3)
	}
}

// xtversion reports the terminal's name: XTVERSION, xterm ctlseqs.
func (t *Terminal) xtversion(p *params) {
	if p.get(0, 0) == 0 {
		t.reply(replyVersion)
	}
}

// position returns the cursor's place as reports give it: one-based, and from
// the margins in origin mode.
func (t *Terminal) position() (row, col int) {
	m := t.page()
	return t.row - m.top + 1, t.col - m.left + 1
}

// dsr reports status and position: DSR, ECMA-48 8.3.35; CPR, 8.3.14.
func (t *Terminal) dsr(p *params) {
	switch p.get(0, 0) {
	case 5:
		t.reply("\x1b[0n")
	case 6:
		row, col := t.position()
		t.reply(fmt.Sprintf("\x1b[%d;%dR", row, col))
	default:
		t.unknown()
	}
}

// decdsr reports the states of DEC's terminals and later ones: DECDSR, VT510
// manual and xterm ctlseqs; 996 is the colour scheme of mode 2031.
func (t *Terminal) decdsr(p *params) {
	switch p.get(0, 0) {
	case 6: // DECXCPR
		row, col := t.position()
		t.reply(fmt.Sprintf("\x1b[?%d;%d;1R", row, col)) // of page 1
	case 15:
		t.reply("\x1b[?13n") // no printer
	case 25:
		t.reply("\x1b[?21n") // user keys are locked: there are none
	case 26:
		t.reply("\x1b[?27;1;0;0n") // North American keyboard
	case 53, 55:
		t.reply("\x1b[?50n") // no locator
	case 56:
		t.reply("\x1b[?57;0n")
	case 62:
		t.reply("\x1b[0000*{") // no macro space
	case 63:
		t.reply(fmt.Sprintf("\x1bP%d!~0000\x1b\\", p.get(1, 0)))
	case 75:
		t.reply("\x1b[?70n") // ready
	case 85:
		t.reply("\x1b[?83n") // no other sessions
	case 996:
		scheme := 1 // dark
		if t.opt.Light {
			scheme = 2
		}
		t.reply(fmt.Sprintf("\x1b[?997;%dn", scheme))
	default:
		t.unknown()
	}
}

// The answers of DECRPM (VT510 manual).
const (
	reportUnknown   = 0
	reportSet       = 1
	reportReset     = 2
	reportAlwaysOn  = 3
	reportAlwaysOff = 4
)

// decrqmANSI and decrqm report a mode: DECRQM and DECRPM, VT510 manual.
func (t *Terminal) decrqmANSI(p *params) {
	n := p.get(0, 0)
	state := fixedANSIModes[n] // reportUnknown for others
	if f, ok := ansiModes[n]; ok {
		state = reportOf(t.modes.has(f))
	}
	t.reply(fmt.Sprintf("\x1b[%d;%d$y", n, state))
}

func (t *Terminal) decrqm(p *params) {
	n := p.get(0, 0)
	state := fixedDECModes[n] // reportUnknown for others
	if on, known := t.isSet(n); known {
		state = reportOf(on)
	}
	t.reply(fmt.Sprintf("\x1b[?%d;%d$y", n, state))
}

func reportOf(on bool) int {
	if on {
		return reportSet
	}
	return reportReset
}

// decreqtparm reports the line's speed: DECREQTPARM, VT100 manual.
func (t *Terminal) decreqtparm(p *params) {
	if n := p.get(0, 0); n <= 1 {
		t.reply(fmt.Sprintf("\x1b[%d;1;1;128;128;1;0x", n+2))
	}
}

// xtwinops reports sizes and keeps the title stack: XTWINOPS, xterm ctlseqs.
// The title is never reported: output that sets a title could otherwise make it input.
func (t *Terminal) xtwinops(p *params) {
	s := t.size
	switch p.get(0, 0) {
	case 11:
		t.reply("\x1b[1t") // not iconified
	case 13:
		t.reply("\x1b[3;0;0t")
	case 14:
		t.reply(fmt.Sprintf("\x1b[4;%d;%dt", s.Rows*CellHeight, s.Cols*CellWidth))
	case 15:
		t.reply(fmt.Sprintf("\x1b[5;%d;%dt", s.Rows*CellHeight, s.Cols*CellWidth))
	case 16:
		t.reply(fmt.Sprintf("\x1b[6;%d;%dt", CellHeight, CellWidth))
	case 18:
		t.reply(fmt.Sprintf("\x1b[8;%d;%dt", s.Rows, s.Cols))
	case 19:
		t.reply(fmt.Sprintf("\x1b[9;%d;%dt", s.Rows, s.Cols))
	case 22:
		if p.get(1, 0) != 1 { // of the icon, which is shown nowhere
			t.pushTitle()
		}
	case 23:
		if p.get(1, 0) != 1 {
			t.popTitle()
		}
	default:
		t.unknown()
	}
}

// reportSize sends the in-band resize report of mode 2048.
func (t *Terminal) reportSize() {
	s := t.size
	t.reply(fmt.Sprintf("\x1b[48;%d;%d;%d;%dt", s.Rows, s.Cols, s.Rows*CellHeight, s.Cols*CellWidth))
}

// xtsmgraphics reports the limits of sixel images: XTSMGRAPHICS, xterm ctlseqs. A program
// cannot change the number of colour registers or the size.
func (t *Terminal) xtsmgraphics(p *params) {
	const good, badItem, badAction = 0, 1, 2
	item, action := p.get(0, 0), p.get(1, 0)
	status, value := good, ""
	switch {
	case item != 1 && item != 2:
		status = badItem
	case action < 1 || action > 4:
		status = badAction
	case item == 1:
		value = fmt.Sprintf(";%d", graphics.SixelRegisters)
	case action == 4:
		value = fmt.Sprintf(";%d;%d", graphics.MaxSide, graphics.MaxPixels/graphics.MaxSide)
	default:
		value = fmt.Sprintf(";%d;%d", t.size.Cols*CellWidth, t.size.Rows*CellHeight)
	}
	t.reply(fmt.Sprintf("\x1b[?%d;%d%sS", item, status, value))
}

// decrqcra reports the checksum of an area: DECRQCRA, VT510 manual. The sum is
// xterm's: negated, over the cells that were drawn or have a colour. The very first
// cell counts in any case.
func (t *Terminal) decrqcra(p *params) {
	a, ok := t.area(p, 2)
	sum, first := 0, true
	for r := a.top; ok && r <= a.bottom; r++ {
		for _, g := range t.scr.cells(r)[a.left : a.right+1] {
			if first || g != (glyph{ch: blank}) {
				sum += t.cellSum(g)
			}
			first = false
		}
	}
	t.reply(fmt.Sprintf("\x1bP%d!~%04X\x1b\\", p.get(0, 0), uint16(-sum)))
}

// spacerSum is what the right half of a wide cell counts: the low byte of the
// character that xterm has there.
const spacerSum = 0xFF

// cellSum returns what a cell adds to a checksum: the low byte of its character
// without combining ones, and a number for each of some attributes.
func (t *Terminal) cellSum(g glyph) int {
	s := t.styles.style(g.st)
	sum := ' '
	switch text := t.clusters.text(g.ch); {
	case g.ch == spacer:
		sum = spacerSum
	case text != "" && s.Attrs&Hidden == 0:
		sum, _ = utf8.DecodeRuneInString(text)
	}
	n := int(sum & 0xFF)
	for _, a := range []struct {
		on  bool
		add int
	}{
		{s.Underline != UnderlineNone, 0x10},
		{s.Attrs&Reverse != 0, 0x20},
		{s.Attrs&Blink != 0, 0x40},
		{s.Attrs&Bold != 0, 0x80},
	} {
		if a.on {
			n += a.add
		}
	}
	return n
}
