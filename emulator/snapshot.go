package emulator

import "strings"

// A Snapshot is an immutable copy of what a Terminal shows. It may be read by
// any number of goroutines.
type Snapshot struct {
	Revision   uint64
	Size       Size
	Scrollback []Row // the requested rows above the screen, oldest first
	Screen     []Row // Size.Rows rows of Size.Cols cells
	Cursor     Cursor
	Title      string
	AltScreen  bool
	FullScreen bool // see Terminal.FullScreen
	Modes      Modes
}

// A Row is one row of the grid.
type Row struct {
	Cells    []Cell
	Wrapped  bool   // the text goes on in the next row (soft wrap)
	Revision uint64 // the last revision that changed this row
}

// CursorShape is the form that DECSCUSR chose.
type CursorShape uint8

// The cursor shapes of DECSCUSR (VT520 manual; xterm adds the bar).
const (
	CursorBlock CursorShape = iota
	CursorUnderline
	CursorBar
)

// A Cursor is the position and look of the cursor.
type Cursor struct {
	Point
	Visible     bool
	Shape       CursorShape
	Blink       bool
	PendingWrap bool // the next character wraps first
}

// Text returns the row as a person reads it: blanks for erased cells, nothing
// for spacers, trailing blanks trimmed.
func (r Row) Text() string {
	var b strings.Builder
	blanks := 0 // blanks seen since the last text, written only before more text
	for _, c := range r.Cells {
		switch {
		case c.Width == 0:
		case c.Text == "" || c.Text == " ":
			blanks++
		default:
			for ; blanks > 0; blanks-- {
				b.WriteByte(' ')
			}
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

// Text returns the screen's rows, one line each, trailing blank rows and
// trailing blanks trimmed; Scrollback is not part of it.
func (s *Snapshot) Text() string {
	lines := make([]string, len(s.Screen))
	last := 0
	for i, r := range s.Screen {
		lines[i] = r.Text()
		if lines[i] != "" {
			last = i + 1
		}
	}
	return strings.Join(lines[:last], "\n")
}
