package emulator

// A repaint holds the heuristic that detects whether a program repaints the main screen
// in place, as procps top does. There are two ways in which a repaint begins.
//
// A repaint by modes begins if application cursor keys are set or the cursor is hidden at
// a time when the whole screen is erased, or when nothing has been drawn since. (top does
// both; dialog sets the modes after erasing.) It ends when both modes are reset.
//
// A repaint by drawing begins if a program that sets neither mode moves the cursor home
// and overwrites at least repaintRows rows in a second frame, without scrolling or
// erasing the screen in between. It ends when text scrolls.
//
// Line editors set bracketed paste (?2004), but programs that repaint the screen do not.
// While it is set, no repaint begins, and setting it ends one, as an OSC 133 mark does.
// For example, ctrl+L in zsh is not a repaint, although zsh keeps application cursor keys
// set at its prompt.
type repaint struct {
	on          bool // the program repaints the screen
	byModes     bool // on was set because of the modes
	addressed   bool // the cursor was addressed to a position other than home
	frames      int  // frames that began at home and drew repaintRows rows
	rows        int  // rows drawn in this frame
	overwritten int  // rows drawn in this frame that showed text before
	lastRow     int  // the row drawn last, or -1
	cleared     bool // nothing has been drawn since the whole screen was erased
}

// repaintRows is the minimum number of rows of a frame.
const repaintRows = 2

// FullScreen reports whether the program owns the screen: the alternate screen is on, or
// the program repaints the main screen in place, as procps top does. The latter is a
// guess from the program's output. It begins with an erase of the whole screen while
// application cursor keys are set or the cursor is hidden, or with repeated homing and
// overwriting without scrolling. It ends when those modes are reset or, in the second
// case, when text scrolls.
func (t *Terminal) FullScreen() bool { return t.AltScreen() || t.repaint.on }

// AltScreen reports whether the alternate screen is on.
func (t *Terminal) AltScreen() bool { return t.scr == t.alt }

// end ends the repaint, if any, and forgets what was drawn.
func (f *repaint) end() { *f = repaint{lastRow: -1} }

// promptSeen is called when the output shows that a shell or line editor is reading
// input.
func (t *Terminal) promptSeen() {
	if t.scr == t.main {
		t.repaint.end()
	}
}

// beforeDraw is called before text is written to row r.
func (t *Terminal) beforeDraw(r int) {
	f := &t.repaint
	if r == f.lastRow || t.scr != t.main {
		return
	}
	f.lastRow, f.cleared = r, false
	f.rows++
	if f.frames == 0 || f.on || t.main.blankRow(r) {
		return
	}
	f.overwritten++
	f.on = f.overwritten >= repaintRows && !t.modes.has(modeBracketedPaste)
}

// afterAddressing is called after an absolute cursor movement.
func (t *Terminal) afterAddressing() {
	f := &t.repaint
	switch {
	case t.scr != t.main:
	case t.row > 0 || t.col > 0:
		f.addressed = true
	default:
		f.beginFrame()
	}
}

// beginFrame is called when the cursor moves home or the screen is erased.
func (f *repaint) beginFrame() {
	if f.rows >= repaintRows {
		f.frames++
	}
	f.rows, f.overwritten, f.lastRow = 0, 0, -1
}

// beforeClear is called before the whole screen is erased.
func (t *Terminal) beforeClear() {
	if t.scr != t.main {
		return
	}
	f := &t.repaint
	if f.on {
		f.beginFrame() // earlier frames of a repaint are not recorded as lines
	} else {
		t.recordErased()
		f.end()
	}
	f.cleared = true
	f.checkModes(&t.modes)
}

// checkModes begins a repaint if the modes call for it after the whole screen was erased.
func (f *repaint) checkModes(m *modes) {
	if f.cleared && m.ownCursor() && !m.has(modeBracketedPaste) && !f.on {
		f.on, f.byModes = true, true
	}
}

// ownCursor reports whether application cursor keys are set or the cursor is hidden.
func (m *modes) ownCursor() bool { return m.has(modeAppCursor) || !m.has(modeCursorVisible) }

// modesChanged is called when DECCKM or DECTCEM has changed.
func (f *repaint) modesChanged(m *modes) {
	f.checkModes(m)
	if f.byModes && !m.ownCursor() {
		f.end()
	}
}

// beforeScroll is called before a line feed or wrap scrolls the main screen. That ends a
// repaint, because programs that repaint the screen do not scroll it. The exception is a
// repaint by modes in which the cursor was addressed: top scrolls when it exits, after it
// has addressed the last row.
func (f *repaint) beforeScroll() {
	if f.on && (!f.byModes || !f.addressed && f.frames == 0) {
		f.end()
	} else if !f.on {
		f.frames = 0
	}
}
