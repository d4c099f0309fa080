package emulator

// Resize changes the size of the grid. It reflows the soft-wrapped lines of the main screen
// and its scrollback, unlike xterm, and crops the alternate screen. Sizes out of range are
// clamped.
func (t *Terminal) Resize(s Size) {
	s = s.clamp()
	if s == t.size {
		return
	}
	before := t.beginUpdate()
	t.movedRevs = make([]uint64, s.Rows)
	t.reflow(s)
	if t.alt != nil {
		t.alt = t.crop(t.alt, s)
	}
	if t.scr != t.main {
		t.scr = t.alt
	}
	t.size = s
	t.margins = fullMargins(s)
	t.modes.set(modeOrigin, false) // as in xterm
	t.row, t.col = min(t.row, s.Rows-1), min(t.col, s.Cols-1)
	t.wrap = t.wrap && t.col == s.Cols-1
	t.cluster = ""
	t.markAllMoved()
	if t.modes.has(modeInBandResize) {
		t.reportSize()
	}
	t.commit(before)
}

// crop returns old resized to s without reflow. It cuts off columns at the right and rows at the
// bottom. If old is the current screen and its cursor would be below the new bottom, crop cuts
// off rows at the top instead and moves the cursor up.
func (t *Terminal) crop(old *screen, s Size) *screen {
	first := 0
	if t.scr == old {
		first = max(0, t.row-s.Rows+1)
		t.row -= first
	}
	var rows []layoutRow
	for r := first; r < len(old.rows); r++ {
		rows = append(rows, layoutRow{cutRow(old.cells(r), s.Cols), old.rows[r].wrapped && s.Cols == old.size.Cols, 0, t.rev + 1})
	}
	return filledScreen(rows, s)
}

// A logicalLine is a line that is being reflowed.
type logicalLine struct {
	cells []glyph
	id    uint64
	rev   uint64
	fixed bool // the line is a single row, which is cut to the new width and not reflowed
}

// reflow lays out the lines of the main screen for size s. The cursor stays on its character and, if
// possible, in its row. If the lines above the cursor take more rows than before, rows enter the
// scrollback. If they take fewer, or if the screen grows (as in xterm), rows leave the scrollback. A
// screen that is not lower than before scrolls up to show the rows below the cursor; the rest is lost.
func (t *Terminal) reflow(s Size) {
	wantRow, pastRows := t.mainCursor().row, t.history.rows
	wantRow += max(0, min(s.Rows-t.size.Rows, pastRows))
	lines, curLine, curCell := t.unwrapScreen()
	t.history.resize(s.Cols)
	rows, cur := layOutLines(lines, s.Cols, curLine, curCell)
	row, col := cur.Row, cur.Col
	for row < wantRow && t.history.rows > 0 {
		popped, ok := t.popRows(wantRow - row)
		rows = append(popped, rows...)
		row += len(popped)
		if !ok {
			break
		}
	}
	first := max(0, row-s.Rows+1)
	if pastRows > 0 {
		first = max(first, row-wantRow)
	}
	if below := len(rows) - first - s.Rows; below > 0 && s.Rows >= t.size.Rows {
		first = min(row, first+below) // scroll up to show the rows below the cursor, which are more than before
	}
	t.install(rows, first, s)
	cursor := t.mainCursor()
	cursor.row, cursor.col = min(row-first, s.Rows-1), min(col, s.Cols-1)
	if t.scr == t.main {
		t.wrap = t.wrap && col >= s.Cols
	}
}

// mainCursor returns the main screen's cursor.
func (t *Terminal) mainCursor() *cursor {
	if t.scr != t.main {
		return &t.saved[0].cursor
	}
	return &t.cursor
}

// unwrapScreen returns the rows of the main screen as logical lines. If a line of the scrollback
// continues on the screen, it is the first one. The cursor is at cell curCell of lines[curLine].
func (t *Terminal) unwrapScreen() (lines []logicalLine, curLine, curCell int) {
	row, col := t.mainCursor().row, t.mainCursor().col
	if t.wrap && t.col == t.rightLimit() && t.scr == t.main {
		col++
	}
	var cur *logicalLine
	if t.history.open() {
		needsBlank := t.history.needsBlank(t.main.cells(0))
		l := t.history.pop()
		lines = append(lines, logicalLine{cells: l.unpack(nil), id: l.id, rev: l.rev})
		cur = &lines[0]
		if needsBlank {
			cur.cells = append(cur.cells, glyph{ch: blank})
		}
	}
	from, to := t.editedRows(row, cur != nil)
	last := len(t.main.rows) - 1
	for last > row && usedLen(t.main.cells(last)) == 0 {
		last--
	}
	for r := 0; r <= last; r++ {
		rw := t.main.rows[r]
		edited := from <= r && r < to
		if cur == nil || edited {
			lines = append(lines, logicalLine{id: rw.id, fixed: edited})
			cur = &lines[len(lines)-1]
		}
		if r == row {
			curLine, curCell = len(lines)-1, len(cur.cells)+col
		}
		cur.cells = append(cur.cells, t.main.lineCells(r)...)
		cur.rev = max(cur.rev, rw.rev)
		if !rw.wrapped || r < last && !hasText(t.main.cells(r+1)) {
			cur = nil
		}
	}
	return lines, curLine, curCell
}

// editedRows returns the rows [from, to) of the line that a line editor is editing on the main
// screen, with the cursor in row. These rows are not reflowed, because the editor redraws them from
// the row where they began before the resize. (xterm.js does not reflow them either; xterm reflows
// nothing.) The range is empty without bracketed paste, which line editors set. It is also empty if
// the edited line begins in the scrollback: continued reports whether the first row of the screen
// continues a line of the scrollback.
func (t *Terminal) editedRows(row int, continued bool) (from, to int) {
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
	if from == 0 && continued {
		return 0, 0
	}
	return from, to
}

// layOutLines divides lines into rows of cols cells. The cursor is at cell curCell of
// lines[curLine]; cur is the cursor's position in rows, whose column may be cols or more.
func layOutLines(lines []logicalLine, cols, curLine, curCell int) (rows []layoutRow, cur Point) {
	for i, l := range lines {
		if l.fixed {
			if i == curLine {
				cur = Point{len(rows), min(curCell, cols)}
			}
			rows = append(rows, layoutRow{cutRow(l.cells, cols), false, l.id, l.rev})
			continue
		}
		for _, row := range layOut(l.cells, cols, false, l.id, l.rev) {
			if i == curLine && curCell >= 0 && (curCell < len(row.cells) || !row.wrapped) {
				cur, curCell = Point{len(rows), curCell}, -1
			} else if i == curLine {
				curCell -= len(row.cells)
			}
			rows = append(rows, row)
		}
	}
	return rows, cur
}

// cutRow returns the cells of a row that fit into cols. It blanks a wide cell that is
// cut.
func cutRow(cells []glyph, cols int) []glyph {
	if len(cells) <= cols {
		return cells
	}
	if cells[cols].ch == spacer {
		cells[cols-1].ch = blank
	}
	return cells[:cols]
}

// popRows removes the newest line of the scrollback that is not hidden, or only the line's last n
// rows if it has more than n rows. It returns the removed rows, and whether they are the whole
// line.
func (t *Terminal) popRows(n int) ([]layoutRow, bool) {
	l := t.history.pop()
	t.history.base--
	rows := layOut(l.unpack(nil), t.history.cols, l.open, l.id, l.rev)
	from := max(0, len(rows)-n)
	if from > 0 { // the first rows stay in the scrollback
		t.history.pushRows(rows[:from])
	}
	return rows[from:], from == 0
}

// install makes rows the main screen, with rows[first] at the top. Rows above it enter
// the scrollback; rows that do not fit below are lost.
func (t *Terminal) install(rows []layoutRow, first int, s Size) {
	for _, l := range rows[:first] {
		t.history.push(l.cells, l.wrapped, l.id, l.rev)
	}
	scr := filledScreen(rows[first:], s) // rows below the cursor, such as a menu, are lost as if erased
	for _, rw := range scr.rows {
		if rw.id == 0 {
			rw.id = t.history.newID()
		}
	}
	if t.scr == t.main {
		t.scr = scr
	}
	t.main = scr
}

// filledScreen returns a screen of size s that shows rows. Rows that do not fit are cut off.
func filledScreen(rows []layoutRow, s Size) *screen {
	scr := newScreen(s)
	for i, rw := range scr.rows {
		if i >= len(rows) {
			scr.clear(i, 0)
			continue
		}
		l, cells := rows[i], scr.renew(i)
		copy(cells, l.cells)
		if cells[0].ch == spacer {
			cells[0].ch = blank // a wide cell does not fit into one column
		}
		rw.wrapped, rw.id, rw.rev = l.wrapped, l.id, l.rev
	}
	return scr
}
