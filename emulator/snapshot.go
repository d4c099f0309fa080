package emulator

import (
	"strings"
	"unicode/utf8"
)

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

// Snapshot returns a copy of the screen and of the last scrollback rows above
// it (0: none, -1: all). Rows that did not change since the last Snapshot are
// shared with it.
func (t *Terminal) Snapshot(scrollback int) *Snapshot {
	s := &Snapshot{
		Revision:   t.rev,
		Size:       t.size,
		Screen:     make([]Row, t.size.Rows),
		Cursor:     t.Cursor(),
		Title:      t.titles.window,
		AltScreen:  t.scr == t.alt,
		FullScreen: t.FullScreen(),
		Modes:      t.Modes(),
	}
	t.scr.lay()
	var buf []glyph
	for r, rw := range t.scr.rows {
		if rw.shown == nil {
			if buf == nil {
				buf = make([]glyph, t.size.Cols)
			}
			t.scr.mem.read(r, buf)
			rw.shown = t.show(buf, t.size.Cols)
		}
		s.Screen[r] = Row{Cells: rw.shown, Wrapped: rw.wrapped, Revision: max(rw.rev, t.placeRev[r])}
	}
	if scrollback < 0 {
		scrollback = t.history.rows
	}
	for _, p := range t.history.last(scrollback) {
		s.Scrollback = append(s.Scrollback, Row{Cells: t.show(p.cells, t.size.Cols), Wrapped: p.wrapped, Revision: p.rev})
	}
	return s
}

// show gives glyphs their meaning, filled up with blanks to cols.
func (t *Terminal) show(c []glyph, cols int) []Cell {
	out := make([]Cell, max(cols, len(c)))
	var st styleID
	var style Style
	for i, g := range c {
		cell := &out[i]
		if g.st != 0 {
			if g.st != st {
				st, style = g.st, t.styles.style(g.st)
			}
			cell.Style = style
		}
		cell.Width = 1
		switch {
		case g.ch == blank:
		case g.ch < utf8.RuneSelf:
			cell.Text = asciiTexts[g.ch : g.ch+1]
		case g.ch == spacer && i > 0:
			cell.Width = 0
			out[i-1].Width = 2
		default:
			cell.Text = t.clusters.text(g.ch)
		}
	}
	for i := len(c); i < len(out); i++ {
		out[i].Width = 1
	}
	return out
}

// ScrollbackRows returns how many rows can be asked of Snapshot.
func (t *Terminal) ScrollbackRows() int { return t.history.rows }

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
