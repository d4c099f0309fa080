package emulator

// Resize changes the grid's size as xterm does, with soft-wrapped lines of the
// main screen and its scrollback reflowed. Sizes out of range are clamped.
func (t *Terminal) Resize(s Size) {
	s = s.clamp()
	if s == t.size {
		return
	}
	before := t.look()
	t.placeRev = append(make([]uint64, 0, s.Rows), t.placeRev[:min(len(t.placeRev), s.Rows)]...)
	for len(t.placeRev) < s.Rows {
		t.placeRev = append(t.placeRev, t.rev)
	}
	t.reflow(s)
	if t.alt != nil {
		t.alt = t.crop(t.alt, s)
	}
	if t.scr != t.main {
		t.scr = t.alt
	}
	t.size = s
	t.margins = fullMargins(s)
	t.modes.set(modeOrigin, false) // xterm
	t.row, t.col = min(t.row, s.Rows-1), min(t.col, s.Cols-1)
	t.wrap = t.wrap && t.col == s.Cols-1
	t.cluster = cluster{}
	t.touchAll()
	if t.modes.has(modeInBandResize) {
		t.reportSize()
	}
	t.commit(before)
}

// crop gives a screen that is not reflowed another size: rows keep their left
// part, and stay at the top unless the cursor would be lost below.
func (t *Terminal) crop(old *screen, s Size) *screen {
	scr := newScreen(s)
	scr.stock()
	first := 0
	if t.scr == old {
		first = max(0, t.row-s.Rows+1)
		t.row -= first
	}
	for r := 0; r < s.Rows; r++ {
		cells := scr.renew(r)
		rw := scr.rows[r]
		if first+r >= len(old.rows) {
			continue
		}
		n := copy(cells, old.cells(first+r))
		if n < old.size.Cols && old.cells(first + r)[n].ch == spacer {
			cells[n-1].ch = blank
		}
		rw.wrapped = old.rows[first+r].wrapped && s.Cols == old.size.Cols
		rw.rev = t.rev + 1
	}
	return scr
}

// A logical line on its way into another width.
type logical struct {
	cells []glyph
	id    uint64
	rev   uint64
	open  bool // its text goes on in the next line: only when that is cut off
	fixed bool // it is one row, and stays so
}

// reflow lays out the main screen's lines for a new width. The cursor stays on its
// character and, where it can, in its row of the screen: rows that become too
// many above it enter the scrollback, and rows come back from there when they
// become too few, or when the screen grows (xterm does that too). Rows below the
// cursor that do not fit are lost.
func (t *Terminal) reflow(s Size) {
	want, past := t.mainRow(), t.history.rows
	want += max(0, min(s.Rows-t.size.Rows, past))
	lines, at, off := t.unwrapScreen()
	t.history.resize(s.Cols)
	rows, cur := layOut(lines, s.Cols, at, off)
	row, col := cur.row, cur.col
	for row < want && t.history.rows > 0 {
		back, ok := t.recall(want - row)
		rows = append(back, rows...)
		row += len(back)
		if !ok {
			break
		}
	}
	first := max(0, row-s.Rows+1)
	if past > 0 {
		first = max(first, row-want)
	}
	if below := len(rows) - first - s.Rows; below > 0 && s.Rows >= t.size.Rows {
		first = min(row, first+below) // the text below became longer
	}
	t.install(rows, first, s)
	if t.scr == t.main {
		t.row, t.col = row-first, min(col, s.Cols-1)
		t.wrap = t.wrap && col >= s.Cols
		if col >= s.Cols && !t.wrap {
			t.col = s.Cols - 1
		}
	} else {
		t.saved[0].row, t.saved[0].col = min(row-first, s.Rows-1), min(col, s.Cols-1)
	}
}

// mainRow returns the row of the main screen's cursor.
func (t *Terminal) mainRow() int {
	if t.scr != t.main {
		return t.saved[0].row
	}
	return t.row
}

// unwrapScreen returns the main screen's rows as logical lines, the open end of
// the scrollback included, and where the cursor is in them: which line, and how
// many cells into it.
func (t *Terminal) unwrapScreen() (lines []logical, at, off int) {
	row, col := t.row, t.col
	if t.scr != t.main {
		row, col = t.saved[0].row, t.saved[0].col
	}
	if t.wrap && t.col == t.rightLimit() && t.scr == t.main {
		col++
	}
	var cur *logical
	if t.history.open() {
		gap := t.history.gap(t.main.cells(0))
		l := t.history.pop()
		lines = append(lines, logical{cells: l.unpack(nil), id: l.id, rev: l.rev})
		cur = &lines[0]
		if gap {
			cur.cells = append(cur.cells, glyph{ch: blank})
		}
	}
	from, to := t.editedRows(row, cur != nil)
	last := len(t.main.rows) - 1
	for last > row && used(t.main.cells(last)) == 0 {
		last--
	}
	for r := 0; r <= last; r++ {
		rw := t.main.rows[r]
		edited := from <= r && r < to
		if cur == nil || edited {
			lines = append(lines, logical{id: rw.id, fixed: edited})
			cur = &lines[len(lines)-1]
		}
		if r == row {
			at, off = len(lines)-1, len(cur.cells)+col
		}
		cur.cells = append(cur.cells, t.main.cells(r)[:t.main.joinLen(r)]...)
		cur.rev = max(cur.rev, rw.rev)
		if !rw.wrapped || r < last && !hasText(t.main.cells(r+1)) {
			cur = nil
		}
	}
	return lines, at, off
}

// editedRows returns the rows, from and without to, of the line that a line editor
// holds, with the cursor in row: they are left as they are, because the editor draws
// them again from the row where it believes that they begin (xterm, which lays out
// nothing, and xterm.js let it). begun says that the first row goes on from the
// scrollback. There are none without an editor, which bracketed paste tells.
func (t *Terminal) editedRows(row int, begun bool) (from, to int) {
	if t.scr != t.main || !t.modes.has(modeBracketedPaste) {
		return 0, 0
	}
	rows := t.main.rows
	from, to = row, row+1
	for from > 0 && rows[from-1].wrapped {
		from--
	}
	for to < len(rows) && rows[to-1].wrapped {
		to++
	}
	if from == 0 && begun {
		return 0, 0
	}
	return from, to
}

// A laid row is a row of the new layout.
type laid struct {
	cells   []glyph
	wrapped bool
	id      uint64 // of the line that begins here, 0 where none does
	rev     uint64
}

// layOut cuts lines into rows, and finds the cursor's place, off cells into
// line at.
func layOut(lines []logical, cols, at, off int) (rows []laid, cur place) {
	for i, l := range lines {
		if l.fixed {
			if i == at {
				cur = place{len(rows), min(off, cols)}
			}
			rows = append(rows, laid{cutRow(l.cells, cols), false, l.id, l.rev})
			continue
		}
		start := 0
		for _, end := range append(breaks(l.cells, cols, nil), len(l.cells)) {
			last := end == len(l.cells)
			if i == at && off >= start && (off < end || last) {
				cur = place{len(rows), off - start}
			}
			rows = append(rows, laid{l.cells[start:end], !last || l.open, l.id, l.rev})
			start, l.id = end, 0
		}
	}
	return rows, cur
}

// cutRow returns what fits of a row's cells into cols.
func cutRow(cells []glyph, cols int) []glyph {
	if len(cells) <= cols {
		return cells
	}
	if cells[cols].ch == spacer {
		cells[cols-1].ch = blank
	}
	return cells[:cols]
}

// A place is where something is in rows that are being laid out.
type place struct{ row, col int }

// recall takes up to n rows of the newest line back from the scrollback.
func (t *Terminal) recall(n int) ([]laid, bool) {
	l := t.history.pop()
	t.base--
	cells := l.unpack(nil)
	ends := append(breaks(cells, t.history.cols, nil), l.cells)
	from := max(0, len(ends)-n)
	start := 0
	if from > 0 {
		start = ends[from-1]
		t.past(cells[:start], true, l.id, l.rev)
		l.id = 0
	}
	var rows []laid
	for i := from; i < len(ends); i++ {
		rows = append(rows, laid{cells[start:ends[i]], i < len(ends)-1 || l.open, l.id, l.rev})
		start, l.id = ends[i], 0
	}
	return rows, from == 0
}

// install makes rows the main screen, with row first at the top: what is above
// enters the scrollback, what does not fit below is lost.
func (t *Terminal) install(rows []laid, first int, s Size) {
	for _, l := range rows[:first] {
		t.past(l.cells, l.wrapped, l.id, l.rev)
	}
	scr := newScreen(s)
	scr.stock()
	for i, l := range rows[first:] {
		if i >= s.Rows {
			break // a menu below the cursor is lost, as if erased
		}
		cells := scr.renew(i)
		rw := scr.rows[i]
		copy(cells, l.cells)
		if cells[0].ch == spacer {
			cells[0].ch = blank // one column has no room for a wide cell
		}
		rw.wrapped, rw.id, rw.rev = l.wrapped, l.id, l.rev
	}
	for i := len(rows) - first; i < s.Rows; i++ {
		scr.clear(i, 0)
	}
	for _, rw := range scr.rows {
		if rw.id == 0 {
			rw.id = t.newID()
		}
	}
	if t.scr == t.main {
		t.scr = scr
	}
	t.main = scr
}
