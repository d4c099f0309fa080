package picture

import (
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// A painter draws shapes and text. Positions are in pixels from the top left.
type painter interface {
	// fill fills a rectangle.
	fill(x, y, w, h int, c RGB)
	// draw draws a shape with opacity alpha, from 0 to 1. The points of p are relative to (x, y).
	draw(x, y int, p path, alpha float32, c RGB)
	// glyph draws a cluster in cells whose top left is (x, y).
	glyph(x, y int, g glyph, c RGB)
	// image draws a part of an image. It reports false if the image cannot be drawn.
	image(x, y int, p patch) bool
}

// A glyph is a grapheme cluster to draw.
type glyph struct {
	text         string
	cols         int // width in columns
	bold, italic bool
}

// paint draws the cells of the view. It draws all backgrounds first, so that the backgrounds do not
// cover glyphs that extend beyond their cells. Then it draws images, then text and lines, and
// finally the cursor.
func (v *view) paint(p painter, g grid, x0, y0 int) {
	for row, cells := range v.rows {
		v.paintBackground(p, g, x0, y0+row*g.h, cells)
	}
	drawn := map[uint16]bool{} // images that have been drawn; the others are drawn as their label
	for _, part := range v.patches() {
		if p.image(x0+part.col*g.w, y0+part.row*g.h, part) {
			drawn[part.tile.Placement] = true
		}
	}
	for row, cells := range v.rows {
		for col, c := range cells {
			if c.Width == 0 || drawn[c.Tile.Placement] {
				continue
			}
			if v.markInvisible && strings.ContainsFunc(c.Text, isInvisible) {
				p.fill(x0+col*g.w, y0+row*g.h, width(c)*g.w, g.h, palette[1])
			}
			v.paintCell(p, g, resolve(c.Style, isBlock(c.Text)), x0+col*g.w, y0+row*g.h, c)
		}
	}
	v.paintCursor(p, g, x0, y0)
}

// paintBackground draws the backgrounds of a row, with one rectangle for adjacent cells
// of the same colour.
func (v *view) paintBackground(p painter, g grid, x0, y int, cells []emulator.Cell) {
	for col := 0; col < len(cells); {
		bg, from := background(cells[col].Style), col
		for col < len(cells) && background(cells[col].Style) == bg {
			col++
		}
		if bg != Background {
			p.fill(x0+from*g.w, y, (col-from)*g.w, g.h, bg)
		}
	}
}

// paintCell draws the text and lines of a cell.
func (v *view) paintCell(p painter, g grid, style ResolvedStyle, x, y int, c emulator.Cell) {
	if c.Style.Attrs&emulator.Hidden != 0 {
		return
	}
	cols := width(c)
	for _, s := range g.underlineShapes(c.Style, cols) {
		p.draw(x, y, s, 1, style.Line)
	}
	if text := v.text(c); text != "" {
		paintText(p, g, x, y, glyph{
			text: text, cols: cols,
			bold: c.Style.Attrs&emulator.Bold != 0, italic: c.Style.Attrs&emulator.Italic != 0,
		}, style.FG)
	}
	for _, s := range g.overTextShapes(c.Style, cols) {
		p.draw(x, y, s, 1, style.FG)
	}
}

// paintText draws a cluster: with the shapes of shapesOf or, if there are none, with a font.
func paintText(p painter, g grid, x, y int, text glyph, c RGB) {
	if runes := []rune(text.text); len(runes) == 1 {
		if shapes, alpha := g.shapesOf(runes[0]); shapes != nil {
			for _, s := range shapes {
				p.draw(x, y, s, alpha, c)
			}
			return
		}
		if runes[0] == 0x2800 { // the blank braille pattern
			return
		}
	}
	p.glyph(x, y, text, c)
}

// paintCursor draws the cursor. For a block cursor, it redraws the text of the cell in
// the background colour.
func (v *view) paintCursor(p painter, g grid, x0, y0 int) {
	if v.cursor == nil {
		return
	}
	row, col := v.cursor.Row, v.cursor.Col
	if v.rows[row][col].Width == 0 && col > 0 {
		col--
	}
	c := v.rows[row][col]
	x, y, w := x0+col*g.w, y0+row*g.h, width(c)*g.w
	switch v.cursor.Shape {
	case emulator.CursorUnderline:
		p.fill(x, y+g.h-2*g.thin, w, 2*g.thin, cursorColor)
	case emulator.CursorBar:
		p.fill(x, y, max(2, g.thin*3/2), g.h, cursorColor)
	default:
		p.fill(x, y, w, g.h, cursorColor)
		bg := background(c.Style)
		v.paintCell(p, g, ResolvedStyle{FG: bg, Line: bg}, x, y, c)
	}
}
