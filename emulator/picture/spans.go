package picture

import (
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator"
)

// A Span is a sequence of cells in one row with the same ResolvedStyle. A character whose width
// may differ between fonts has its own span, so that a page can set the character's width to
// Cols columns.
type Span struct {
	Text  string // blank and hidden cells are spaces
	Cols  int    // width in columns
	Alone bool   // a single cell whose text may differ in width between fonts
	Style ResolvedStyle

	cursor bool // a single cell with the cursor on it
}

// Spans returns the first cols columns of a row as spans, without invisible blanks at the end.
func Spans(row emulator.Row, cols int) []Span {
	v := &view{rows: [][]emulator.Cell{cutCells(row.Cells, 0, cols)}, cols: cols}
	return v.spans(0, 0, v.visibleEnd(0, false))
}

// spans returns the cells [col, end) of a row as spans.
func (v *view) spans(row, col, end int) (spans []Span) {
	type cellStyle struct {
		emulator.Style
		block bool
	}
	var last cellStyle
	var resolved ResolvedStyle
	for known := false; col < end; {
		c := v.rows[row][col]
		if style := (cellStyle{c.Style, isBlock(c.Text)}); !known || style != last {
			last, known = style, true
			resolved = resolve(style.Style, style.block)
			resolved.Link = SafeLink(style.Link.URI())
		}
		span := Span{Text: v.visibleText(c), Cols: width(c), Alone: isAlone(c), Style: resolved}
		span.cursor = v.cursorAt(row, col) || c.Width == 2 && v.cursorAt(row, col+1)
		col += width(c)
		if n := len(spans) - 1; n >= 0 && span.joins(spans[n]) {
			spans[n].Text += span.Text
			spans[n].Cols += span.Cols
		} else {
			spans = append(spans, span)
		}
	}
	return spans
}

// joins reports whether s can be appended to the span before it.
func (s Span) joins(before Span) bool {
	return s.Style == before.Style && !s.Alone && !before.Alone && !s.cursor && !before.cursor
}

// visibleText returns the text of a cell, or spaces if the cell is blank or hidden.
func (v *view) visibleText(c emulator.Cell) string {
	if text := v.text(c); text != "" && c.Style.Attrs&emulator.Hidden == 0 {
		return text
	}
	return strings.Repeat(" ", width(c))
}

// isAlone reports whether a cell has a span of its own, because the width of its text may differ
// between fonts. It is false for blank cells and for single characters of Latin, Greek, Cyrillic, box
// drawing, block elements and geometric shapes, which the built-in font contains.
func isAlone(c emulator.Cell) bool {
	if c.Width != 1 {
		return true
	}
	r, size := utf8.DecodeRuneInString(c.Text)
	switch {
	case size != len(c.Text):
		return true
	case r < 0x0300, r >= 0x0370 && r < 0x0483, r >= 0x2500 && r < 0x2600:
		return false
	}
	return size > 0
}
