package emulator

// A repaint is the judgement that a program repaints the main screen in place, as
// procps top does.
//
// It begins when application cursor keys are set or the cursor is hidden (top
// does both) while the whole screen is erased or before anything is drawn on it
// (dialog), and ends when both modes are reset. A program that sets neither is judged when it homes the cursor and
// overwrites at least repaintRows rows in a second frame, without scrolling or
// erasing the screen in between; that ends when text scrolls. Bracketed paste
// (?2004) is what line editors set, never such programs: while it is set nothing
// is judged, and setting it ends the judgement, as an OSC 133 mark does. So ctrl+L
// in zsh, which keeps application cursor keys set at its prompt, is not a repaint.
type repaint struct {
	on        bool
	byModes   bool
	addressed bool // the cursor was addressed elsewhere than home
	frames    int  // frames that began at home and drew repaintRows rows
	rows      int  // rows drawn in this frame
	over      int  // of these, rows that showed text before
	row       int  // the row drawn last, -1 for none
	cleared   bool // the whole screen was erased, and nothing drawn since
}

// repaintRows is how many rows make a frame.
const repaintRows = 2

// FullScreen reports whether the program owns the screen: the alternate screen
// is on, or the program repaints the main screen in place, as procps top does.
// The latter is judged from what the program sends: a whole-screen erase while
// application cursor keys are set or the cursor is hidden, or repeated
// homing and overwriting without scrolling; it ends when those modes are reset.
func (t *Terminal) FullScreen() bool { return t.AltScreen() || t.repaint.on }

// AltScreen reports whether the alternate screen is on.
func (t *Terminal) AltScreen() bool { return t.scr == t.alt }

// EndRepaint ends the judgement that the program repaints the main screen in
// place; a caller who knows that the program has gone calls it.
func (t *Terminal) EndRepaint() { t.repaint = repaint{row: -1} }

// prompted is called when a shell or line editor is known to be in front.
func (t *Terminal) prompted() {
	if t.scr == t.main {
		t.EndRepaint()
	}
}

// drawn is called before text is put on row r.
func (t *Terminal) drawn(r int) {
	f := &t.repaint
	if r == f.row || t.scr != t.main {
		return
	}
	f.row, f.cleared = r, false
	f.rows++
	if f.frames == 0 || f.on || t.blankRow(r) {
		return
	}
	f.over++
	f.on = f.over >= repaintRows && !t.modes.has(modeBracketedPaste)
}

// addressed is called after the cursor was addressed absolutely.
func (t *Terminal) addressed() {
	f := &t.repaint
	switch {
	case t.scr != t.main:
	case t.row > 0 || t.col > 0:
		f.addressed = true
	default:
		f.frame()
	}
}

// frame begins a new frame.
func (f *repaint) frame() {
	if f.rows >= repaintRows {
		f.frames++
	}
	f.rows, f.over, f.row = 0, 0, -1
}

// cleared is called before the whole screen is erased.
func (t *Terminal) cleared() {
	if t.scr != t.main {
		return
	}
	f := &t.repaint
	if f.on {
		f.frame() // what a program repaints is not kept, frame by frame
	} else {
		t.erased()
		t.EndRepaint()
	}
	f.cleared = true
	t.judgeModes()
}

// judgeModes judges by the modes after the whole screen was erased.
func (t *Terminal) judgeModes() {
	f := &t.repaint
	if f.cleared && t.ownsCursor() && !t.modes.has(modeBracketedPaste) && !f.on {
		f.on, f.byModes = true, true
	}
}

// ownsCursor reports whether a mode is set that programs with a picture set.
func (t *Terminal) ownsCursor() bool {
	return t.modes.has(modeAppCursor) || !t.modes.has(modeCursorVisible)
}

// modesChanged is called when DECCKM or DECTCEM changed.
func (t *Terminal) modesChanged() {
	t.judgeModes()
	if t.repaint.byModes && !t.ownsCursor() {
		t.EndRepaint()
	}
}

// scrolls is called when a line feed or wrap is about to scroll the main screen.
// A picture does not scroll: without the modes that ends the judgement; with them,
// when no row was addressed (top addresses the last row before it leaves, and
// scrolls).
func (t *Terminal) scrolls() {
	f := &t.repaint
	if f.on && (!f.byModes || !f.addressed && f.frames == 0) {
		t.EndRepaint()
	} else if !f.on {
		f.frames = 0
	}
}
