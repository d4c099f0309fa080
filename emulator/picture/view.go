package picture

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/graphics"
)

// A view is the part of a snapshot to draw. Every row has cols cells, and every wide cell
// is followed by its spacer.
type view struct {
	rows          [][]emulator.Cell // from top to bottom
	first         int               // number of rows[0], as in Region
	left          int               // column of the first cell
	cols          int
	cursor        *emulator.Cursor // relative to the view; nil if not visible in it
	reveal        bool             // show invisible characters as their code
	markInvisible bool             // draw cells that contain invisible characters in red
	mark          bool             // write CursorMark before the cursor; one that the program has printed is shown as its code
	plain         bool             // text is written without styles
	images        map[uint16]*graphics.Placement
}

// newView returns the view of o.Region or, if that is nil, of all of snap.
func newView(snap *emulator.Snapshot, o Options) (*view, error) {
	all := Region{Row: -len(snap.Scrollback), Rows: len(snap.Scrollback) + len(snap.Screen), Cols: snap.Size.Cols}
	r := all
	if o.Region != nil {
		r = *o.Region
	}
	if !r.inside(all) {
		return nil, fmt.Errorf("%w: %d rows from row %d and %d columns from column %d; the snapshot has rows %d to %d and columns 0 to %d",
			ErrRegion, r.Rows, r.Row, r.Cols, r.Col, all.Row, len(snap.Screen)-1, snap.Size.Cols-1)
	}
	v := &view{first: r.Row, left: r.Col, cols: r.Cols, reveal: o.Reveal, mark: o.CursorMark, images: snap.Images}
	for _, row := range slices.Concat(snap.Scrollback, snap.Screen)[r.Row-all.Row:][:r.Rows] {
		v.rows = append(v.rows, cutCells(row.Cells, r.Col, r.Cols))
	}
	c := snap.Cursor
	c.Row, c.Col = c.Row-r.Row, c.Col-r.Col
	if c.Visible && c.Row >= 0 && c.Row < r.Rows && c.Col >= 0 && c.Col < r.Cols {
		v.cursor = &c
	}
	return v, nil
}

// inside reports whether r lies within all and is not empty. If r equals all, it may be empty. The
// comparisons cannot overflow.
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

// cutCells returns n cells beginning at col. It pads a short row with blanks. If it cuts a wide
// cell in two, a blank replaces the remaining half.
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

// text returns the text of a cell for output, or "" for a blank cell. Control characters are
// replaced. Characters for which needsCode is true are shown as their code.
func (v *view) text(c emulator.Cell) string {
	switch {
	case c.Text == "" || c.Text == " ":
		return ""
	case len(c.Text) == 1 && c.Text[0] > ' ' && c.Text[0] < 0x7f:
		return c.Text // fast path for nearly all cells
	}
	var b strings.Builder
	for _, r := range c.Text {
		switch {
		case isControl(r):
			b.WriteRune(unicode.ReplacementChar)
		case v.needsCode(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// needsCode reports whether r is shown as ⟨U+…⟩: an invisible character, or one that
// could be mistaken for our own notation.
func (v *view) needsCode(r rune) bool {
	return v.reveal && (isInvisible(r) || r == '⟨') || v.mark && string(r) == CursorMark
}

// isControl reports whether r is a control character, which could begin or end a control
// sequence. Cells should never contain control characters; this is a safeguard.
func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

// isInvisible reports whether r shows nothing or changes the order of other characters:
// format characters (Unicode category Cf, including bidirectional controls and tags),
// variation selectors, line separators, and fillers that Unicode classifies as letters or
// marks.
func isInvisible(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2028, 0x2029, 0x3164, 0xFFA0:
		return true
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// width returns the number of columns of a cell that is not a spacer.
func width(c emulator.Cell) int { return max(1, int(c.Width)) }
