package emulator

import (
	"fmt"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator/graphics"
)

// Replies that identify the terminal. DA1 reports a VT420 with sixels, selective erase,
// national and technical character sets, horizontal scrolling, colour, rectangular
// editing and OSC 52 writes, but no printer port and no 132-column mode.
const (
	replyDA1     = "\x1b[?64;4;6;9;15;21;22;28;52c"
	replyDA2     = "\x1b[>41;370;0c" // xterm patch 370
	replyDA3     = "\x1bP!|00000000\x1b\\"
	replyVersion = "\x1bP>|glasstty\x1b\\"
)

// answerWith returns a method that sends a reply if parameter 0 is 0 or missing: DA1, DA2 and DA3,
// VT510 manual; XTVERSION, xterm ctlseqs.
func answerWith(reply string) func(*Terminal, *params) {
	return func(t *Terminal, p *params) {
		if p.get(0, 0) == 0 {
			t.reply(reply)
		}
	}
}

// reportedPosition returns the cursor's position for reports: one-based, and relative to the
// margins in origin mode.
func (t *Terminal) reportedPosition() (row, col int) {
	m := t.page()
	return t.row - m.top + 1, t.col - m.left + 1
}

// dsr reports the terminal's status or the cursor's position: DSR, ECMA-48 8.3.35; CPR,
// 8.3.14.
func (t *Terminal) dsr(p *params) {
	switch p.get(0, 0) {
	case 5:
		t.reply("\x1b[0n")
	case 6:
		row, col := t.reportedPosition()
		t.reply(fmt.Sprintf("\x1b[%d;%dR", row, col))
	}
}

// statusReports are the replies to DECDSR that do not depend on the terminal's state.
var statusReports = map[int]string{
	15: "\x1b[?13n",       // no printer
	25: "\x1b[?21n",       // user-defined keys are locked, as none are supported
	26: "\x1b[?27;1;0;0n", // North American keyboard
	53: "\x1b[?50n",       // no locator
	55: "\x1b[?50n",
	56: "\x1b[?57;0n",
	62: "\x1b[0000*{", // no macro space
	75: "\x1b[?70n",   // ready
	85: "\x1b[?83n",   // no other sessions
}

// decdsr answers DECDSR, VT510 manual and xterm ctlseqs: the status requests of DEC terminals,
// xterm's additions, and 996, the request for the colour scheme that belongs to mode 2031.
func (t *Terminal) decdsr(p *params) {
	switch n := p.get(0, 0); n {
	case 6: // DECXCPR
		row, col := t.reportedPosition()
		t.reply(fmt.Sprintf("\x1b[?%d;%d;1R", row, col)) // page 1
	case 63: // DECCKSR: the checksum of the macros, of which there are none
		t.reply(fmt.Sprintf("\x1bP%d!~0000\x1b\\", p.get(1, 0)))
	case 996:
		scheme := 1 // dark
		if t.opt.Light {
			scheme = 2
		}
		t.reply(fmt.Sprintf("\x1b[?997;%dn", scheme))
	default:
		t.reply(statusReports[n])
	}
}

// Mode states in DECRPM (VT510 manual).
const (
	reportSet       = 1
	reportReset     = 2
	reportAlwaysOn  = 3
	reportAlwaysOff = 4
)

// reportMode returns a method that reports whether a mode is set: DECRQM and DECRPM, VT510
// manual. prefix is "?" and sign is 1 for DEC private modes. prefix is "" and sign is -1 for
// ANSI modes (see modeNumbers).
func reportMode(prefix string, sign int) func(*Terminal, *params) {
	return func(t *Terminal, p *params) {
		n := p.get(0, 0)
		state := reportReset
		switch on, known := t.modeState(sign * n); {
		case !known:
			state = fixedModes[sign*n] // 0 for other modes: unknown
		case on:
			state = reportSet
		}
		t.reply(fmt.Sprintf("\x1b[%s%d;%d$y", prefix, n, state))
	}
}

// decreqtparm reports fictitious parameters of a serial line: DECREQTPARM, VT100 manual.
func (t *Terminal) decreqtparm(p *params) {
	if n := p.get(0, 0); n <= 1 {
		t.reply(fmt.Sprintf("\x1b[%d;1;1;128;128;1;0x", n+2))
	}
}

// xtwinops reports sizes, a fixed state and position of the window, and maintains the title
// stack: XTWINOPS, xterm ctlseqs. It never reports the title, because a program's output could
// then inject input through the title.
func (t *Terminal) xtwinops(p *params) {
	const iconTitle = 1 // the icon title is not stored
	s := t.size
	switch n := p.get(0, 0); n {
	case 11:
		t.reply("\x1b[1t") // not iconified
	case 13:
		t.reply("\x1b[3;0;0t") // position of the window
	case 14, 15:
		t.reply(fmt.Sprintf("\x1b[%d;%d;%dt", n-10, s.Rows*CellHeight, s.Cols*CellWidth))
	case 16:
		t.reply(fmt.Sprintf("\x1b[6;%d;%dt", CellHeight, CellWidth))
	case 18, 19:
		t.reply(fmt.Sprintf("\x1b[%d;%d;%dt", n-10, s.Rows, s.Cols))
	case 22:
		if p.get(1, 0) != iconTitle {
			stack := append(t.titleStack, t.title)
			t.titleStack = stack[max(0, len(stack)-maxTitleStack):]
		}
	case 23:
		if last := len(t.titleStack) - 1; last >= 0 && p.get(1, 0) != iconTitle {
			title := t.titleStack[last]
			t.titleStack = t.titleStack[:last]
			t.setTitle(title)
		}
	}
}

// reportSize sends the in-band resize report of mode 2048.
func (t *Terminal) reportSize() {
	s := t.size
	t.reply(fmt.Sprintf("\x1b[48;%d;%d;%d;%dt", s.Rows, s.Cols, s.Rows*CellHeight, s.Cols*CellWidth))
}

// xtsmgraphics reports the limits of sixel images: XTSMGRAPHICS, xterm ctlseqs. Programs cannot
// change the number of colour registers or the size; a request to do so gets the current value.
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

// decrqcra reports the checksum of an area: DECRQCRA, VT510 manual. The checksum is that of
// xterm: the negated sum of cellSum over the area's first cell and all other cells except
// erased cells in the default style. An empty area has the checksum 0.
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

// spacerSum is the value of a spacer in a checksum: the low byte of the character that
// xterm stores in the right half of a wide cell.
const spacerSum = 0xFF

// cellSum returns the value of a cell in a checksum: the low byte of its first character (a
// space if the cell is erased or hidden), plus 0x10, 0x20, 0x40 and 0x80 for underline, reverse,
// blink and bold.
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
	for i, on := range []bool{s.Underline != UnderlineNone, s.Attrs&Reverse != 0, s.Attrs&Blink != 0, s.Attrs&Bold != 0} {
		if on {
			n += 0x10 << i
		}
	}
	return n
}
