package mcpserver

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/glasstty/glasstty/emulator"
)

// cursorMark stands before the cursor's cell: a bar at the cell's left edge.
const cursorMark = "▏"

// A grid says which cells of a row become text, and how.
type grid struct {
	area   region
	mark   int  // the column before which the cursor's mark stands, -1 for none
	reveal bool // write invisible characters as <U+200B>
}

// line returns the row's cells within the area as text, trailing blanks
// trimmed. Half of a wide character that is cut off is a blank.
func (g grid) line(row emulator.Row) string {
	var b strings.Builder
	end := min(g.area.Col+g.area.Cols, len(row.Cells))
	kept := 0 // bytes up to the last that is not a trailing blank
	for col := g.area.Col; col < end; col++ {
		if col == g.mark {
			b.WriteString(cursorMark)
			kept = b.Len()
		}
		cell := row.Cells[col]
		switch {
		case cell.Width == 0 && col > g.area.Col:
			continue
		case cell.Text == "", cell.Width == 2 && col+1 == end:
			b.WriteByte(' ')
			continue
		}
		b.WriteString(g.shown(cell.Text))
		if cell.Text != " " {
			kept = b.Len()
		}
	}
	return b.String()[:kept]
}

// shown writes the characters of a cell that nobody can see by their names,
// when the caller asked to see them.
func (g grid) shown(text string) string {
	if !g.reveal {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if invisible(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// invisible reports whether r is drawn as nothing or changes the order of what
// is drawn: format characters (bidirectional controls, joiners, tags), variation
// selectors, fillers and unusual blanks.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
		unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp) && r != ' '
}
