package emulator

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator/graphics"
)

// A Snapshot is an immutable copy of what a Terminal shows. It may be read by several
// goroutines.
type Snapshot struct {
	Revision   uint64
	Size       Size
	Scrollback []Row // the requested rows above the screen, oldest first
	Screen     []Row // Size.Rows rows of Size.Cols cells
	Cursor     Cursor
	Title      string
	FullScreen bool // see Terminal.FullScreen
	Modes      Modes
	Images     map[uint16]*graphics.Placement // by Tile.Placement; must not be modified
}

// A Row is one row of the grid.
type Row struct {
	Cells    []Cell
	Wrapped  bool   // the text continues in the next row (soft wrap)
	Revision uint64 // the Terminal's revision after the row last changed or moved
}

// Snapshot returns a copy of the screen and of the last scrollback rows above it; if scrollback
// is negative, it includes all of them. Rows of the screen that have not changed since the last
// Snapshot share memory with that Snapshot.
func (t *Terminal) Snapshot(scrollback int) *Snapshot {
	s := &Snapshot{
		Revision:   t.rev,
		Size:       t.size,
		Screen:     make([]Row, t.size.Rows),
		Cursor:     t.Cursor(),
		Title:      t.title,
		FullScreen: t.FullScreen(),
		Modes:      t.Modes(),
		Images:     t.images.Placements(),
	}
	t.scr.flush()
	var buf []glyph
	for r, rw := range t.scr.rows {
		if rw.shown == nil {
			if buf == nil {
				buf = make([]glyph, t.size.Cols)
			}
			t.scr.store.read(r, buf)
			rw.shown = t.toCells(buf, t.size.Cols)
		}
		s.Screen[r] = Row{Cells: rw.shown, Wrapped: rw.wrapped, Revision: max(rw.rev, t.movedRevs[r])}
	}
	if scrollback < 0 {
		scrollback = t.ScrollbackRows()
	}
	s.Scrollback = slices.AppendSeq(s.Scrollback, t.scrollback(scrollback))
	return s
}

// A RowText is the text of one row of the screen without trailing blanks, and the Terminal's
// revision after the row last changed or moved.
type RowText struct {
	Text     string
	Revision uint64
}

// RowTexts returns the texts of the screen's rows. before is the result of an earlier call, or nil;
// RowTexts copies its elements for rows that have not changed. Unlike Snapshot, RowTexts does not
// store Cells in the Terminal, which saves memory for screens that are never displayed.
func (t *Terminal) RowTexts(before []RowText) []RowText {
	out := make([]RowText, len(t.scr.rows))
	for r, rw := range t.scr.rows {
		rev := max(rw.rev, t.movedRevs[r])
		if r < len(before) && before[r].Revision == rev {
			out[r] = before[r]
		} else {
			out[r] = RowText{t.RowText(r), rev}
		}
	}
	return out
}

// RowText returns the text of row r of the screen without trailing blanks.
func (t *Terminal) RowText(r int) string {
	var buf [256]byte
	return trimBlanks(t.appendGlyphText(buf[:0], t.scr.lineCells(r)))
}

// LineUpToRow returns the text of the logical line that contains row r of the screen, up to the
// end of row r. first is the row in which the text begins. The text does not include rows of
// the line that have left the screen.
func (t *Terminal) LineUpToRow(r int) (first int, text string) {
	for first = r; first > 0 && t.scr.rows[first-1].wrapped; first-- {
	}
	var b []byte
	for i := first; i <= r; i++ {
		b = t.appendGlyphText(b, t.scr.lineCells(i))
	}
	return first, trimBlanks(b)
}

// Text returns the same text as the method Text of a Snapshot, without storing Cells in the
// Terminal.
func (t *Terminal) Text() string {
	lines := make([]string, len(t.scr.rows))
	for r := range t.scr.rows {
		lines[r] = t.RowText(r)
	}
	return joinRows(lines)
}

// Rows yields the rows of the scrollback and then those of the screen, oldest first. It
// unpacks one line of the scrollback at a time. The Terminal must not change during the
// iteration.
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
		h := &t.history
		n = min(n, h.rows, h.maxLines)
		i, skip := h.lines.n, -n // skip the first rows of line i; while negative, more lines are needed
		for skip < 0 {
			i--
			skip += h.lines.at(i).rows
		}
		for ; i < h.lines.n; i++ {
			l := h.lines.at(i)
			if l.rows == 0 {
				continue
			}
			for _, row := range layOut(l.unpack(nil), h.cols, l.open, l.id, l.rev) {
				cells := row.cells[:min(len(row.cells), h.cols)]
				if skip--; skip < 0 && !yield(Row{Cells: t.toCells(cells, t.size.Cols), Wrapped: row.wrapped, Revision: row.rev}) {
					return
				}
			}
		}
	}
}

// toCells converts glyphs to cells, and adds blank cells up to cols.
func (t *Terminal) toCells(c []glyph, cols int) []Cell {
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
			placeholders = placeholders || g.ch >= firstHandle
		}
	}
	for i := len(c); i < len(out); i++ {
		out[i].Width = 1
	}
	if placeholders && t.images.Used() {
		t.showPlaceholders(out)
	}
	return out
}

// ScrollbackRows returns the number of scrollback rows available to Snapshot.
func (t *Terminal) ScrollbackRows() int { return min(t.history.rows, t.history.maxLines) }

// CursorShape is the shape of the cursor that DECSCUSR selects.
type CursorShape uint8

// The cursor shapes of DECSCUSR (VT520 manual; xterm adds the bar).
const (
	CursorBlock CursorShape = iota
	CursorUnderline
	CursorBar
)

// A Cursor is the position and appearance of the cursor.
type Cursor struct {
	Point
	Visible     bool        `json:"visible"`
	Shape       CursorShape `json:"-"`
	Blink       bool        `json:"-"`
	PendingWrap bool        `json:"-"` // the next character is printed in the next row
}

// Text returns the text of the row without trailing blanks. Erased cells become spaces.
func (r Row) Text() string {
	var buf [256]byte
	return trimBlanks(appendCellText(buf[:0], r.Cells))
}

// appendCellText appends the text of cells to b.
func appendCellText(b []byte, cells []Cell) []byte {
	for _, c := range cells {
		switch {
		case c.Width == 0:
		case c.Text == "":
			b = append(b, ' ')
		default:
			b = append(b, c.Text...)
		}
	}
	return b
}

// Text returns the text of the screen, one row per line, without blanks at the ends of rows and
// without blank rows at the end. It does not include Scrollback.
func (s *Snapshot) Text() string {
	lines := make([]string, len(s.Screen))
	for i, r := range s.Screen {
		lines[i] = r.Text()
	}
	return joinRows(lines)
}

// joinRows joins the texts of rows, one per line, without blank rows at the end.
func joinRows(rows []string) string { return strings.TrimRight(strings.Join(rows, "\n"), "\n") }
