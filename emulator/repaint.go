package emulator

// A repaint detects, by a heuristic, whether a program repaints the main screen in place, as
// procps top does. A repaint begins in one of two ways.
//
// A repaint by modes begins if application cursor keys are set or the cursor is hidden
// while nothing has been drawn since the whole screen was erased. (top does both before it
// erases the screen, dialog afterwards.) It ends when the cursor keys are normal and the cursor
// is visible again.
//
// A frame is what a program draws before it moves the cursor home. A repaint by drawing
// begins if a program has drawn a frame of at least repaintRows rows, and then overwrites at
// least repaintRows rows in a later frame, without scrolling or erasing the screen in between. It
// ends when text scrolls.
//
// Line editors set bracketed paste (?2004), but programs that repaint the screen do not. No
// repaint begins while ?2004 is set. Setting ?2004 ends a repaint; so does an OSC 133 or 633 mark.
// For example, ctrl+L in zsh is not a repaint, although zsh keeps application cursor keys
// set at its prompt.
type repaint struct {
	on          bool // the program repaints the screen
	byModes     bool // on was set because of the modes
	addressed   bool // the cursor was addressed to a position other than home
	frames      int  // complete frames of at least repaintRows rows
	rows        int  // rows drawn in the current frame
	overwritten int  // rows drawn in the current frame that showed text before
	lastRow     int  // the row drawn last in the current frame, or -1
	cleared     bool // nothing has been drawn since the whole screen was erased
}

// repaintRows is the minimum number of rows of a frame, and of the rows that a later frame
// overwrites.
const repaintRows = 2

// FullScreen reports whether the program owns the screen: the alternate screen is on, or
// the program repaints the main screen in place, as procps top does. The latter is a guess
// from the program's output (repaint.go).
func (t *Terminal) FullScreen() bool { return t.AltScreen() || t.repaint.on }

// AltScreen reports whether the alternate screen is on.
func (t *Terminal) AltScreen() bool { return t.scr == t.alt }

// end ends the repaint, if any, and resets the record of what was drawn.
func (f *repaint) end() { *f = repaint{lastRow: -1} }

// promptSeen ends a repaint. It is called at an OSC 133 or 633 mark and when ?2004 is set: shells
// and line editors send these, but programs that repaint the main screen do not.
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
	if f.frames == 0 || f.on || t.main.isBlankRow(r) {
		return
	}
	f.overwritten++
	f.on = f.overwritten >= repaintRows && !t.modes.has(modeBracketedPaste)
}

// afterAddressing is called after address has moved the cursor.
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

// beginFrame is called when the cursor moves home, or when a repaint erases the screen.
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

// checkModes begins a repaint by modes if nothing has been drawn since the whole screen was
// erased.
func (f *repaint) checkModes(m *modes) {
	if f.cleared && m.hasRepaintMode() && !m.has(modeBracketedPaste) && !f.on {
		f.on, f.byModes = true, true
	}
}

// hasRepaintMode reports whether application cursor keys are set or the cursor is hidden.
func (m *modes) hasRepaintMode() bool { return m.has(modeAppCursor) || !m.has(modeCursorVisible) }

// modesChanged is called when DECCKM or DECTCEM has changed.
func (f *repaint) modesChanged(m *modes) {
	f.checkModes(m)
	if f.byModes && !m.hasRepaintMode() {
		f.end()
	}
}

// beforeScroll is called before a line feed, IND, NEL or wrap scrolls the main screen. It ends
// a repaint, because programs that repaint the screen do not scroll it. The exception is a
// repaint by modes in which the cursor was addressed or a frame is complete: top scrolls when
// it exits, after it has addressed the last row. If there is no repaint, beforeScroll sets the
// number of complete frames to 0.
func (f *repaint) beforeScroll() {
	if f.on && (!f.byModes || !f.addressed && f.frames == 0) {
		f.end()
	} else if !f.on {
		f.frames = 0
	}
}
