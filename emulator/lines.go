package emulator

import (
	"bytes"
	"sort"
)

// The main screen and its scrollback are one growing list of lines. A line is a logical
// line: soft-wrapped rows are joined. Lines are numbered from 0, from the top down.
//
// Scrolling up the whole screen does not change the number of a line, and a line keeps its
// number while it is in the scrollback. On the screen, a line's number may change if part of
// the screen scrolls, if lines are inserted or deleted, or if a row above the line starts or
// stops wrapping. The ID of the line stays the same, even if the width changes.
//
// A clear of the whole screen, for example by ED 2 or RIS, gives the screen new lines, unless a
// program is repainting it (repaint.go). The erased lines stay in the list, marked as erased.
// ED 3 hides the scrollback from Snapshot but does not remove its lines from the list.

// A Position is a position in the list of lines. Offset is the width in cells of the line's text
// before the position, as the function TextWidth measures it. So Offset does not depend on how a
// grapheme cluster is displayed.
type Position struct {
	Line   int64
	Offset int
}

// Before reports whether p comes before q.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Offset < q.Offset
}

// A Line is the current state of a logical line. A line that was rewritten, such as a
// progress bar, is one Line.
type Line struct {
	Number   int64
	ID       uint64 // unique; stays the same if Number changes
	Text     string // trailing blanks trimmed
	Revision uint64 // the Terminal's revision after the last change of the line
	Erased   bool   // erased by a clear of the whole screen
	// StyleHash is a hash of the styles of the line's cells. It is 0 if all cells have the
	// default style, or if part of the line is not on the screen.
	StyleHash uint64
}

// LineText returns the text of a line, or "" if there is no such line.
func (t *Terminal) LineText(number int64) string {
	for _, l := range t.Lines(number, number+1) {
		return l.Text
	}
	return ""
}

// Lines returns the stored lines with numbers in [from, to), but none from EndLine onwards.
// Resize may drop lines that Snapshot does not show; their numbers are then missing.
func (t *Terminal) Lines(from, to int64) []Line {
	from, to = max(from, t.FirstLine()), min(to, t.EndLine())
	if from >= to {
		return nil
	}
	h := &t.history
	var out []Line
	var text []byte // of the last line in out, which may continue on the screen
	first := sort.Search(h.lines.n, func(i int) bool { return h.lines.at(i).number >= from })
	for k := first; k < h.lines.n; k++ {
		l := h.lines.at(k)
		if l.number >= to {
			return out
		}
		text = t.appendPacked(nil, &l.packed)
		out = append(out, Line{Number: l.number, ID: l.id, Text: trimBlanks(text), Revision: l.rev, Erased: l.erased})
	}
	n, continues, cells := t.history.base, h.open(), 0
	for r := 0; r < len(t.main.rows) && n < to; r++ {
		rw := t.main.rows[r]
		if n >= from {
			if !continues {
				out, text, cells = append(out, Line{Number: n, ID: rw.id}), nil, 0
			}
			l := &out[len(out)-1]
			text = t.appendGlyphText(text, t.main.lineCells(r))
			if n > t.history.base || !h.open() {
				l.StyleHash = t.hashStyles(l.StyleHash, r, &cells)
			}
			l.Revision = max(l.Revision, rw.rev)
			if !rw.wrapped {
				l.Text = trimBlanks(text)
			}
		}
		if continues = rw.wrapped; !continues {
			n++
		}
	}
	if continues && len(out) > 0 { // the last row wraps, but the next row does not exist yet
		out[len(out)-1].Text = trimBlanks(text)
	}
	return out
}

func trimBlanks(text []byte) string { return string(bytes.TrimRight(text, " ")) }

// FirstLine returns the number of the oldest stored line.
func (t *Terminal) FirstLine() int64 {
	if t.history.lines.n > 0 {
		return t.history.lines.at(0).number
	}
	return t.history.base
}

// FirstScreenLine returns the number of the line that contains the first row of the main screen.
func (t *Terminal) FirstScreenLine() int64 { return t.history.base }

// EndLine returns the number of the last line with text, plus 1. While the main screen is on, the
// line that contains the cursor counts as a line with text.
func (t *Terminal) EndLine() int64 {
	r := t.main.lastTextRow()
	if t.scr == t.main {
		r = max(r, t.row)
	}
	switch {
	case r >= 0:
		return t.lineOf(r) + 1
	case t.history.open():
		return t.history.base + 1
	}
	return t.history.base
}

// BytesBefore returns the size in bytes of the lines in the scrollback whose numbers are less
// than line, including lines that are no longer stored. Each line includes a line feed. The
// difference of two results shows how much text a reader has missed.
func (t *Terminal) BytesBefore(line int64) int64 {
	h := &t.history
	n := h.dropped + h.text
	for i := h.lines.n - 1; i >= 0 && h.lines.at(i).number >= line; i-- { // most readers are near the end
		n -= h.lines.at(i).textLen()
	}
	return n
}

// CursorPosition returns the position of the cursor in the list of lines. While FullScreen
// reports true, it returns the end of the list and false.
func (t *Terminal) CursorPosition() (Position, bool) {
	if t.FullScreen() {
		return Position{Line: t.EndLine()}, false
	}
	col := t.col
	if t.wrap && col == t.rightLimit() {
		col++
	}
	r := t.row
	cells := t.main.cells(r)
	col += t.clusters.extraCells(cells[:min(col, len(cells))])
	for ; r > 0 && t.main.rows[r-1].wrapped; r-- {
		above := t.main.lineCells(r - 1)
		col += len(above) + t.clusters.extraCells(above)
	}
	if r == 0 && t.history.open() {
		p := &t.history.newest().packed
		if col += p.cells; !p.plain {
			col += t.clusters.extraCells(p.unpack(nil))
		}
	}
	return Position{Line: t.lineOf(t.row), Offset: col}, true
}

// extraCells returns by how many cells the text of cells is wider if the function TextWidth measures
// it than it is on the screen.
func (c *clusters) extraCells(cells []glyph) int {
	n := 0
	for i, g := range cells {
		if g.ch < firstHandle {
			continue
		}
		n += TextWidth(c.text(g.ch)) - 1
		if i+1 < len(cells) && cells[i+1].ch == spacer {
			n--
		}
	}
	return n
}

// lineOf returns the number of the line that contains row r of the main screen.
func (t *Terminal) lineOf(r int) int64 {
	n := t.history.base
	for _, rw := range t.main.rows[:r] {
		if !rw.wrapped {
			n++
		}
	}
	return n
}

// lastTextRow returns the last row of the screen that shows text or an image, or -1 if there is
// none.
func (s *screen) lastTextRow() int {
	r := len(s.rows) - 1
	for r >= 0 && s.isBlankRow(r) {
		r--
	}
	return r
}

// assignIDs gives new line IDs to rows [from, to] of the main screen.
func (t *Terminal) assignIDs(from, to int) {
	for r := from; r <= to; r++ {
		t.main.rows[r].id = t.history.newID()
	}
}

// recordErased is called before the whole main screen is erased. It adds the lines of the
// screen to the scrollback, hidden and marked as erased, and gives each row of the screen a
// new line ID.
func (t *Terminal) recordErased() {
	t.history.closeLine()
	rows := t.main.rows
	for r, last := 0, t.main.lastTextRow(); r <= last; {
		var p packed
		id, rev := rows[r].id, uint64(0)
		for wraps := true; wraps && r <= last; r++ {
			p.join(t.history.packer.pack(t.main.lineCells(r)))
			rev = max(rev, rows[r].rev)
			wraps = rows[r].wrapped
		}
		t.history.pushHidden(p, id, rev, true)
	}
	t.assignIDs(0, len(rows)-1)
}

// lineSubmitted is called when a shell or line editor has accepted the typed line. If the cursor is
// at the start of a row and the row above wraps into it, lineSubmitted ends the wrap, so that the
// output begins a new line. A prompt or input that ends at the right edge causes such a wrap.
func (t *Terminal) lineSubmitted() {
	if t.col == 0 && t.row > 0 && t.scr == t.main && t.main.rows[t.row-1].wrapped {
		t.touch(t.row - 1).wrapped = false
	}
}

// appendGlyphText appends the text of cells to b.
func (t *Terminal) appendGlyphText(b []byte, c []glyph) []byte {
	if t.images.Used() {
		return appendCellText(b, t.toCells(c, len(c)))
	}
	for _, g := range c {
		b = t.clusters.appendText(b, g.ch)
	}
	return b
}

// hashStyles extends the hash h by the styles of row r of the main screen. cells is the
// number of cells of the line before row r; hashStyles adds the number of cells of row r.
func (t *Terminal) hashStyles(h uint64, r int, cells *int) uint64 {
	const prime = 1099511628211 // of FNV-1a
	for i, g := range t.main.usedCells(r) {
		if g.st == 0 {
			continue
		}
		s := t.styles.style(g.st)
		for _, v := range [...]uint64{uint64(*cells + i), uint64(s.FG)<<32 | uint64(s.BG), uint64(s.UnderlineColor)<<32 | uint64(s.Underline)<<16 | uint64(s.Attrs)} {
			h = (h ^ v) * prime
			h ^= h >> 32
		}
	}
	*cells += len(t.main.lineCells(r))
	return h
}

// appendPacked appends the text of packed cells to b.
func (t *Terminal) appendPacked(b []byte, p *packed) []byte {
	if p.plain {
		return append(b, p.text...)
	}
	return t.appendGlyphText(b, p.unpack(nil))
}

// lineCells returns the glyphs of row r that are part of its line. If the row does not wrap,
// these are its usedCells. If the row wraps, these are all its cells, except a last cell that is
// blank because a wide character did not fit.
func (s *screen) lineCells(r int) []glyph {
	if !s.rows[r].wrapped {
		return s.usedCells(r)
	}
	c := s.cells(r)
	if last := len(c) - 1; last > 0 && c[last].ch == blank && r+1 < len(s.rows) && s.cells(r + 1)[1].ch == spacer {
		return c[:last]
	}
	return c
}

// isBlankRow reports whether row r shows neither text nor an image.
func (s *screen) isBlankRow(r int) bool {
	for _, g := range s.usedCells(r) {
		if g.ch != blank && g.ch != space {
			return false
		}
	}
	return true
}

// CutCells returns text without its first n cells, counted as TextWidth does. It removes a wide
// character that is only partly in the first n cells. It removes the combining characters that
// follow a removed character.
func CutCells(text string, n int) string {
	if n <= 0 {
		return text
	}
	cells := 0
	for i, r := range text {
		w := runeWidth(r)
		if w > 0 && cells >= n {
			return text[i:]
		}
		cells += w
	}
	return ""
}

// TextWidth returns the sum of the widths of the characters of text, in cells. Unlike a Terminal,
// it does not join characters to grapheme clusters.
func TextWidth(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}
