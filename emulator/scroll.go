package emulator

// index moves down one row, scrolling at the bottom margin: IND, ECMA-48
// (1986) 8.2.4.
func (t *Terminal) index() {
	t.wrap = false
	switch {
	case t.row == t.margins.bottom:
		if !t.inColumns() {
			return
		}
		if t.scr == t.main {
			t.scrolls()
		}
		t.scrollUp(1)
	case t.row < t.size.Rows-1:
		t.row++
	}
}

// lf is LF, VT and FF, ECMA-48 8.3.74; with LNM it returns the carriage too.
func (t *Terminal) lf() {
	if t.modes.has(modeNewLine) {
		t.cr()
	}
	t.index()
}

// ind, nel and ri: ECMA-48 (1986) 8.2.4, ECMA-48 8.3.86, 8.3.104.
func (t *Terminal) ind() { t.index() }
func (t *Terminal) nel() { t.index(); t.cr() }

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

// sd scrolls down: SD, ECMA-48 8.3.113. With five parameters, or a 0 that is
// written, it is xterm's highlight mouse tracking, which is not supported.
func (t *Terminal) sd(p *params) {
	if p.n > 1 || p.get(0, 1) == 0 {
		t.unknown()
		return
	}
	t.sd1991(p)
}

// sd1991 is SD with the final that ECMA-48 (1991) printed by mistake.
func (t *Terminal) sd1991(p *params) {
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
		t.scrollOff(n)
	}
	t.part(m.top, m.bottom)
	t.scr.scroll(m.top, m.bottom, n, t.rubber())
	t.renew(m.bottom-n+1, m.bottom)
	t.stir(m.top, m.bottom)
}

// scrollOff lets the first n rows of the region leave the main screen. Of a region
// below the first row, only their text is kept, in front of what stays.
func (t *Terminal) scrollOff(n int) {
	top := t.margins.top
	for r := top; r < top+n; r++ {
		rw, c := t.main.rows[r], t.main.cells(r)[:t.main.joinLen(r)]
		switch {
		case top == 0:
			t.past(c, rw.wrapped, rw.id, rw.rev)
		case !t.blankRow(r) && !t.repaint.on:
			t.endPast()
			t.history.add(pastLine{packed: t.packer.pack(c), number: t.base, id: rw.id, rev: rw.rev, hidden: true})
			t.base++
		}
	}
}

// shiftRows moves rows top to bottom up by n, or down by -n, without touching
// the scrollback.
func (t *Terminal) shiftRows(top, bottom, n int) {
	if !t.fullWidth() {
		t.shiftBlock(top, bottom, n)
		return
	}
	if top == 0 && t.scr == t.main {
		t.endPast()
	}
	n = max(top-bottom-1, min(n, bottom-top+1))
	t.part(top, bottom)
	t.scr.scroll(top, bottom, n, t.rubber())
	if t.scr == t.main && n > 0 {
		t.rename(bottom-n+1, bottom)
	} else if t.scr == t.main {
		t.rename(top, top-n-1)
	}
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

// renew marks rows as fresh: they hold nothing and begin new lines.
func (t *Terminal) renew(from, to int) {
	for r := from; r <= to; r++ {
		rw := t.touch(r)
		rw.id = t.newID()
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

// halve is split for rows that are moved: as in xterm what was a wide cell
// keeps its style.
func (t *Terminal) halve(r, col int) {
	if c := t.scr.cells(r); col > 0 && col < len(c) && c[col].ch == spacer {
		c = t.scr.edit(r, col-1, col+1)
		c[col-1].ch, c[col].ch = blank, blank
		t.touch(r)
	}
}
