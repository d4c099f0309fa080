package selected

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator"
)

// A tone is the visible background of a cell, with reverse video applied. Its zero value is
// the terminal's default background.
type tone uint64

// reversed marks the tone of a cell with reverse video (SGR 7). The background of such a cell is
// the cell's foreground colour.
const reversed tone = 1 << 40

func toneOf(s emulator.Style) tone {
	if s.Attrs&emulator.Reverse != 0 {
		return reversed | tone(s.FG)
	}
	return tone(s.BG)
}

// invisible reports whether text of a style is invisible: it is concealed, or its colour is that of
// its background. Bold text does not count, because it may have a brighter colour.
func invisible(s emulator.Style) bool {
	return s.Attrs&emulator.Hidden != 0 || s.FG == s.BG && s.FG != 0 && s.Attrs&emulator.Bold == 0
}

// grey reports whether a tone is a shade of grey or the default background, but not the reversed default.
func grey(t tone) bool {
	c := emulator.Color(t &^ reversed)
	switch c.Kind() {
	case emulator.ColorIndexed:
		i := c.Index()
		return i == 0 || i == 7 || i == 8 || i == 15 || i == 16 || i >= 231
	case emulator.ColorRGB:
		r, g, b := c.RGB()
		return max(r, g, b)-min(r, g, b) < 16
	}
	return t&reversed == 0
}

// A grid is a screen with the tones of its cells.
type grid struct {
	cells  [][]emulator.Cell // by row and column; invisible text is left out
	tones  [][]tone          // by row and column
	cols   int               // number of columns of the screen
	cursor emulator.Cursor
	full   bool // a full-screen program draws the screen
}

func newGrid(s *emulator.Snapshot) *grid {
	g := &grid{cols: s.Size.Cols, cursor: s.Cursor, full: s.FullScreen}
	for _, row := range s.Screen {
		cells := slices.Clone(row.Cells[:min(len(row.Cells), g.cols)])
		tones := make([]tone, len(cells))
		for c, cell := range cells {
			tones[c] = toneOf(cell.Style)
			if invisible(cell.Style) {
				cells[c].Text = ""
			}
		}
		g.cells, g.tones = append(g.cells, cells), append(g.tones, tones)
	}
	return g
}

// at returns the text of a cell. It returns " " for a blank cell and beyond the edges, and ""
// for the right half of a wide cell.
func (g *grid) at(row, col int) string {
	if row < 0 || row >= len(g.cells) || col < 0 || col >= len(g.cells[row]) {
		return " "
	}
	c := g.cells[row][col]
	if c.Text == "" && c.Width != 0 {
		return " "
	}
	return c.Text
}

// text returns the text of the columns [from, to) of a row, blanks included.
func (g *grid) text(row, from, to int) string {
	var b strings.Builder
	for c := from; c < to; c++ {
		b.WriteString(g.at(row, c))
	}
	return b.String()
}

// textStart returns the first column of a row in [from, to) that is not blank, or -1.
func (g *grid) textStart(row, from, to int) int {
	for c := max(from, 0); c < min(to, g.cols); c++ {
		if !blank(g.at(row, c)) {
			return c
		}
	}
	return -1
}

// pane returns the columns [from, to) around a column. They end at the nearest sides of boxes or at
// the screen's edges.
func (g *grid) pane(row, col int) (from, to int) {
	from, to = col, col
	for from > 0 && !edge(g.at(row, from-1)) {
		from--
	}
	for to < g.cols && !edge(g.at(row, to)) {
		to++
	}
	return from, to
}

func blank(text string) bool { return text == "" || text == " " }

// verticals are the vertical lines of boxes.
const verticals = "│┃║┤├┨┠╡╞╢╟|"

// vertical reports whether a cell contains a vertical line of a box.
func vertical(text string) bool { return text != "" && strings.Contains(verticals, text) }

// edge reports whether a cell contains a line or a corner at the side of a box.
func edge(text string) bool {
	return vertical(text) || text != "" && strings.Contains("┌┐└┘╭╮╰╯╔╗╚╝", text)
}

// horizontal reports whether a cell contains a horizontal line of a box.
func horizontal(text string) bool {
	return text != "" && strings.Contains("─━═┄┈┤├╡╞┌┐└┘╭╮╰╯╔╗╚╝┬┴", text)
}

// hasWord reports whether a text contains a letter or a digit, or is the parent directory
// "..".
func hasWord(text string) bool {
	return strings.Contains(text, "..") || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// charClass returns the class of a cell's character: ' ' for a blank, '0' for a digit, 'a' for a
// letter, and '.' for any other.
func charClass(text string) byte {
	r, _ := utf8.DecodeRuneInString(text)
	switch {
	case blank(text):
		return ' '
	case unicode.IsDigit(r):
		return '0'
	case unicode.IsLetter(r):
		return 'a'
	}
	return '.'
}
