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
	Loose bool   // a single character whose width may differ between fonts
	Ink   Ink
}

// inkAttrs are the attributes in Ink.Attrs.
const inkAttrs = emulator.Bold | emulator.Italic | emulator.Blink | emulator.Strike | emulator.Overline

// Spans returns a row as spans that fill cols columns. Invisible trailing blanks are
// omitted.
func Spans(row emulator.Row, cols int, o Options) []Span {
	v := &view{rows: [][]emulator.Cell{cutCells(row.Cells, 0, cols)}, cols: cols, reveal: o.Reveal}
	cells := v.rows[0][:v.styledEnd(0, false)]
	var spans []Span
	for col := 0; col < len(cells); {
		c := cells[col]
		span := Span{Cols: width(c), Loose: isLoose(c), Ink: inkOf(c)}
		span.Text = v.visibleText(c)
		col += width(c)
		if n := len(spans); n > 0 && !span.Loose && !spans[n-1].Loose && spans[n-1].Ink == span.Ink {
			spans[n-1].Text += span.Text
			spans[n-1].Cols += span.Cols
			continue
		}
		spans = append(spans, span)
	}
	return spans
}

// visibleText returns the text of a cell, or spaces if the cell is blank or hidden.
func (v *view) visibleText(c emulator.Cell) string {
	if text := v.text(c); text != "" && c.Style.Attrs&emulator.Hidden == 0 {
		return text
	}
	return strings.Repeat(" ", width(c))
}

// inkOf returns the Ink of a cell.
func inkOf(c emulator.Cell) Ink {
	l := resolve(c.Style)
	return Ink{
		FG: l.textColor(c.Text), BG: l.bg, Line: l.line,
		Underline: c.Style.Underline,
		Attrs:     c.Style.Attrs & inkAttrs,
		Link:      SafeLink(c.Style.Link.URI()),
	}
}

// isLoose reports whether the width of a cell's text may differ between fonts. It does
// not for single characters of Latin, Greek, Cyrillic, box drawing, block elements and
// geometric shapes, which the built-in font contains.
func isLoose(c emulator.Cell) bool {
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
