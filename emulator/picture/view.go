package picture

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/graphics"
)

// A view is the part of a snapshot to be drawn. Every row has cols cells, and
// no wide cell is without its spacer.
type view struct {
	rows   [][]emulator.Cell
	first  int // the screen row of rows[0]; negative in the scrollback
	left   int // the screen column of the first cell
	cols   int
	cursor *emulator.Cursor // relative to the view; nil: not visible in it
	reveal bool
	redden bool // instead, a cell with what is invisible is red
	mark   bool // the cursor is marked: the program's own marks are shown by their code
	images map[uint16]*graphics.Placement
	drawn  map[uint16]bool // those whose cells show no label, because the image is there
}

// newView cuts the region out of snap.
func newView(snap *emulator.Snapshot, o Options) (*view, error) {
	all := Region{Row: -len(snap.Scrollback), Rows: len(snap.Scrollback) + len(snap.Screen), Cols: snap.Size.Cols}
	r := all
	if o.Region != nil {
		r = *o.Region
	}
	if !r.inside(all) {
		return nil, fmt.Errorf("%w: %d rows from row %d and %d columns from column %d; there are rows %d to %d and columns 0 to %d",
			ErrRegion, r.Rows, r.Row, r.Cols, r.Col, all.Row, len(snap.Screen)-1, snap.Size.Cols-1)
	}
	v := &view{first: r.Row, left: r.Col, cols: r.Cols, reveal: o.Reveal, mark: o.CursorMark, images: snap.Images}
	for i := range r.Rows {
		v.rows = append(v.rows, cutCells(rowOf(snap, r.Row+i).Cells, r.Col, r.Cols))
	}
	c := snap.Cursor
	c.Row, c.Col = c.Row-r.Row, c.Col-r.Col
	if c.Visible && c.Row >= 0 && c.Row < r.Rows && c.Col >= 0 && c.Col < r.Cols {
		v.cursor = &c
	}
	return v, nil
}

// inside reports whether r lies within all and has cells. The comparisons do
// not overflow, whatever the numbers are.
func (r Region) inside(all Region) bool {
	rows, cols := all.Rows, all.Cols
	switch {
	case r == all:
		return true
	case r.Rows < 1 || r.Cols < 1 || r.Rows > rows || r.Cols > cols:
		return false
	}
	return r.Row >= all.Row && r.Row <= all.Row+rows-r.Rows && r.Col >= 0 && r.Col <= cols-r.Cols
}

// rowOf returns the row with a number as Region counts them.
func rowOf(snap *emulator.Snapshot, row int) emulator.Row {
	if row < 0 {
		return snap.Scrollback[len(snap.Scrollback)+row]
	}
	return snap.Screen[row]
}

// cutCells returns exactly n cells from col on, with blanks where the row has
// none and for the halves of wide cells that the cut leaves.
func cutCells(cells []emulator.Cell, col, n int) []emulator.Cell {
	if col == 0 && n == len(cells) {
		return cells
	}
	out := make([]emulator.Cell, n)
	for i := range out {
		out[i] = emulator.Cell{Width: 1}
		if col+i < len(cells) {
			out[i] = cells[col+i]
		}
		switch last := i == n-1; {
		case out[i].Width == 2 && last, out[i].Width == 0 && (i == 0 || out[i-1].Width != 2):
			out[i] = emulator.Cell{Width: 1, Style: out[i].Style}
		}
	}
	return out
}

// text returns what a cell shows, "" for a blank one: its cluster with control
// characters replaced, and invisible ones shown by their code if asked.
func (v *view) text(c emulator.Cell) string {
	switch {
	case c.Text == "" || c.Text == " ":
		return ""
	case len(c.Text) == 1 && c.Text[0] > ' ' && c.Text[0] < 0x7f:
		return c.Text // nearly all cells
	}
	if !strings.ContainsFunc(c.Text, func(r rune) bool { return isControl(r) || v.coded(r) }) {
		return strings.ToValidUTF8(c.Text, "\uFFFD")
	}
	var b strings.Builder
	for _, r := range c.Text {
		switch {
		case isControl(r):
			b.WriteRune(unicode.ReplacementChar)
		case v.coded(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// coded reports whether r is shown by its code: what is invisible, and what would be
// taken for our own signs.
func (v *view) coded(r rune) bool {
	return v.reveal && (isInvisible(r) || r == '⟨') || v.mark && string(r) == CursorMark
}

// isControl reports whether r could begin or end a control sequence. Cells
// never hold such characters; the pictures do not rely on it.
func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

// isInvisible reports whether r shows nothing or changes the order of what is
// shown: format characters (Unicode category Cf, which has the bidirectional
// controls and the tags), variation selectors, line separators and the fillers
// that are letters to Unicode.
func isInvisible(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2028, 0x2029, 0x3164, 0xFFA0:
		return true
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// width returns the number of columns of a cell that is not a spacer.
func width(c emulator.Cell) int { return max(1, int(c.Width)) }
