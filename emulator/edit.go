package emulator

// eraseCells erases columns [lo, hi) of row r with the pen's background. If selective is set,
// it spares protected cells.
func (t *Terminal) eraseCells(r, lo, hi int, selective bool) {
	if lo >= hi {
		return
	}
	c := t.scr.edit(r, hi)
	t.split(r, c, lo)
	t.split(r, c, hi)
	g := glyph{blank, t.eraseStyle()}
	changed := false
	for i := lo; i < hi; i++ {
		if c[i] == g || selective && t.protected(c[i].st) {
			continue
		}
		c[i] = g
		changed = true
	}
	if lo == 0 {
		t.unwrapInto(r)
	}
	rw := t.scr.rows[r]
	if hi == len(c) && rw.wrapped {
		rw.wrapped = false
		changed = true
	}
	if changed {
		t.touch(r)
	}
}

// unwrapInto ends the soft wrap into row r, whose beginning has been erased or replaced. The wrap
// comes from the row above or, if r is row 0 of the main screen, from the scrollback.
func (t *Terminal) unwrapInto(r int) {
	switch {
	case r > 0 && t.scr.rows[r-1].wrapped:
		t.touch(r - 1).wrapped = false
	case r == 0 && t.scr == t.main:
		t.history.closeLine()
	}
}

// split blanks both halves of a wide cell in columns col-1 and col of row r, whose cells are c.
// If there is no such cell, it does nothing. As in xterm, the blanks have the pen's background.
func (t *Terminal) split(r int, c []glyph, col int) {
	if col <= 0 || col >= len(c) || c[col].ch != spacer {
		return
	}
	c[col-1] = glyph{blank, t.eraseStyle()}
	c[col] = c[col-1]
	t.scr.rows[r].changed = true
	t.touch(r)
}

// protected reports whether DECSCA or SPA protects cells of style st.
func (t *Terminal) protected(st styleID) bool {
	return t.styles.style(st).Attrs&Protected != 0
}

// eraseDisplay is ED and DECSED. Kind 3, an addition of xterm's, hides the scrollback while the
// main screen is on, and does nothing while the alternate screen is on.
func (t *Terminal) eraseDisplay(kind int, selective bool) {
	from, to := 0, t.size.Rows
	switch kind {
	case 0:
		from = t.row + 1
		if t.row == 0 && t.col == 0 && t.repaint.lastRow < 0 {
			// From home, ED 0 erases the whole screen. It counts as a clear only if nothing was drawn
			// since the cursor was addressed to home (lastRow is negative): a prompt in row 0 that
			// redraws itself does not address the cursor, and its ED 0 must not begin new lines.
			t.beforeClear()
		}
		t.eraseCells(t.row, t.col, t.size.Cols, selective)
	case 1:
		to = t.row
		t.eraseCells(t.row, 0, t.col+1, selective)
	case 2:
		t.beforeClear()
	case 3:
		if t.scr == t.main {
			t.history.closeLine()
			t.history.hide()
			t.changed = true
		}
		return
	default:
		return
	}
	t.wrap = kind == 1 && t.wrap && t.sparesCursorCell(selective)
	for r := from; r < to; r++ {
		t.eraseCells(r, 0, t.size.Cols, selective)
	}
}

// eraseLine is EL and DECSEL.
func (t *Terminal) eraseLine(kind int, selective bool) {
	columns := [...][2]int{{t.col, t.size.Cols}, {0, t.col + 1}, {0, t.size.Cols}}
	if kind >= len(columns) {
		return
	}
	t.eraseCells(t.row, columns[kind][0], columns[kind][1], selective)
	t.wrap = kind != 0 && t.wrap && t.sparesCursorCell(selective)
}

// sparesCursorCell reports whether an erase that includes the cursor's cell spares the cell,
// because it is protected. As in xterm, such an erase does not end a pending wrap.
func (t *Terminal) sparesCursorCell(selective bool) bool {
	return selective && t.protected(t.scr.cells(t.row)[t.col].st)
}

// eraseChars erases n cells from the cursor on.
func (t *Terminal) eraseChars(n int) {
	t.eraseCells(t.row, t.col, min(t.col+n, t.size.Cols), t.protection == protectISO)
	t.wrap = false
}

// insertCells moves the cells from the cursor to the right margin right by n, or left if n is
// negative. While the cursor is outside the left and right margins, it only ends a pending wrap.
func (t *Terminal) insertCells(n int) {
	t.wrap = false
	if t.inColumns() {
		t.shiftCells(t.row, t.col, t.margins.right+1, n)
	}
}

// inColumns reports whether the cursor is between the left and right margins.
func (t *Terminal) inColumns() bool {
	return t.col >= t.margins.left && t.col <= t.margins.right
}

// shiftCells moves cells [lo, hi) of row r right by n, or left if n is negative, and
// erases the vacated cells.
func (t *Terminal) shiftCells(r, lo, hi, n int) {
	n = max(lo-hi, min(n, hi-lo))
	c := t.scr.edit(r, hi)
	t.split(r, c, lo)
	t.split(r, c, hi)
	if n > 0 {
		t.split(r, c, hi-n)
		copy(c[lo+n:hi], c[lo:hi-n])
		fill(c[lo:lo+n], glyph{blank, t.eraseStyle()})
	} else {
		t.split(r, c, lo-n)
		copy(c[lo:hi+n], c[lo-n:hi])
		fill(c[hi+n:hi], glyph{blank, t.eraseStyle()})
	}
	rw := t.touch(r)
	if hi == len(c) {
		rw.wrapped = false
	}
	if !hasText(c) {
		t.unwrapInto(r)
	}
}

// deleteLines scrolls the rows from the cursor to the bottom margin up by n, or down if n is
// negative, and moves the cursor to the left margin (xterm and VT510 manual). It does nothing
// while the cursor is outside the margins.
func (t *Terminal) deleteLines(n int) {
	if !t.inMargins() {
		return
	}
	if n > 0 && t.row == 0 {
		t.scrollUp(n) // as in xterm, lines deleted at the top enter the scrollback
	} else {
		t.shiftRows(t.row, t.margins.bottom, n)
	}
	t.cr()
}
