package emulator

// index moves down one row, scrolling at the bottom margin: IND, ECMA-48
// (1986) 8.2.4. A soft index is a wrap of the text, not a line feed.
func (t *Terminal) index(soft bool) {
	t.wrap = false
	switch {
	case t.row == t.margins.bottom:
		if !t.inColumns() {
			return
		}
		n := t.leaving(true)
		t.scrollUp(1)
		t.arrived(n, soft, true)
	case t.row < t.size.Rows-1:
		n := t.leaving(false)
		t.row++
		t.arrived(n, soft, false)
	}
}

// lf is LF, VT and FF, ECMA-48 8.3.74; with LNM it returns the carriage too.
func (t *Terminal) lf() {
	if t.modes.has(modeNewLine) {
		t.cr()
	}
	t.index(false)
}

// ind, nel and ri: ECMA-48 (1986) 8.2.4, ECMA-48 8.3.86, 8.3.104.
func (t *Terminal) ind() { t.index(false) }
func (t *Terminal) nel() { t.index(false); t.cr() }

func (t *Terminal) ri() {
	t.wrap = false
	switch {
	case t.row == t.margins.top:
		if t.inColumns() {
			t.shiftRows(t.margins.top, t.margins.bottom, -1)
		}
	case t.row > 0:
		t.row--
	}
}

// su scrolls up: SU, ECMA-48 8.3.147. Rows leave into the scrollback, as in
// xterm.
func (t *Terminal) su(p *params) {
	t.scrollUp(p.count(0))
}

// sd scrolls down: SD, ECMA-48 8.3.113. With five parameters it is xterm's
// highlight mouse tracking, which is not supported.
func (t *Terminal) sd(p *params) {
	if p.n > 1 {
		t.unknown()
		return
	}
	t.shiftRows(t.margins.top, t.margins.bottom, -p.count(0))
}

// scrollUp moves the region up; rows that leave the top of the main screen
// enter the scrollback.
func (t *Terminal) scrollUp(n int) {
	m := t.margins
	if !t.fullWidth() {
		t.shiftBlock(m.top, m.bottom, n)
		return
	}
	n = min(n, m.bottom-m.top+1)
	if t.scr == t.main {
		for r := m.top; r < m.top+n; r++ {
			t.leave(r, m.top == 0)
		}
		t.stream.low = max(-1, t.stream.low-n)
	}
	t.part(m.top, m.bottom)
	t.scr.scroll(m.top, m.bottom, n, t.rubber())
	t.renew(m.bottom-n+1, m.bottom)
	t.stir(m.top, m.bottom)
}

// shiftRows moves rows top to bottom up by n, or down by -n, without touching
// the scrollback. The transcript's numbers stay with the places: what moves
// counts as lines rewritten.
func (t *Terminal) shiftRows(top, bottom, n int) {
	if !t.fullWidth() {
		t.shiftBlock(top, bottom, n)
		return
	}
	if top == 0 && t.scr == t.main {
		t.history.end()
	}
	for r := top; r <= bottom; r++ {
		t.paintOver(r)
	}
	n = max(top-bottom-1, min(n, bottom-top+1))
	lines := t.numbers(top, bottom)
	t.part(top, bottom)
	t.scr.scroll(top, bottom, n, t.rubber())
	for r := top; r <= bottom; r++ {
		t.scr.rows[r].line = noLine
	}
	t.renumber(top, bottom, lines)
	t.scr.rows[bottom].wrapped = false
	for r := top; r <= bottom; r++ {
		t.touch(r)
	}
	t.stir(top, bottom)
}

// part ends soft wraps into and out of the rows from top to bottom, which are
// about to move. What leaves the screen's first row goes on in the next.
func (t *Terminal) part(top, bottom int) {
	if top > 0 {
		t.scr.rows[top-1].wrapped = false
	}
	if bottom < t.size.Rows-1 {
		t.scr.rows[bottom].wrapped = false
	}
}

// renew marks rows as fresh: they hold nothing and have no number.
func (t *Terminal) renew(from, to int) {
	for r := from; r <= to; r++ {
		rw := t.touch(r)
		rw.line = noLine
		rw.wrapped = false
	}
}

// stir records that the places from top to bottom show other rows than before,
// although the rows themselves may be the same.
func (t *Terminal) stir(top, bottom int) {
	if !t.stirred {
		t.stirTop, t.stirBottom = top, bottom
	}
	t.stirred, t.changed = true, true
	t.stirTop, t.stirBottom = min(t.stirTop, top), max(t.stirBottom, bottom)
}

// shiftBlock is shiftRows between the left and right margins.
func (t *Terminal) shiftBlock(top, bottom, n int) {
	n = max(top-bottom-1, min(n, bottom-top+1))
	lo, hi := t.margins.left, t.margins.right+1
	at := func(i int) int { return top + i }
	if n < 0 {
		at = func(i int) int { return bottom - i }
	}
	for i := 0; i <= bottom-top; i++ {
		r := at(i)
		t.paintOver(r)
		t.halve(r, lo)
		t.halve(r, hi)
		c := t.scr.edit(r, lo, hi)
		from := r + n
		if from < top || from > bottom {
			fill(c[lo:hi], glyph{blank, t.rubber()})
		} else {
			t.halve(from, lo)
			t.halve(from, hi)
			copy(c[lo:hi], t.scr.cells(from)[lo:hi])
		}
		t.touch(r).wrapped = false
	}
}

// halve is splitAt for rows that are moved: as in xterm what was a wide cell
// keeps its style.
func (t *Terminal) halve(r, col int) {
	if c := t.scr.cells(r); col > 0 && col < len(c) && c[col].ch == spacer {
		c = t.scr.edit(r, col-1, col+1)
		c[col-1].ch, c[col].ch = blank, blank
		t.touch(r)
	}
}
