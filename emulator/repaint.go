package emulator

// A repaint is the judgement that a program repaints the main screen in place.
//
// It begins when the whole screen is erased while application cursor keys are
// set or the cursor is hidden (top does both), and ends when both modes are
// reset. A program that sets neither is judged when it homes the cursor and
// overwrites at least repaintRows rows in a second frame, without scrolling in
// between; that ends when text scrolls. Bracketed paste (?2004) is what line
// editors set, never such programs: while it is set nothing is judged, and
// setting it ends the judgement, as an OSC 133 mark does. So ctrl+L in zsh,
// which keeps application cursor keys set at its prompt, is no repaint.
type repaint struct {
	on        bool
	byModes   bool
	addressed bool // the cursor was addressed elsewhere since it was last homed
	frames    int  // frames that began at home and drew repaintRows rows
	rows      int  // rows drawn in this frame
}

// repaintRows is how many rows make a frame.
const repaintRows = 2

// FullScreen reports whether the program owns the screen: the alternate screen
// is on, or the program repaints the main screen in place, as procps top does.
// The latter is judged from what the program sends: a whole-screen erase while
// application cursor keys are set or the cursor is hidden, or repeated
// homing and overwriting without scrolling; it ends when those modes are reset.
func (t *Terminal) FullScreen() bool { return t.scr == t.alt || t.repaint.on }

// EndRepaint ends the judgement that the program repaints the main screen in
// place; a caller who knows that the program has gone calls it. The cursor's
// row is then where the transcript goes on.
func (t *Terminal) EndRepaint() {
	if t.scr == t.main {
		t.prompted()
	} else {
		t.repaint = repaint{}
	}
}

// prompted is called when a shell or line editor is known to be in front.
func (t *Terminal) prompted() {
	if t.scr != t.main {
		return
	}
	t.endRepaint()
	t.repaint = repaint{}
	t.stream.painting = false
	if t.main.rows[t.row].line == noLine && !t.blankRow(t.row) {
		t.claim(t.row)
	}
}

// endRepaint ends the judgement; the next text begins a new line.
func (t *Terminal) endRepaint() {
	if t.repaint.on {
		t.repaint = repaint{}
		t.stream.painting, t.stream.below = false, false
		t.stream.low, t.stream.lastRow = -1, -1
	}
}

// cleared is called before the whole screen is erased: its lines are kept, and
// the text after it gets new numbers.
func (t *Terminal) cleared() {
	if t.scr != t.main {
		return
	}
	t.freeze()
	byModes := t.modes.has(modeAppCursor) || !t.modes.has(modeCursorVisible)
	if byModes && !t.modes.has(modeBracketedPaste) && !t.repaint.on {
		t.repaint.on, t.repaint.byModes = true, true
		t.repaint.addressed = false
	}
}

// modesReset is called when DECCKM or DECTCEM changed.
func (t *Terminal) modesReset() {
	if t.repaint.byModes && !t.modes.has(modeAppCursor) && t.modes.has(modeCursorVisible) {
		t.endRepaint()
	}
}

// homed is called when the cursor was addressed to the top left corner.
func (t *Terminal) homed() {
	f := &t.repaint
	f.addressed = false
	if f.rows >= repaintRows {
		f.frames++
	}
	f.rows = 0
	t.stream.lastRow = -1
}

// paintedFrame is called when text is painted over rows that were there.
func (t *Terminal) paintedFrame() {
	f := &t.repaint
	if t.stream.below || f.frames == 0 || f.rows < repaintRows || t.modes.has(modeBracketedPaste) {
		return
	}
	t.freeze()
	f.on = true
}

// repaintScrolls is called when a line feed is about to scroll the main screen
// during a judgement. A program that drew from the top without addressing any
// row, until the screen was full, only writes a long text: the judgement was
// wrong, and the rows become lines.
func (t *Terminal) repaintScrolls() {
	switch {
	case !t.repaint.byModes:
		t.endRepaint()
	case !t.repaint.addressed:
		t.endRepaint()
		rows := t.main.rows
		for r := 0; r <= t.row; r++ {
			if r > 0 && rows[r-1].wrapped && rows[r-1].line != noLine {
				rows[r].line = rows[r-1].line
			} else {
				rows[r].line = t.numberText()
			}
		}
	}
}
