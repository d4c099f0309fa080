package emulator

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator/graphics"
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
	Images     map[uint16]*graphics.Placement // what tiles show, by Tile.Placement; not to be changed
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
	if t.images != nil {
		s.Images = t.images.Placements()
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
		scrollback = t.ScrollbackRows()
	}
	s.Scrollback = slices.AppendSeq(s.Scrollback, t.scrollback(scrollback))
	return s
}

// A RowText is the text of one row of the screen, trailing blanks trimmed, and the last
// revision that changed it.
type RowText struct {
	Text     string
	Revision uint64
}

// RowTexts returns the texts of the screen's rows. It takes those that have not changed
// from before, the result of an earlier call. Unlike Snapshot it keeps nothing in the
// Terminal: a screen that nobody looks at stays small.
func (t *Terminal) RowTexts(before []RowText) []RowText {
	out := make([]RowText, len(t.scr.rows))
	for r, rw := range t.scr.rows {
		rev := max(rw.rev, t.placeRev[r])
		if r < len(before) && before[r].Revision == rev {
			out[r] = before[r]
		} else {
			out[r] = RowText{t.RowText(r), rev}
		}
	}
	return out
}

// RowText returns the text of row r of the screen, trailing blanks trimmed.
func (t *Terminal) RowText(r int) string {
	c := t.scr.used(r)
	if len(c) == 0 {
		return ""
	}
	var room [256]byte
	return trimmed(t.appendCells(room[:0], c))
}

// RowLine returns the text of the logical line that row r of the screen is part of, as far
// as it is on the screen and without the rows after r, and the row in which it begins there.
func (t *Terminal) RowLine(r int) (first int, text string) {
	for first = r; first > 0 && t.scr.rows[first-1].wrapped; first-- {
	}
	var room [256]byte
	b := room[:0]
	for i := first; i <= r; i++ {
		b = t.appendJoined(b, t.scr, i)
	}
	return first, trimmed(b)
}

// Text returns the screen as text, as Snapshot's Text does, and keeps nothing.
func (t *Terminal) Text() string {
	lines := make([]string, len(t.scr.rows))
	for r := range t.scr.rows {
		lines[r] = t.RowText(r)
	}
	return joinRows(lines)
}

// Blank reports whether the screen shows no text.
func (t *Terminal) Blank() bool {
	for r := range t.scr.rows {
		if t.RowText(r) != "" {
			return false
		}
	}
	return true
}

// Rows yields all rows of Snapshot(-1), oldest first: those of the scrollback, then
// the screen's. One row at a time is in memory. The Terminal must not change meanwhile.
func (t *Terminal) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for row := range t.scrollback(t.history.rows) {
			if !yield(row) {
				return
			}
		}
		for _, row := range t.Snapshot(0).Screen {
			if !yield(row) {
				return
			}
		}
	}
}

// scrollback yields the last n rows of the scrollback, oldest first.
func (t *Terminal) scrollback(n int) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for p := range t.history.last(n) {
			if !yield(Row{Cells: t.show(p.cells, t.size.Cols), Wrapped: p.wrapped, Revision: p.rev}) {
				return
			}
		}
	}
}

// show gives glyphs their meaning, filled up with blanks to cols.
func (t *Terminal) show(c []glyph, cols int) []Cell {
	out := make([]Cell, max(cols, len(c)))
	var st styleID
	var style Style
	placeholders := false
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
		case isTile(g.ch):
			t.showTile(cell, g)
		default:
			cell.Text = t.clusters.text(g.ch)
			placeholders = placeholders || g.ch >= planeA
		}
	}
	for i := len(c); i < len(out); i++ {
		out[i].Width = 1
	}
	if placeholders && t.images != nil {
		t.showPlaceholders(out)
	}
	return out
}

// ScrollbackRows returns how many rows can be asked of Snapshot.
func (t *Terminal) ScrollbackRows() int { return min(t.history.rows, t.history.maxLines) }

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
	for i, r := range s.Screen {
		lines[i] = r.Text()
	}
	return joinRows(lines)
}

// joinRows joins the texts of rows, one line each, without blank rows at the end.
func joinRows(rows []string) string { return strings.TrimRight(strings.Join(rows, "\n"), "\n") }
