package emulator

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator/graphics"
)

// A Tile is the part of an image that a cell shows. Its zero value means no image.
type Tile struct {
	Placement uint16 // key of Snapshot.Images; 0 means no image
	Row, Col  uint16 // position in the placement
}

// The cells of an image are tiles: glyphs whose character encodes the row and column in
// the placement, and whose style encodes the placement. So tiles scroll and are erased,
// overwritten, copied and stored like text. The characters are code points of planes 4 to
// 11, which are unassigned in Unicode. If a program prints them, they are interned.
const (
	tileBase    rune = 0x40000
	tileEnd          = tileBase + graphics.MaxRows<<tileColBits
	tileColBits      = 10
)

// colorTile is the kind of a tile's foreground colour, whose value is the number of the placement.
// showTile removes this colour from the Cells that callers see.
const colorTile ColorKind = 3

// isTile reports whether ch is the character of a tile.
func isTile(ch rune) bool { return ch >= tileBase && ch < tileEnd }

// tileAt returns the character of the tile at row and col of a placement.
func tileAt(row, col int) rune { return tileBase + rune(row)<<tileColBits + rune(col) }

// tileStyle returns the style of placement n's tiles with a background colour.
func tileStyle(n uint16, background Color) Style {
	return Style{FG: Color(colorTile)<<24 | Color(n), BG: background}
}

// placement returns the placement that a tile's style encodes, or 0 if s is not the style of a tile.
func (s Style) placement() uint16 {
	if s.FG.Kind() != colorTile {
		return 0
	}
	return uint16(s.FG)
}

// withoutTile returns s as a style for text: without the placement of a tile.
func (s Style) withoutTile() Style {
	if s.placement() != 0 {
		s.FG = 0
	}
	return s
}

// images holds the images of a Terminal.
type images struct {
	graphics.Store
	upload graphics.Upload // chunks of a kitty image
	parts  []byte          // arguments, a colon and data of an iTerm2 image that arrives in parts
}

// showTile sets the tile and the text of cell from glyph g. The caller has set cell.Style to
// the style of g; showTile keeps only its background.
func (t *Terminal) showTile(cell *Cell, g glyph) {
	n := cell.Style.placement()
	cell.Style = Style{BG: cell.Style.BG}
	if p := t.images.Placement(n); p != nil {
		i := int(g.ch - tileBase)
		cell.setTile(n, p, i>>tileColBits, i&(1<<tileColBits-1))
	}
}

// setTile makes c the tile at row and col of placement p, whose number is n. It does nothing
// if p has no such tile.
func (c *Cell) setTile(n uint16, p *graphics.Placement, row, col int) {
	if row < p.Rows && col < p.Cols {
		c.Tile = Tile{Placement: n, Row: uint16(row), Col: uint16(col)}
		c.Text = p.Label(row, col)
	}
}

// hasTile reports whether row r of the current screen shows part of an image. Such a row
// never wraps, because a reflow would cut the image into strips.
func (t *Terminal) hasTile(r int) bool {
	if !t.images.Used() {
		return false
	}
	for _, g := range t.scr.cells(r) {
		if isTile(g.ch) {
			return true
		}
	}
	return false
}

// livePlacements returns the numbers of the placements that have a tile in some cell. It also marks
// the screens as changed, because a Store calls livePlacements before it drops images.
func (t *Terminal) livePlacements() map[uint16]bool {
	t.markImagesChanged()
	t.gcSkips = 0
	t.collectGarbage()
	live := map[uint16]bool{}
	for s := range t.styles.ids {
		if n := s.placement(); n != 0 {
			live[n] = true
		}
	}
	return live
}

// putTiles shows row i of placement n, which is cols cells wide, in row r from column lo on. It cuts
// off the tiles beyond the right margin or the grid.
func (t *Terminal) putTiles(n uint16, i, cols, r, lo int) {
	hi := min(lo+cols, t.size.Cols)
	if lo <= t.margins.right {
		hi = min(hi, t.margins.right+1)
	}
	t.unwrapInto(r)
	t.beforeDraw(r)
	c := t.scr.edit(r, hi)
	t.split(r, c, lo)
	t.split(r, c, hi)
	old, st := styleID(0), t.internStyle(tileStyle(n, 0))
	for col := lo; col < hi; col++ {
		if c[col].st != old { // keep the cell's background, which transparent parts show
			old = c[col].st
			st = t.internStyle(tileStyle(n, t.styles.style(old).BG))
		}
		c[col] = glyph{tileAt(i, col-lo), st}
	}
	t.touch(r).wrapped = false
}

// removeTiles blanks the tiles of placements on both screens. Tiles in the scrollback
// stay but show nothing.
func (t *Terminal) removeTiles(numbers []uint16) {
	removed := map[uint16]bool{}
	for _, n := range numbers {
		removed[n] = true
	}
	for _, s := range t.screens() {
		for r := range s.rows {
			c := s.cells(r)
			for col, g := range c {
				if !isTile(g.ch) {
					continue
				}
				style := t.styles.style(g.st)
				if !removed[style.placement()] {
					continue
				}
				s.edit(r, col+1)[col] = glyph{blank, t.internStyle(style.backgroundOnly())}
				s.rows[r].rev = t.rev + 1
			}
		}
	}
	t.markImagesChanged()
}

// markImagesChanged records that images have changed although their cells have not.
func (t *Terminal) markImagesChanged() {
	for _, s := range t.screens() {
		for _, rw := range s.rows {
			rw.shown = nil
		}
	}
	t.markAllMoved()
}

// placementsIn returns the numbers of the placements that have a tile in a cell of the current
// screen for which want returns true.
func (t *Terminal) placementsIn(want func(row, col int) bool) []uint16 {
	seen := map[uint16]bool{}
	for r := range t.size.Rows {
		for col, g := range t.scr.cells(r) {
			if n := t.styles.style(g.st).placement(); isTile(g.ch) && want(r, col) {
				seen[n] = true
			}
		}
	}
	return slices.Collect(maps.Keys(seen))
}

// placeholder is kitty's character for a cell of an image (kitty graphics protocol,
// "Unicode placeholders"). The combining characters after it encode the row, the column
// and the highest byte of the image ID. The foreground colour encodes the rest of the ID,
// the underline colour the placement ID.
const placeholder = '\U0010EEEE'

// showPlaceholders turns the placeholders of a row into tiles. A placeholder without all combining
// characters continues the one to its left, if it has the same style and gives no other row or column.
func (t *Terminal) showPlaceholders(cells []Cell) {
	var left struct {
		style         Style
		row, col, top int  // top is the highest byte of the image ID
		set           bool // the cell to the left is a placeholder
	}
	for i := range cells {
		c := &cells[i]
		if !strings.HasPrefix(c.Text, string(placeholder)) {
			left.set = false
			continue
		}
		marks, n := [3]int{}, 0
		for _, r := range c.Text[utf8.RuneLen(placeholder):] {
			if v, ok := graphics.DiacriticNumber(r); ok && n < len(marks) {
				marks[n] = v
				n++
			}
		}
		inherits := left.set && left.style == c.Style && (n < 1 || marks[0] == left.row)
		switch {
		case inherits && n <= 1:
			marks = [3]int{left.row, left.col + 1, left.top}
		case inherits && n == 2 && marks[1] == left.col+1:
			marks[2] = left.top
		}
		left.style, left.row, left.col, left.top, left.set = c.Style, marks[0], marks[1], marks[2], true
		t.showPlaceholder(c, marks)
	}
}

// showPlaceholder turns one cell into a tile, or a blank cell if the image is unknown. marks are the
// row, the column and the highest byte of the image ID.
func (t *Terminal) showPlaceholder(c *Cell, marks [3]int) {
	id := uint32(marks[2])<<24 | c.Style.FG.placeholderID()
	n := t.images.VirtualPlacement(id, c.Style.UnderlineColor.placeholderID())
	c.Text = ""
	c.Style = Style{BG: c.Style.BG, Link: c.Style.Link}
	if p := t.images.Placement(n); p != nil {
		c.setTile(n, p, marks[0], marks[1])
	}
}

// placeholderID returns the number that a program has encoded in the colour of a placeholder.
func (c Color) placeholderID() uint32 {
	if c.Kind() == ColorIndexed {
		return uint32(c.Index())
	}
	return uint32(c) & 0xFFFFFF
}
