package emulator

// A rect is a rectangle of cells, such as the scrolling region of DECSTBM and DECSLRM. All
// four bounds are inclusive.
type rect struct{ top, bottom, left, right int }

func fullMargins(s Size) rect {
	return rect{bottom: s.Rows - 1, right: s.Cols - 1}
}

// fullWidth reports whether the scrolling region is as wide as the grid.
func (t *Terminal) fullWidth() bool {
	return t.margins.left == 0 && t.margins.right == t.size.Cols-1
}

// inMargins reports whether the cursor is inside the scrolling region.
func (t *Terminal) inMargins() bool {
	m := t.margins
	return t.row >= m.top && t.row <= m.bottom && t.col >= m.left && t.col <= m.right
}

// goTo moves the cursor to a position, clamped to the grid.
func (t *Terminal) goTo(row, col int) {
	t.row = min(max(row, 0), t.size.Rows-1)
	t.col = min(max(col, 0), t.size.Cols-1)
	t.wrap = false
}

// address moves the cursor to a position relative to the top left of the grid or, in origin
// mode (DECOM), relative to the top left of the scrolling region.
func (t *Terminal) address(row, col int) {
	m := t.page()
	t.goTo(min(m.top+row, m.bottom), min(m.left+col, m.right))
	t.afterAddressing()
}

// moveRows moves the cursor down n rows, or up if n is negative. It stops at the next margin or edge.
func (t *Terminal) moveRows(n int) {
	first, last := 0, t.size.Rows-1
	if t.row >= t.margins.top {
		first = t.margins.top
	}
	if t.row <= t.margins.bottom {
		last = t.margins.bottom
	}
	t.goTo(min(max(t.row+n, first), last), t.col)
}

// moveLines moves the cursor as moveRows does, and then to the column that leftLimit returns.
func (t *Terminal) moveLines(n int) {
	t.moveRows(n)
	t.col = t.leftLimit()
}

// moveRight moves the cursor right. It stops at the right margin.
func (t *Terminal) moveRight(n int) { t.goTo(t.row, min(t.col+n, t.rightLimit())) }

// moveLeft moves the cursor left. It stops at the left margin, unless reverse wraparound is on:
// then it continues at the right margin of the row above.
func (t *Terminal) moveLeft(n int) {
	if !t.reverseWraps() {
		t.goTo(t.row, max(t.col-n, t.leftLimit()))
		return
	}
	if t.wrap {
		t.wrap = false // ending the pending wrap is the first step
		n--
	}
	for n > 0 {
		left := t.leftLimit()
		if step := t.col - left; n <= step {
			t.goTo(t.row, t.col-n)
			return
		} else if n -= step + 1; !t.moveToRowAbove() {
			t.goTo(t.row, left)
			return
		}
	}
}

// reverseWraps reports whether BS and CUB cross the left margin (?45 or ?1045 with
// DECAWM; xterm ctlseqs, "Reverse-wraparound").
func (t *Terminal) reverseWraps() bool {
	return t.modes.has(modeAutoWrap) && (t.modes.has(modeReverseWrap) || t.modes.has(modeExtReverseWrap))
}

// moveToRowAbove moves the cursor to the right margin of the row above. It reports false if the
// cursor stays: with only ?45 set, the row above must wrap into the cursor's row. With ?1045, the
// cursor always moves, and goes from the top margin, or from row 0, to the bottom margin.
func (t *Terminal) moveToRowAbove() bool {
	row := t.row - 1
	if t.row == t.margins.top || row < 0 {
		if !t.modes.has(modeExtReverseWrap) {
			return false
		}
		row = t.margins.bottom
	}
	if !t.modes.has(modeExtReverseWrap) && !t.scr.rows[row].wrapped {
		return false
	}
	t.goTo(row, t.margins.right)
	return true
}

// cha moves to a column: CHA, ECMA-48 8.3.9; HPA, 8.3.57.
func (t *Terminal) cha(p *params) {
	m := t.page()
	t.goTo(t.row, min(m.left+p.count(0)-1, m.right))
}

// hpr and vpr move the cursor right and down: HPR and VPR, ECMA-48 8.3.59 and 8.3.160. Unlike
// CUF and CUD, they stop at the margins only in origin mode.
func (t *Terminal) hpr(p *params) { t.goTo(t.row, min(t.col+p.count(0), t.page().right)) }
func (t *Terminal) vpr(p *params) { t.goTo(min(t.row+p.count(0), t.page().bottom), t.col) }

// page returns the addressable area: the grid, or in origin mode the scrolling region.
func (t *Terminal) page() rect {
	if t.modes.has(modeOrigin) {
		return t.margins
	}
	return fullMargins(t.size)
}

// vpa moves to a row: VPA, ECMA-48 8.3.158.
func (t *Terminal) vpa(p *params) {
	col := t.col
	t.address(p.count(0)-1, 0)
	t.col = col
}

// cup moves to a position: CUP, ECMA-48 8.3.21; HVP, 8.3.63.
func (t *Terminal) cup(p *params) { t.address(p.count(0)-1, p.count(1)-1) }

// cr is CR, ECMA-48 8.3.15.
func (t *Terminal) cr() {
	t.col = t.leftLimit()
	t.wrap = false
}

// A savedCursor is the state that DECSC saves (DEC STD 070, "Save Cursor").
type savedCursor struct {
	cursor
	origin bool
	set    bool // false before the first DECSC or DECSTR; DECRQM reports it as the state of mode 1048
}

// savedSlot returns the saved cursor of the current screen.
func (t *Terminal) savedSlot() *savedCursor { return &t.saved[t.screenIndex()] }

// screenIndex returns 1 for the alternate screen and 0 for the main screen.
func (t *Terminal) screenIndex() int {
	if t.scr == t.alt {
		return 1
	}
	return 0
}

// saveCursor is DECSC (VT510 manual) and SCOSC.
func (t *Terminal) saveCursor() {
	*t.savedSlot() = savedCursor{
		cursor: t.cursor, origin: t.modes.has(modeOrigin), set: true,
	}
}

// restoreCursor is DECRC (VT510 manual) and SCORC. If no cursor was saved, it moves the
// cursor home and resets the state that DECSC saves.
func (t *Terminal) restoreCursor() {
	s := *t.savedSlot()
	c := s.cursor
	c.charset.single = t.charset.single // as in xterm, a single shift is not saved
	t.cursor = c
	t.modes.set(modeOrigin, s.origin)
	m := t.page() // in origin mode the cursor cannot leave the margins
	t.row = min(max(t.row, m.top), m.bottom)
	t.col = min(max(t.col, m.left), m.right)
	t.wrap = s.wrap && t.col == t.rightLimit()
}
