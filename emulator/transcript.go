package emulator

// A Position is a place in the session's text: a logical line (soft-wrapped
// rows are one line) and the number of cells before the place in that line.
// Lines are numbered from 0; a line's number never changes, by scrolling,
// reflow, clearing or screen switching.
type Position struct {
	Line   int64
	Offset int
}

// Before reports whether p comes before q.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Offset < q.Offset
}

// A Line is one logical line of the session's text, as it stands now: a line
// that was rewritten (a progress bar) is there once, in its latest state.
type Line struct {
	Number   int64
	Text     string // trailing blanks trimmed
	Revision uint64 // the last revision that changed it
}

// The transcript is the text that the program has shown as a stream: rows of
// the main screen that were reached by line feed or wrap. Text painted
// elsewhere (the alternate screen; a program like top that homes the cursor and
// repaints; rows below the stream reached by cursor addressing and later
// overwritten) never enters it. Lines erased by a clear of the whole screen
// stay in the transcript with their numbers, and the text after the clear gets
// new numbers.

// Lines returns the transcript's lines from number from up to but without to,
// cut to what is kept. The lines still on the screen are given as they stand.
func (t *Terminal) Lines(from, to int64) []Line {
	panic("not yet")
}

// FirstLine returns the number of the oldest line kept.
func (t *Terminal) FirstLine() int64 { panic("not yet") }

// EndLine returns the number after the last line of the transcript: the last
// one that holds text, or the cursor's when it is further down.
func (t *Terminal) EndLine() int64 { panic("not yet") }

// CursorPosition returns the cursor's place in the transcript. When the cursor
// is on a row that is not part of the transcript (alternate screen, painted
// row) it returns the transcript's end and false.
func (t *Terminal) CursorPosition() (Position, bool) { panic("not yet") }

// CutCells returns the bytes of text that come after its first n cells, counted
// as the Terminal counts widths. Combining characters go with the character
// they follow; a wide character that the cut would halve is left out whole.
func CutCells(text string, n int) string {
	if n <= 0 {
		return text
	}
	cells := 0
	for i, r := range text {
		w := runeWidth(r)
		if w > 0 && cells >= n {
			return text[i:]
		}
		cells += w
	}
	return ""
}
