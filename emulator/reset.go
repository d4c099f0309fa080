package emulator

// ris resets to the state at power-on: RIS, ECMA-48 8.3.105. The scrollback is
// cleared as xterm does.
func (t *Terminal) ris() {
	if t.scr == t.alt {
		t.touchAll()
	}
	t.scr = t.main
	t.erased()
	t.powerOn()
	t.EndRepaint()
	t.clearScreen(t.main)
	if t.alt != nil {
		t.clearScreen(t.alt)
	}
	t.history.hide()
	if t.images != nil {
		t.images.forget()
	}
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
	t.modesChanged()
	t.margins = fullMargins(t.size)
	t.charset = charset{}
	t.pen = Style{Link: t.pen.Link}
	*t.savedSlot() = savedCursor{set: true} // the other screen's stays: xterm
	t.shape, t.blink = CursorBlock, false
	t.sgrStack = nil
	t.protection = unprotected
	t.modOther = 0
	t.resetColors(104, "")
	*t.kittyNow() = kittyFlags{}
}

// ansiLevel is what ESC SP L and ESC SP M do: G0 and G1 are ASCII (xterm ctlseqs,
// "ANSI conformance level").
func (t *Terminal) ansiLevel() {
	t.charset.g[0], t.charset.g[1], t.charset.gl = 0, 0, 0
}

// decaln fills the screen with E: DECALN, VT510 manual. Margins are reset, the
// cursor homes, and as in xterm the pen keeps its colours alone.
func (t *Terminal) decaln() {
	t.cleared()
	t.pen = Style{FG: t.pen.FG, BG: t.pen.BG, Attrs: t.pen.Attrs & Protected, Link: t.pen.Link}
	t.margins = fullMargins(t.size)
	t.modes.set(modeOrigin, false)
	t.goTo(0, 0)
	if t.scr == t.main {
		t.endPast()
	}
	for r := range t.size.Rows {
		fill(t.scr.renew(r), glyph{ch: 'E'})
		t.touch(r)
	}
}

// rep repeats the graphic character that came just before: REP, ECMA-48 8.3.103.
// After any control or sequence, another REP included, there is nothing to
// repeat, as in xterm, xterm.js and tmux.
func (t *Terminal) rep(p *params) {
	if r := t.last; runeWidth(r) > 0 {
		for range min(p.count(0), t.size.Rows*t.size.Cols) {
			t.printRune(r)
		}
	}
}

// A protection says which erasures spare the cells that are protected.
type protection uint8

const (
	unprotected protection = iota
	protectDEC             // DECSCA came last: DECSED, DECSEL and DECSERA spare
	protectISO             // SPA came last: all but DECSERA and DECERA spare
)

// spa and epa begin and end a guarded area: SPA, EPA, ECMA-48 8.3.129, 8.3.49.
func (t *Terminal) spa() {
	t.protection = protectISO
	t.protect(true)
}

func (t *Terminal) epa() { t.protect(false) }

// protect makes what is printed next protected or not.
func (t *Terminal) protect(on bool) {
	n := t.pen
	n.Attrs &^= Protected
	if on {
		n.Attrs |= Protected
	}
	t.pen = n
}

// decsca sets the protection of what is printed next: DECSCA, VT510 manual.
func (t *Terminal) decsca(p *params) {
	t.protection = protectDEC
	switch n := p.get(0, 0); n {
	case 0, 1, 2:
		t.protect(n == 1)
	default:
		t.unknown()
	}
}

// decscusr sets the cursor's shape: DECSCUSR, VT520 manual; 5 and 6 are
// xterm's bar.
func (t *Terminal) decscusr(p *params) {
	n := p.get(0, 0)
	if n > 6 {
		t.unknown()
		return
	}
	t.shape = CursorShape(max(0, n-1) / 2)
	t.blink = n%2 == 1
	t.modes.set(modeBlinkCursor, t.blink)
}

// decscl sets the conformance level, that of a VT420 at most: DECSCL, VT510 manual.
// As in xterm it soft-resets. Whether replies have 8-bit controls is of no account
// in UTF-8.
func (t *Terminal) decscl(p *params) {
	n := p.get(0, 0)
	if n < 61 || n > 60+maxLevel {
		t.unknown()
		return
	}
	t.decstr(p)
	t.level = uint8(n - 60)
}

// maxLevel is the conformance level of a VT420, which we say we are.
const maxLevel = 4
