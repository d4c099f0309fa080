package emulator

// A repaint is the judgement that a program repaints the main screen in place.
//
// It begins when the whole screen is erased while application cursor keys are
// set or the cursor is hidden (top does both), and ends when both modes are
// reset. If by then it has only drawn from the top once, it was a text after
// all, and enters the transcript. A program that sets neither is judged when it homes the cursor and
// overwrites at least repaintRows rows in a second frame, without scrolling in
// between; that ends when text scrolls. Bracketed paste (?2004) is what line
// editors set, never such programs: while it is set nothing is judged, and
// setting it ends the judgement, as an OSC 133 mark does. So ctrl+L in zsh,
// which keeps application cursor keys set at its prompt, is no repaint.
type repaint struct {
	on        bool
	byModes   bool
	addressed bool // the cursor was addressed elsewhere than home
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

// endRepaint ends the judgement; the next text begins a new line. When the
// program has drawn from the top once, without addressing any row, it was no
// picture but a text, and its rows become lines.
func (t *Terminal) endRepaint() {
	f := t.repaint
	if !f.on {
		return
	}
	t.repaint = repaint{}
	t.stream.painting, t.stream.below = false, false
	t.stream.low, t.stream.lastRow = -1, -1
	if f.byModes && !f.addressed && f.frames == 0 && f.rows > 0 {
		t.adopt()
	}
}

// adopt makes the rows down to the cursor lines of the transcript, but for a
// blank row that the cursor has only just reached.
func (t *Terminal) adopt() {
	rows := t.main.rows
	last := t.row
	if t.blankRow(last) {
		last--
	}
	for r := 0; r <= last; r++ {
		if r > 0 && rows[r-1].wrapped && rows[r-1].line != noLine {
			rows[r].line = rows[r-1].line
		} else {
			rows[r].line = t.numberText()
		}
	}
	t.stream.low = last
}

// cleared is called before the whole screen is erased: its lines are kept, and
// the text after it gets new numbers.
func (t *Terminal) cleared() {
	if t.scr != t.main {
		return
	}
	t.freeze()
	if t.repaint.on && t.repaint.rows > 0 {
		t.repaint.frames++
		t.repaint.rows = 0
	}
	byModes := t.modes.has(modeAppCursor) || !t.modes.has(modeCursorVisible)
	if byModes && !t.modes.has(modeBracketedPaste) && !t.repaint.on {
		t.repaint = repaint{on: true, byModes: true}
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
// during a judgement. A picture does not scroll: without the modes that ends the
// judgement; with them, when no row was addressed (top addresses the last row
// before it leaves, and scrolls).
func (t *Terminal) repaintScrolls() {
	if !t.repaint.byModes || !t.repaint.addressed && t.repaint.frames == 0 {
		t.endRepaint()
	}
}
