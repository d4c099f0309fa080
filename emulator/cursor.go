package emulator

// margins are the scrolling region of DECSTBM and DECSLRM, inclusive.
type margins struct{ top, bottom, left, right int }

func fullMargins(s Size) margins {
	return margins{bottom: s.Rows - 1, right: s.Cols - 1}
}

// fullWidth reports whether the region is the whole width of the grid.
func (t *Terminal) fullWidth() bool {
	return t.margins.left == 0 && t.margins.right == t.size.Cols-1
}

// inMargins reports whether the cursor is inside the scrolling region.
func (t *Terminal) inMargins() bool {
	m := t.margins
	return t.row >= m.top && t.row <= m.bottom && t.col >= m.left && t.col <= m.right
}

// goTo moves the cursor to a place of the grid, clamped.
func (t *Terminal) goTo(row, col int) {
	t.row = min(max(row, 0), t.size.Rows-1)
	t.col = min(max(col, 0), t.size.Cols-1)
	t.wrap = false
}

// address moves the cursor to a place given from the top left of the grid, or
// of the scrolling region in origin mode (DECOM).
func (t *Terminal) address(row, col int) {
	m := t.page()
	t.goTo(min(m.top+row, m.bottom), min(m.left+col, m.right))
	t.addressed()
}

// cuu moves up, CUU, ECMA-48 8.3.22, stopping at the top margin.
func (t *Terminal) cuu(p *params) { t.up(p.count(0)) }

func (t *Terminal) up(n int) {
	limit := 0
	if t.row >= t.margins.top {
		limit = t.margins.top
	}
	t.goTo(max(t.row-n, limit), t.col)
}

// cud moves down, CUD, ECMA-48 8.3.19, stopping at the bottom margin.
func (t *Terminal) cud(p *params) { t.down(p.count(0)) }

func (t *Terminal) down(n int) {
	limit := t.size.Rows - 1
	if t.row <= t.margins.bottom {
		limit = t.margins.bottom
	}
	t.goTo(min(t.row+n, limit), t.col)
}

// cuf moves right, CUF, ECMA-48 8.3.20, stopping at the right margin.
func (t *Terminal) cuf(p *params) { t.goTo(t.row, min(t.col+p.count(0), t.rightLimit())) }

// cub moves left, CUB, ECMA-48 8.3.18, stopping at the left margin; with
// reverse wraparound it goes on at the end of the row above.
func (t *Terminal) cub(p *params) { t.back(p.count(0)) }

func (t *Terminal) back(n int) {
	if !t.reverseWraps() {
		t.goTo(t.row, max(t.col-n, t.leftLimit()))
		return
	}
	if t.wrap {
		t.wrap = false // the cursor was past the last column: that is the first step
		n--
	}
	for n > 0 {
		left := t.leftLimit()
		if step := t.col - left; n <= step {
			t.goTo(t.row, t.col-n)
			return
		} else if n -= step + 1; !t.backRow() {
			t.goTo(t.row, left)
			return
		}
	}
}

// reverseWraps reports whether BS and CUB cross the left edge (?45 with DECAWM,
// xterm ctlseqs "Reverse-wraparound").
func (t *Terminal) reverseWraps() bool {
	return t.modes.has(modeAutoWrap) && (t.modes.has(modeReverseWrap) || t.modes.has(modeExtReverseWrap))
}

// backRow moves to the end of the row above: in ?45 only when that row wrapped
// into this one, in ?1045 always, around the top margin to the bottom.
func (t *Terminal) backRow() bool {
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

// cnl and cpl: ECMA-48 8.3.12 and 8.3.13.
func (t *Terminal) cnl(p *params) { t.down(p.count(0)); t.col = t.leftLimit() }
func (t *Terminal) cpl(p *params) { t.up(p.count(0)); t.col = t.leftLimit() }

// cha moves to a column: CHA, ECMA-48 8.3.9; HPA, 8.3.57.
func (t *Terminal) cha(p *params) {
	m := t.page()
	t.goTo(t.row, min(m.left+p.count(0)-1, m.right))
}

// hpr and vpr: ECMA-48 8.3.59 and 8.3.160. Unlike CUF and CUD they know the
// margins in origin mode alone.
func (t *Terminal) hpr(p *params) { t.goTo(t.row, min(t.col+p.count(0), t.page().right)) }
func (t *Terminal) vpr(p *params) { t.goTo(min(t.row+p.count(0), t.page().bottom), t.col) }

// page returns what can be addressed: the grid, or the scrolling region in origin
// mode.
func (t *Terminal) page() margins {
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

// cup moves to a place: CUP, ECMA-48 8.3.21; HVP, 8.3.63.
func (t *Terminal) cup(p *params) { t.address(p.count(0)-1, p.count(1)-1) }

// cr is CR, ECMA-48 8.3.15.
func (t *Terminal) cr() {
	t.col = t.leftLimit()
	t.wrap = false
}

// A savedCursor is what DECSC keeps (DEC STD 070, "Save Cursor").
type savedCursor struct {
	cursor
	origin bool
	set    bool
}

func (t *Terminal) savedSlot() *savedCursor {
	if t.scr == t.alt {
		return &t.saved[1]
	}
	return &t.saved[0]
}

// saveCursor is DECSC (VT510 manual) and SCOSC.
func (t *Terminal) saveCursor() {
	*t.savedSlot() = savedCursor{
		cursor: t.cursor, origin: t.modes.has(modeOrigin), set: true,
	}
}

// restoreCursor is DECRC (VT510 manual) and SCORC. With nothing saved it homes
// and resets what DECSC would have kept.
func (t *Terminal) restoreCursor() {
	s := *t.savedSlot()
	c := s.cursor
	c.charset.single = t.charset.single // xterm saves no single shift
	t.cursor = c
	t.modes.set(modeOrigin, s.origin)
	m := t.page() // in origin mode the cursor cannot leave the margins
	t.row = min(max(t.row, m.top), m.bottom)
	t.col = min(max(t.col, m.left), m.right)
	t.wrap = s.wrap && t.col == t.rightLimit()
}
