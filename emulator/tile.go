package emulator

import (
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator/graphics"
)

// A Tile is a cell's part of an image. Its zero value is not a part.
type Tile struct {
	Placement uint16 // of Snapshot.Images; 0 for none
	Row, Col  uint16 // of the placement
}

// An image's cells are tiles: glyphs whose text says which row and column of the
// placement they show, and whose style says which placement. So tiles scroll, are
// erased, overwritten, copied and kept as text is. The text is a code point of
// planes 4 to 11, which Unicode has not assigned: a child's own characters there are
// interned.
const (
	tileBase    rune = 0x40000
	tileEnd          = tileBase + graphics.MaxRows<<tileColBits
	tileColBits      = 10
)

// colorTile is the kind of the foreground of a tile, whose value is the placement.
// It never leaves the package.
const colorTile ColorKind = 3

// isTile reports whether a glyph's text is a tile.
func isTile(ch rune) bool { return ch >= tileBase && ch < tileEnd }

// tileAt returns the text of a tile.
func tileAt(row, col int) rune { return tileBase + rune(row)<<tileColBits + rune(col) }

// tileStyle returns the style of placement n's tiles on a ground.
func tileStyle(n uint16, ground Color) Style {
	return Style{FG: Color(colorTile)<<24 | Color(n), BG: ground}
}

// tile returns which placement the style shows, 0 for none.
func (s Style) tile() uint16 {
	if s.FG.Kind() != colorTile {
		return 0
	}
	return uint16(s.FG)
}

// images is what a Terminal knows of images. It is nil until the first one.
type images struct {
	graphics.Store
	upload graphics.Upload // kitty's chunks
	parts  parts           // iTerm2's
}

// pictures returns t.images, made when it is first needed.
func (t *Terminal) pictures() *images {
	if t.images == nil {
		t.images = &images{}
	}
	return t.images
}

// showTile gives a cell its tile and the text of its label.
func (t *Terminal) showTile(cell *Cell, g glyph) {
	n := cell.Style.tile()
	cell.Style = Style{BG: cell.Style.BG}
	if t.images == nil {
		return
	}
	if p := t.images.Placement(n); p != nil {
		i := int(g.ch - tileBase)
		cell.setTile(n, p, i>>tileColBits, i&(1<<tileColBits-1))
	}
}

// setTile makes a cell a tile of p, whose number is n.
func (c *Cell) setTile(n uint16, p *graphics.Placement, row, col int) {
	if row < p.Rows && col < p.Cols {
		c.Tile = Tile{Placement: n, Row: uint16(row), Col: uint16(col)}
		c.Text = p.Label(row, col)
	}
}

// tiled reports whether row r of the present screen shows part of an image: its text
// never goes on in the next row, so that no new width cuts the image into strips.
func (t *Terminal) tiled(r int) bool {
	if t.images == nil {
		return false
	}
	for _, g := range t.scr.cells(r) {
		if isTile(g.ch) {
			return true
		}
	}
	return false
}

// liveTiles returns the placements that cells show.
func (t *Terminal) liveTiles() map[uint16]bool {
	t.gcHold = 0
	t.collectGarbage()
	live := map[uint16]bool{}
	for s := range t.styles.ids {
		if n := s.tile(); n != 0 {
			live[n] = true
		}
	}
	return live
}

// putTiles shows row i of placement n, of cols cells, in row r from column lo on.
func (t *Terminal) putTiles(n uint16, i, cols, r, lo int) {
	hi := min(lo+cols, t.size.Cols)
	if lo <= t.margins.right {
		hi = min(hi, t.margins.right+1)
	}
	t.unwrapInto(r)
	t.drawn(r)
	c := t.scr.edit(r, lo, hi)
	t.split(r, c, lo)
	t.split(r, c, hi)
	old, st := styleID(0), t.style(tileStyle(n, 0))
	for col := lo; col < hi; col++ {
		if c[col].st != old { // what is transparent shows the ground that was there
			old = c[col].st
			st = t.style(tileStyle(n, t.styles.style(old).BG))
		}
		c[col] = glyph{tileAt(i, col-lo), st}
	}
	t.touch(r).wrapped = false
}

// removeTiles blanks the cells of both screens that show one of the placements.
// Those of the scrollback stay and show nothing.
func (t *Terminal) removeTiles(numbers []uint16) {
	gone := map[uint16]bool{}
	for _, n := range numbers {
		gone[n] = true
	}
	for _, s := range []*screen{t.main, t.alt} {
		if s == nil {
			continue
		}
		for r := range s.rows {
			c := s.cells(r)
			for col, g := range c {
				if !isTile(g.ch) {
					continue
				}
				style := t.styles.style(g.st)
				if !gone[style.tile()] {
					continue
				}
				s.edit(r, col, col+1)[col] = glyph{blank, t.style(style.erased())}
				s.rows[r].shown = nil
				s.rows[r].rev = t.rev + 1
			}
		}
	}
	t.redraw()
}

// redraw records that images changed without their cells.
func (t *Terminal) redraw() {
	for _, rw := range t.scr.rows {
		rw.shown = nil
	}
	t.touchAll()
}

// tilesIn returns the placements that cells of the present screen show in an area;
// want says which cells.
func (t *Terminal) tilesIn(want func(row, col int) bool) []uint16 {
	found := map[uint16]bool{}
	for r := range t.size.Rows {
		for col, g := range t.scr.cells(r) {
			if n := t.styles.style(g.st).tile(); isTile(g.ch) && want(r, col) && !found[n] {
				found[n] = true
			}
		}
	}
	var out []uint16
	for n := range found {
		out = append(out, n)
	}
	return out
}

// appendShown appends the text of cells of a Terminal that has images.
func (t *Terminal) appendShown(b []byte, c []glyph) []byte {
	for _, cell := range t.show(c, len(c)) {
		switch {
		case cell.Width == 0:
		case cell.Text == "":
			b = append(b, ' ')
		default:
			b = append(b, cell.Text...)
		}
	}
	return b
}

// placeholder is kitty's character for a cell of an image (kitty graphics protocol,
// "Unicode placeholders"). Combining characters after it give row, column and the
// image id's highest byte; the foreground is the rest of the id, the underline's
// colour the placement.
const placeholder = '\U0010EEEE'

// showPlaceholders makes the placeholders of a row tiles. What a placeholder leaves
// out it takes from the cell to its left.
func (t *Terminal) showPlaceholders(cells []Cell) {
	var left struct {
		style         Style
		row, col, top int
		set           bool
	}
	for i := range cells {
		c := &cells[i]
		if !strings.HasPrefix(c.Text, string(placeholder)) {
			left.set = false
			continue
		}
		marks, n := [3]int{}, 0
		for _, r := range c.Text[utf8.RuneLen(placeholder):] {
			if v, ok := graphics.Diacritic(r); ok && n < len(marks) {
				marks[n] = v
				n++
			}
		}
		near := left.set && left.style == c.Style && (n < 1 || marks[0] == left.row)
		switch {
		case near && n <= 1:
			marks = [3]int{left.row, left.col + 1, left.top}
		case near && n == 2 && marks[1] == left.col+1:
			marks[2] = left.top
		}
		left.style, left.row, left.col, left.top, left.set = c.Style, marks[0], marks[1], marks[2], true
		t.showPlaceholder(c, marks)
	}
}

// showPlaceholder makes one cell a tile.
func (t *Terminal) showPlaceholder(c *Cell, marks [3]int) {
	id := uint32(marks[2])<<24 | c.Style.FG.id()
	n := t.images.Virtual(id, c.Style.UnderlineColor.id())
	c.Text = ""
	c.Style = Style{BG: c.Style.BG, Link: c.Style.Link}
	if p := t.images.Placement(n); p != nil {
		c.setTile(n, p, marks[0], marks[1])
	}
}

// id returns the number that a program has put into a colour.
func (c Color) id() uint32 {
	if c.Kind() == ColorIndexed {
		return uint32(c.Index())
	}
	return uint32(c) & 0xFFFFFF
}
