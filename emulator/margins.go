package emulator

// decstbm sets the top and bottom margins and moves the cursor home: DECSTBM, VT510
// manual.
func (t *Terminal) decstbm(p *params) {
	if top, bottom := marginsOf(p, t.size.Rows); top < bottom {
		t.margins.top, t.margins.bottom = top, bottom
		t.address(0, 0)
	}
}

// marginsOf returns the two margins that p sets in a grid with n rows or columns. A missing
// first margin is 0. A missing last margin, or one beyond the grid, is n-1.
func marginsOf(p *params, n int) (first, last int) {
	first, last = p.count(0)-1, p.get(1, 0)-1
	if last < 0 || last >= n {
		last = n - 1
	}
	return first, last
}

// lockRows makes row the top margin, so that the rows above it do not scroll (terminfo's
// meml and memu). It does nothing if row is not above the bottom margin. Unlike DECSTBM, it does
// not move the cursor.
func (t *Terminal) lockRows(row int) {
	if row < t.margins.bottom {
		t.margins.top = row
	}
}

// decslrm is DECSLRM while DECLRMM is set and the conformance level is at least 4: it sets the
// left and right margins and moves the cursor home (VT510 manual). Otherwise the sequence is
// SCOSC, which saves the cursor.
func (t *Terminal) decslrm(p *params) {
	if !t.modes.has(modeLeftRight) || t.level < 4 {
		t.saveCursor()
		return
	}
	if left, right := marginsOf(p, t.size.Cols); left < right {
		t.margins.left, t.margins.right = left, right
		t.address(0, 0)
	}
}

// panColumns moves the columns of the scrolling region right by n, or left if n is
// negative. insertColumns moves only the columns from the cursor to the right margin.
func (t *Terminal) panColumns(n int)    { t.shiftColumns(t.margins.left, n) }
func (t *Terminal) insertColumns(n int) { t.shiftColumns(t.col, n) }

// decbi and decfi move the cursor back and forward a column (DECBI and DECFI, VT510 manual). At the
// left or right margin of the scrolling region, they move the region's columns instead.
func (t *Terminal) decbi() {
	t.wrap = false
	switch {
	case t.col == t.margins.left && t.row >= t.margins.top && t.row <= t.margins.bottom:
		t.panColumns(1)
	case t.col > 0:
		t.col--
	}
}

// As in xterm, decfi does not end a pending wrap if it scrolls.
func (t *Terminal) decfi() {
	switch {
	case t.col == t.margins.right && t.row >= t.margins.top && t.row <= t.margins.bottom:
		t.panColumns(-1)
	case t.col < t.size.Cols-1:
		t.col++
		t.wrap = false
	}
}

// shiftColumns moves the columns from lo to the right margin, in all rows of the
// scrolling region, right by n, or left if n is negative. As in xterm, it does nothing while
// the cursor is outside the margins.
func (t *Terminal) shiftColumns(lo, n int) {
	if !t.inMargins() {
		return
	}
	for r := t.margins.top; r <= t.margins.bottom; r++ {
		t.shiftCells(r, lo, t.margins.right+1, n)
	}
}
