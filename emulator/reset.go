package emulator

// ris resets the terminal to its state after power-on: RIS, ECMA-48 8.3.105. As in xterm,
// Snapshot no longer shows the scrollback.
func (t *Terminal) ris() {
	if t.scr == t.alt {
		t.markAllMoved()
	}
	t.scr = t.main
	t.recordErased()
	t.powerOn()
	t.repaint.end()
	for _, s := range t.screens() {
		t.clearScreen(s)
	}
	t.history.hide()
	t.images.reset()
	t.setTitle("")
}

// decstr is a soft reset: DECSTR, VT510 manual, table of "Soft Terminal Reset".
func (t *Terminal) decstr(*params) {
	for _, f := range []mode{
		modeInsert, modeOrigin, modeAppCursor, modeAppKeypad, modeKeyboardLock,
		modeReverseWrap, modeExtReverseWrap, modeLeftRight,
	} {
		t.modes.set(f, false)
	}
	t.modes.set(modeCursorVisible, true)
	t.modes.set(modeAutoWrap, true)
	t.repaint.modesChanged(&t.modes)
	t.margins = fullMargins(t.size)
	t.charset = charset{}
	t.pen = Style{Link: t.pen.Link}
	*t.savedSlot() = savedCursor{set: true} // as in xterm, the other screen keeps its saved cursor
	t.shape, t.blink = CursorBlock, false
	t.sgrStack = nil
	t.protection = unprotected
	t.modifyOther = 0
	t.palette.reset(104, "")
	*t.kittyState() = kittyFlags{}
}

// ansiLevel is ESC SP L and ESC SP M: G0 and G1 become ASCII (xterm ctlseqs, "ANSI
// conformance level").
func (t *Terminal) ansiLevel() {
	t.charset.g[0], t.charset.g[1], t.charset.gl = 0, 0, 0
}

// decaln fills the screen with E: DECALN, VT510 manual. The margins are reset, the cursor
// moves home, and as in xterm the pen loses its attributes but keeps its colours.
func (t *Terminal) decaln() {
	t.beforeClear()
	t.pen = Style{FG: t.pen.FG, BG: t.pen.BG, Attrs: t.pen.Attrs & Protected, Link: t.pen.Link}
	t.margins = fullMargins(t.size)
	t.modes.set(modeOrigin, false)
	t.goTo(0, 0)
	if t.scr == t.main {
		t.history.closeLine()
	}
	for r := range t.size.Rows {
		fill(t.scr.renew(r), glyph{ch: 'E'})
		t.touch(r)
	}
}

// repeat prints the preceding graphic character n times, but not more often than the screen has
// cells: REP, ECMA-48 8.3.103. As in xterm, xterm.js and tmux, it does nothing after a control
// character or sequence, including another REP.
func (t *Terminal) repeat(n int) {
	if r := t.last; runeWidth(r) > 0 {
		for range min(n, t.size.Rows*t.size.Cols) {
			t.printRune(r)
		}
	}
}

// A protection determines which erase operations spare protected cells.
type protection uint8

const (
	unprotected protection = iota
	protectDEC             // last set by DECSCA: DECSED, DECSEL and DECSERA spare protected cells
	protectISO             // last set by SPA: all erase operations except DECSERA and DECERA spare protected cells
)

// protect sets or resets the protection of printed characters.
func (t *Terminal) protect(on bool) {
	t.pen.Attrs &^= Protected
	if on {
		t.pen.Attrs |= Protected
	}
}

// decsca sets the protection of printed characters: DECSCA, VT510 manual.
func (t *Terminal) decsca(p *params) {
	t.protection = protectDEC
	switch n := p.get(0, 0); n {
	case 0, 1, 2:
		t.protect(n == 1)
	}
}

// decscusr sets the cursor's shape and blinking: DECSCUSR, VT520 manual; 5 and 6 are xterm's bar.
func (t *Terminal) decscusr(p *params) {
	n := p.get(0, 0)
	if n > 6 {
		return
	}
	t.shape = CursorShape(max(0, n-1) / 2)
	t.blink = n%2 == 1
	t.modes.set(modeBlinkCursor, t.blink)
}

// decscl does a soft reset, as in xterm, and sets the conformance level: DECSCL, VT510 manual. It
// does nothing for an unknown level, or one above that of a VT420. The choice between 7-bit and
// 8-bit controls in replies is ignored, because 8-bit controls are not valid UTF-8.
func (t *Terminal) decscl(p *params) {
	n := p.get(0, 0)
	if n < 61 || n > 60+maxLevel {
		return
	}
	t.decstr(p)
	t.level = uint8(n - 60)
}

// maxLevel is the conformance level of a VT420, which DA1 reports.
const maxLevel = 4
