package picture

import (
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator"
)

// An Ink is a style whose reverse, dim and hidden attributes have been applied to its
// colours. Inks can be compared with ==.
type Ink struct {
	FG, BG    RGB
	Line      RGB // colour of underlines
	Underline emulator.Underline
	Attrs     emulator.Attrs // of Bold, Italic, Blink, Strike and Overline
	Link      string         // a URI that is safe to open, or ""
}

// A Span is a sequence of cells in one row that look the same. A character whose width
// may differ between fonts has its own span, so that the page can set its width to Cols
// columns.
type Span struct {
	Text  string // blank and hidden cells are spaces
	Cols  int    // width in columns
	Alone bool   // a single character whose width may differ between fonts
	Ink   Ink

	cursor bool // a single cell with the cursor on it
}

// inkAttrs are the attributes in Ink.Attrs.
const inkAttrs = emulator.Bold | emulator.Italic | emulator.Blink | emulator.Strike | emulator.Overline

// Spans returns the first cols columns of a row as spans, without invisible blanks at the end.
func Spans(row emulator.Row, cols int, o Options) []Span {
	v := &view{rows: [][]emulator.Cell{cutCells(row.Cells, 0, cols)}, cols: cols, reveal: o.Reveal}
	return v.spans(0, 0, v.styledEnd(0, false))
}

// spans returns the cells [col, end) of a row as spans.
func (v *view) spans(row, col, end int) (spans []Span) {
	var style emulator.Style
	var ink [2]Ink // of cells with this style: block elements have their own
	for known := false; col < end; {
		c := v.rows[row][col]
		if !known || c.Style != style {
			style, known = c.Style, true
			ink = inksOf(style)
		}
		span := Span{Text: v.visibleText(c), Cols: width(c), Alone: isAlone(c), Ink: ink[0]}
		if isBlock(c.Text) {
			span.Ink = ink[1]
		}
		span.cursor = v.at(row, col) || c.Width == 2 && v.at(row, col+1)
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

// joins reports whether s can continue a span.
func (s Span) joins(before Span) bool {
	return s.Ink == before.Ink && !s.Alone && !before.Alone && !s.cursor && !before.cursor
}

// visibleText returns the text of a cell, or spaces if the cell is blank or hidden.
func (v *view) visibleText(c emulator.Cell) string {
	if text := v.text(c); text != "" && c.Style.Attrs&emulator.Hidden == 0 {
		return text
	}
	return strings.Repeat(" ", width(c))
}

// inksOf returns the Inks of text and of block elements in a style.
func inksOf(s emulator.Style) [2]Ink {
	l := resolve(s)
	text := Ink{
		FG: l.fg, BG: l.bg, Line: l.line,
		Underline: s.Underline,
		Attrs:     s.Attrs & inkAttrs,
		Link:      SafeLink(s.Link.URI()),
	}
	block := text
	block.FG = l.block
	return [2]Ink{text, block}
}

// isAlone reports whether a cell has a span of its own, because the width of its text may
// differ between fonts. It reports false for single characters of Latin, Greek, Cyrillic, box
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
