package emulator

import "bytes"

// The main screen and its scrollback are one growing list of lines. A line is
// one logical line: soft-wrapped rows are joined. Lines are numbered from 0, from
// the top down.
//
// A line keeps its number when it scrolls, and for good once it has left the
// screen. On the screen, lines inserted or deleted above it change its number,
// and so does a row above it that begins or ends to wrap. Its ID follows it
// there, and through a new width.
//
// A clear of the whole screen (ED 2, RIS) gives the screen new lines. The lines
// it erased stay in the list, marked as erased; ED 3 clears the scrollback for
// Snapshot alone.

// A Position is a place in a session's text: a line, and the number of cells
// before the place in that line, as Cells counts them in its text: clusters that
// take other columns than their characters by themselves do not move the place.
type Position struct {
	Line   int64
	Offset int
}

// Before reports whether p comes before q.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Offset < q.Offset
}

// A Line is one logical line as it stands now: a line that was rewritten (a
// progress bar) is there once, in its latest state.
type Line struct {
	Number   int64
	ID       uint64 // unique to the line; see above
	Text     string // trailing blanks trimmed
	Revision uint64 // the last revision that changed it
	Erased   bool   // by a clear of the whole screen
	// Style is a hash of how the line is rendered: 0 in the default rendition, and for
	// a line that is not on the screen as a whole.
	Style uint64
}

// Lines returns the lines from number from up to but without to, as far as they
// are kept. The numbers of lines that were erased and are no longer kept are
// skipped.
func (t *Terminal) Lines(from, to int64) []Line {
	from, to = max(from, t.FirstLine()), min(to, t.EndLine())
	if from >= to {
		return nil
	}
	h := &t.history
	var out []Line
	var text []byte // of the last line in out, where that goes on on the screen
	for k := h.find(from); k < h.lines.n; k++ {
		l := h.lines.at(k)
		if l.number >= to {
			return out
		}
		text = t.appendPacked(nil, &l.packed)
		out = append(out, Line{Number: l.number, ID: l.id, Text: trimmed(text), Revision: l.rev, Erased: l.erased})
	}
	n, begun, cells := t.base, h.open(), 0
	for r := 0; r < len(t.main.rows) && n < to; r++ {
		rw := t.main.rows[r]
		if n >= from {
			if !begun {
				out, text, cells = append(out, Line{Number: n, ID: rw.id}), nil, 0
			}
			l := &out[len(out)-1]
			text = t.appendRow(text, r)
			if n > t.base || !h.open() {
				l.Style = t.hashStyles(l.Style, r, &cells)
			}
			l.Revision = max(l.Revision, rw.rev)
			if !rw.wrapped {
				l.Text = trimmed(text)
			}
		}
		if begun = rw.wrapped; !begun {
			n++
		}
	}
	if begun && len(out) > 0 { // the last row wraps, into a row that is still to come
		out[len(out)-1].Text = trimmed(text)
	}
	return out
}

func trimmed(text []byte) string { return string(bytes.TrimRight(text, " ")) }

// FirstLine returns the number of the oldest line kept.
func (t *Terminal) FirstLine() int64 {
	if t.history.lines.n > 0 {
		return t.history.lines.at(0).number
	}
	return t.base
}

// ScreenLine returns the number of the first line that is on the main screen, or
// whose end is.
func (t *Terminal) ScreenLine() int64 { return t.base }

// EndLine returns the number after the last line that shows text, or after the
// cursor's when that is further down.
func (t *Terminal) EndLine() int64 {
	r := t.lastText()
	if t.scr == t.main {
		r = max(r, t.row)
	}
	switch {
	case r >= 0:
		return t.lineOf(r) + 1
	case t.history.open():
		return t.base + 1
	}
	return t.base
}

// TextBefore returns how many bytes of text have left the screen in lines before number
// line, with a line feed for each line, lines that are no longer kept included. The
// difference of two calls says how much a reader has missed.
func (t *Terminal) TextBefore(line int64) int64 {
	h := &t.history
	n := h.dropped + h.text
	for i := h.lines.n - 1; i >= 0 && h.lines.at(i).number >= line; i-- {
		n -= h.lines.at(i).textLen() // readers are mostly near the end
	}
	return n
}

// CursorPosition returns the cursor's place in the text. While the program owns
// the screen it returns the end of the text and false.
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
	col += t.surplus(cells[:min(col, len(cells))])
	for ; r > 0 && t.main.rows[r-1].wrapped; r-- {
		n := t.main.joinLen(r - 1)
		col += n + t.surplus(t.main.cells(r - 1)[:n])
	}
	if r == 0 && t.history.open() {
		p := &t.history.newest().packed
		if col += p.cells; !p.plain {
			col += t.surplus(p.unpack(nil))
		}
	}
	return Position{Line: t.lineOf(t.row), Offset: col}, true
}

// surplus returns how many more cells the text of cells has for Cells than it takes.
func (t *Terminal) surplus(cells []glyph) int {
	n := 0
	for i, g := range cells {
		if g.ch < planeA {
			continue
		}
		n += Cells(t.clusters.text(g.ch)) - 1
		if i+1 < len(cells) && cells[i+1].ch == spacer {
			n--
		}
	}
	return n
}

// lineOf returns the number of the line that row r of the main screen is part of.
func (t *Terminal) lineOf(r int) int64 {
	n := t.base
	for _, rw := range t.main.rows[:r] {
		if !rw.wrapped {
			n++
		}
	}
	return n
}

// lastText returns the last row of the main screen that shows text, -1 for none.
func (t *Terminal) lastText() int {
	r := len(t.main.rows) - 1
	for r >= 0 && t.blankRow(r) {
		r--
	}
	return r
}

// newID returns an ID for a line.
func (t *Terminal) newID() uint64 {
	t.lineIDs++
	return t.lineIDs
}

// rename gives the rows of the main screen from from to to new IDs: what is put
// there belongs to new lines.
func (t *Terminal) rename(from, to int) {
	for r := from; r <= to; r++ {
		t.main.rows[r].id = t.newID()
	}
}

// past lets a row with the cells c leave the top of the main screen into the
// scrollback; wrapped says that its text goes on in the next row.
func (t *Terminal) past(c []glyph, wrapped bool, id, rev uint64) {
	p := t.packer.pack(c)
	if t.history.full(p.cells) || !hasText(c) { // an empty row goes on with nothing, whatever wrapped into it
		t.endPast()
	}
	t.history.push(c, p, pastLine{number: t.base, id: id, rev: rev, open: wrapped})
	if !wrapped {
		t.base++
	}
}

// endPast ends the scrollback's newest line, where that goes on in the main
// screen's first row: the row begins a line of its own.
func (t *Terminal) endPast() {
	if t.history.end() {
		t.base++
	}
}

// erased is called before the whole main screen is erased. Its lines stay in the
// list, and those to come are new.
func (t *Terminal) erased() {
	t.endPast()
	rows := t.main.rows
	for r, last := 0, t.lastText(); r <= last; t.base++ {
		l := pastLine{number: t.base, id: rows[r].id, erased: true, hidden: true}
		for goesOn := true; goesOn && r <= last; r++ {
			l.packed.join(t.packer.pack(t.main.cells(r)[:t.main.joinLen(r)]))
			l.rev = max(l.rev, rows[r].rev)
			goesOn = rows[r].wrapped
		}
		t.history.add(l)
	}
	t.rename(0, len(rows)-1)
}

// lineTaken is called when a shell or line editor has handed over the typed line. At the
// start of a row, the output that follows does not continue the row above, even where text
// such as a prompt at the right edge has wrapped into this one.
func (t *Terminal) lineTaken() {
	if t.col == 0 && t.row > 0 && t.scr == t.main && t.main.rows[t.row-1].wrapped {
		t.unwrap(t.row - 1)
	}
}

// appendRow appends what row r of the main screen adds to its line.
func (t *Terminal) appendRow(b []byte, r int) []byte {
	return t.appendJoined(b, t.main, r)
}

// appendJoined is appendRow for either screen.
func (t *Terminal) appendJoined(b []byte, scr *screen, r int) []byte {
	if scr.untouched(r) {
		return b
	}
	return t.appendCells(b, scr.cells(r)[:scr.joinLen(r)])
}

// appendCells appends the text of cells to b.
func (t *Terminal) appendCells(b []byte, c []glyph) []byte {
	if t.images != nil {
		return t.appendShown(b, c)
	}
	for _, g := range c {
		b = t.clusters.appendText(b, g.ch)
	}
	return b
}

// hashStyles returns the hash h with the styles of row r of the main screen added. cells is
// how many cells of the row's line come before the row; hashStyles adds the row's.
func (t *Terminal) hashStyles(h uint64, r int, cells *int) uint64 {
	const prime = 1099511628211 // of FNV-1a
	for i, g := range t.main.used(r) {
		if g.st == 0 {
			continue
		}
		s := t.styles.style(g.st)
		for _, v := range [...]uint64{uint64(*cells + i), uint64(s.FG)<<32 | uint64(s.BG), uint64(s.UnderlineColor)<<32 | uint64(s.Underline)<<16 | uint64(s.Attrs)} {
			h = (h ^ v) * prime
			h ^= h >> 32
		}
	}
	*cells += t.main.joinLen(r)
	return h
}

// appendPacked appends the text of packed cells.
func (t *Terminal) appendPacked(b []byte, p *packed) []byte {
	if p.plain {
		return append(b, p.text...)
	}
	if t.images != nil {
		return t.appendShown(b, p.unpack(nil))
	}
	for i := 0; i < len(p.text); {
		ch, n := decodePacked(p.text[i:])
		b = t.clusters.appendText(b, ch)
		i += n
	}
	return b
}

// joinLen returns how many cells of row r belong to its line: without the
// erased cells at the end, or, when the text goes on in the next row, without
// the cell that a wide character left free.
func (s *screen) joinLen(r int) int {
	if !s.rows[r].wrapped {
		return len(s.used(r))
	}
	c := s.cells(r)
	n := len(c)
	if n > 1 && c[n-1].ch == blank && r+1 < len(s.rows) {
		if next := s.cells(r + 1); next[1].ch == spacer {
			return n - 1
		}
	}
	return n
}

// blankRow reports whether main row r shows no text.
func (t *Terminal) blankRow(r int) bool {
	for _, g := range t.main.used(r) {
		if g.ch != blank && g.ch != space {
			return false
		}
	}
	return true
}

// CutCells returns the bytes of text that come after its first n cells, counted
// as Cells does. Combining characters go with the character
// they follow; a wide character that the cut would halve is left out whole.
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

// Cells returns how many cells text takes when each character is counted by itself.
func Cells(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}
