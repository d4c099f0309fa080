package emulator

// index moves the cursor down one row, scrolling at the bottom margin: IND, ECMA-48
// (1986) 8.2.4.
func (t *Terminal) index() {
	t.wrap = false
	switch {
	case t.row == t.margins.bottom:
		if !t.inColumns() {
			return
		}
		if t.scr == t.main {
			t.repaint.beforeScroll()
		}
		t.scrollUp(1)
	case t.row < t.size.Rows-1:
		t.row++
	}
}

// lf is LF, VT and FF, ECMA-48 8.3.74. With LNM it also does a carriage return.
func (t *Terminal) lf() {
	if t.modes.has(modeNewLine) {
		t.cr()
	}
	t.index()
}

// ri moves the cursor up one row, scrolling at the top margin: RI, ECMA-48 8.3.104.
func (t *Terminal) ri() {
	t.wrap = false
	switch {
	case t.row == t.margins.top:
		if t.inColumns() {
			t.scrollDown(1)
		}
	case t.row > 0:
		t.row--
	}
}

// sd scrolls down: SD, ECMA-48 8.3.113. With more than one parameter or an explicit 0,
// the sequence is xterm's highlight mouse tracking, which is not supported.
func (t *Terminal) sd(p *params) {
	if p.n <= 1 && p.get(0, 1) != 0 {
		t.scrollDown(p.count(0))
	}
}

// scrollDown scrolls the scrolling region down by n rows.
func (t *Terminal) scrollDown(n int) { t.shiftRows(t.margins.top, t.margins.bottom, -n) }

// scrollUp scrolls the scrolling region up by n rows. As in xterm, rows of full width that leave
// the main screen enter the scrollback.
func (t *Terminal) scrollUp(n int) {
	m := t.margins
	if t.scr == t.main && t.fullWidth() {
		t.pushTopRows(min(n, m.bottom-m.top+1))
	}
	t.scroll(m.top, m.bottom, n)
}

// scroll scrolls rows top through bottom up by n rows, or down if n is negative. If the left and
// right margins are set, only the cells between them move.
func (t *Terminal) scroll(top, bottom, n int) {
	n = max(top-bottom-1, min(n, bottom-top+1))
	if !t.fullWidth() {
		t.scrollBlock(top, bottom, n)
		return
	}
	if top > 0 {
		t.scr.rows[top-1].wrapped = false
	}
	if bottom < t.size.Rows-1 { // the last row of the screen may have wrapped into the row that this scroll adds
		t.scr.rows[bottom].wrapped = false
	}
	t.scr.scroll(top, bottom, n, t.eraseStyle())
	from, to := bottom-n+1, bottom
	if n < 0 {
		from, to = top, top-n-1
	}
	for r := from; r <= to; r++ { // a new line begins in each vacated row
		rw := t.touch(r)
		rw.id, rw.wrapped = t.history.newID(), false
	}
	t.markMoved(top, bottom)
}

// pushTopRows adds the first n rows of the scrolling region, which are about to leave the main
// screen, to the scrollback. If the region begins below row 0 of the screen, the rows become lines
// that Snapshot does not show. Blank rows, and all rows during a repaint, are then dropped.
func (t *Terminal) pushTopRows(n int) {
	top := t.margins.top
	for r := top; r < top+n; r++ {
		rw, c := t.main.rows[r], t.main.lineCells(r)
		switch {
		case top == 0:
			t.history.push(c, rw.wrapped, rw.id, rw.rev)
		case !t.main.isBlankRow(r) && !t.repaint.on:
			t.history.pushHidden(t.history.packer.pack(c), rw.id, rw.rev, false)
		}
	}
}

// shiftRows is scroll for inserting and deleting lines and for scrolling down, in which no row enters
// the scrollback. It marks all rows from top through bottom as changed.
func (t *Terminal) shiftRows(top, bottom, n int) {
	if top == 0 && t.scr == t.main && t.fullWidth() {
		t.history.closeLine()
	}
	t.scroll(top, bottom, n)
	t.scr.rows[bottom].wrapped = false
	for r := top; r <= bottom; r++ {
		t.touch(r)
	}
}

// markMoved records that rows top through bottom of the screen look different, because rows have
// moved or another screen is shown. The rows themselves need not have changed.
func (t *Terminal) markMoved(top, bottom int) {
	t.changed = true
	t.moved.top, t.moved.bottom = min(t.moved.top, top), max(t.moved.bottom, bottom)
}

// scrollBlock is scroll for a scrolling region that is narrower than the grid.
func (t *Terminal) scrollBlock(top, bottom, n int) {
	lo, hi := t.margins.left, t.margins.right+1
	for i := range bottom - top + 1 {
		r := top + i
		if n < 0 {
			r = bottom - i
		}
		c, from := t.editCells(r, lo, hi), r+n
		if from < top || from > bottom {
			fill(c, glyph{blank, t.eraseStyle()})
		} else {
			copy(c, t.editCells(from, lo, hi))
		}
		t.scr.rows[r].wrapped = false
	}
}

// splitWide blanks both halves of a wide cell of row r that lies across the boundary
// before column col. Unlike split, it keeps the cell's style, as xterm does for cells
// that are moved.
func (t *Terminal) splitWide(r, col int) {
	if c := t.scr.cells(r); col > 0 && col < len(c) && c[col].ch == spacer {
		c = t.scr.edit(r, col+1)
		c[col-1].ch, c[col].ch = blank, blank
		t.touch(r)
	}
}
