package emulator

// ris resets to the state at power-on: RIS, ECMA-48 8.3.105. The scrollback is
// cleared as xterm does; the transcript keeps its lines.
func (t *Terminal) ris() {
	t.endRepaint()
	if t.scr == t.alt {
		t.touchAll()
	}
	t.scr = t.main
	t.freeze()
	t.powerOn()
	t.repaint = repaint{}
	t.clearScreen(t.main)
	if t.alt != nil {
		t.clearScreen(t.alt)
	}
	t.history.clear()
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
	t.modesReset()
	t.margins = fullMargins(t.size)
	t.charset = charset{}
	t.setPen(Style{Link: t.pen.Link})
	t.saved[0], t.saved[1] = savedCursor{}, savedCursor{}
	t.shape, t.blink = CursorBlock, false
	t.sgrStack = nil
	t.guarded = false
	t.modOther = 0
	*t.kittyNow() = kittyFlags{}
}

// decaln fills the screen with E: DECALN, VT510 manual. Margins are reset, the
// cursor homes, and as in xterm the pen keeps its colours alone.
func (t *Terminal) decaln() {
	t.cleared()
	t.setPen(Style{FG: t.pen.FG, BG: t.pen.BG, Attrs: t.pen.Attrs & Protected, Link: t.pen.Link})
	t.margins = fullMargins(t.size)
	t.modes.set(modeOrigin, false)
	t.goTo(0, 0)
	if t.scr == t.main {
		t.history.end()
	}
	for r := range t.size.Rows {
		fill(t.scr.renew(r), glyph{ch: 'E'})
		t.touch(r)
	}
}

// rep repeats the last graphic character: REP, ECMA-48 8.3.103. As in xterm it
// need not be what came just before.
func (t *Terminal) rep(p *params) {
	if t.last == 0 {
		return
	}
	r := t.last
	for range min(p.count(0), t.size.Rows*t.size.Cols) {
		if r == ' ' {
			t.putCell(space, 1)
		} else if r < planeA {
			t.putCell(r, max(1, runeWidth(r)))
		} else {
			t.putCell(t.handle(string(r)), max(1, runeWidth(r)))
		}
	}
}

// spa and epa begin and end a guarded area: SPA, EPA, ECMA-48 8.3.129, 8.3.49.
// As in xterm, ED, EL and ECH then spare what was printed in it.
func (t *Terminal) spa() { t.guard(true) }
func (t *Terminal) epa() { t.guard(false) }

func (t *Terminal) guard(on bool) {
	n := t.pen
	n.Attrs &^= Protected
	if on {
		n.Attrs |= Protected
	}
	t.guarded = true
	t.setPen(n)
}

// decsca sets the protection of what is printed next: DECSCA, VT510 manual.
func (t *Terminal) decsca(p *params) {
	n := t.pen
	t.guarded = false
	switch p.get(0, 0) {
	case 0, 2:
		n.Attrs &^= Protected
	case 1:
		n.Attrs |= Protected
	default:
		t.unknown()
	}
	t.setPen(n)
}

// decscusr sets the cursor's shape: DECSCUSR, VT520 manual; 5 and 6 are
// xterm's bar.
func (t *Terminal) decscusr(p *params) {
	n := p.get(0, 0)
	if n > 6 {
		t.unknown()
		return
	}
	t.shape = []CursorShape{
		CursorBlock, CursorBlock, CursorBlock, CursorUnderline, CursorUnderline, CursorBar, CursorBar,
	}[n]
	t.blink = n == 1 || n == 3 || n == 5
	t.modes.set(modeBlinkCursor, t.blink)
}

// decscl sets the conformance level: DECSCL, VT510 manual. The level changes
// nothing here but what DECRQSS reports; as on a real terminal it soft-resets.
func (t *Terminal) decscl(p *params) {
	if n := p.get(0, 0); n < 61 || n > 65 {
		t.unknown()
		return
	}
	t.decstr(p)
}
