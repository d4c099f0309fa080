package picture

import (
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator"
)

// An Ink is what a style looks like: reverse, dim and hidden have been applied.
// Inks compare with ==.
type Ink struct {
	FG, BG    RGB
	Line      RGB // of underlines
	Underline emulator.Underline
	Attrs     emulator.Attrs // Bold, Italic, Blink, Strike and Overline are left to be drawn
	Link      string         // a target that is safe to follow, "" for none
}

// A Span is consecutive cells of one row that look alike. A character of which
// fonts may disagree how wide it is has a span of its own, so that the page
// can give it Cols columns.
type Span struct {
	Text  string // blanks where there is nothing to see
	Cols  int    // columns taken
	Loose bool   // one character that the built-in font may lack or draw in another width
	Ink   Ink
}

// inkAttrs are the attributes that an Ink leaves to be drawn.
const inkAttrs = emulator.Bold | emulator.Italic | emulator.Blink | emulator.Strike | emulator.Overline

// Spans returns a row as spans that fill cols columns. Blanks at its end that
// look like nothing are left out.
func Spans(row emulator.Row, cols int, o Options) []Span {
	v := &view{rows: [][]emulator.Cell{cutCells(row.Cells, 0, cols)}, cols: cols, reveal: o.Reveal}
	cells := v.rows[0][:v.styledEnd(0, false)]
	var spans []Span
	for col := 0; col < len(cells); {
		c := cells[col]
		span := Span{Cols: width(c), Loose: isLoose(c), Ink: inkOf(c)}
		span.Text = v.seen(c)
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

// seen returns a cell's text, blanks where it is blank or hidden.
func (v *view) seen(c emulator.Cell) string {
	if text := v.text(c); text != "" && c.Style.Attrs&emulator.Hidden == 0 {
		return text
	}
	return strings.Repeat(" ", width(c))
}

// inkOf resolves a cell's style.
func inkOf(c emulator.Cell) Ink {
	l := resolve(c.Style)
	return Ink{
		FG: l.ink(c.Text), BG: l.bg, Line: l.line,
		Underline: c.Style.Underline,
		Attrs:     c.Style.Attrs & inkAttrs,
		Link:      safeLink(c.Style.Link.URI()),
	}
}

// isLoose reports whether a cell's text may be drawn in another width than its
// columns: all but single characters up to the end of the block elements and
// geometric shapes, which the built-in font has.
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
