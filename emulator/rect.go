package emulator

// A rect is a rectangular area of cells, inclusive.
type rect struct{ top, left, bottom, right int }

// area reads Pt;Pl;Pb;Pr from parameter i on (VT510 manual, "Rectangular Area
// Operations"): one-based, from the margins in origin mode, defaults the whole
// page. It reports false for an empty area.
func (t *Terminal) area(p *params, i int) (rect, bool) {
	m := t.page()
	r := rect{
		top:    m.top + p.count(i) - 1,
		left:   m.left + p.count(i+1) - 1,
		bottom: m.bottom,
		right:  m.right,
	}
	if n := p.get(i+2, 0); n > 0 {
		r.bottom = min(m.top+n-1, m.bottom)
	}
	if n := p.get(i+3, 0); n > 0 {
		r.right = min(m.left+n-1, m.right)
	}
	return r, r.top <= r.bottom && r.left <= r.right
}

// decfra fills an area with a character: DECFRA, VT510 manual. As in xterm any
// Unicode character will do, the character sets have no say, and without a
// character nothing happens.
func (t *Terminal) decfra(p *params) {
	ch := rune(p.get(0, 0))
	a, ok := t.area(p, 1)
	if !ok || runeWidth(ch) != 1 {
		return
	}
	if ch == ' ' {
		ch = space
	}
	t.fillRect(a, func(g glyph) glyph { return glyph{ch, t.fillStyle(g.st)} })
}

// fillStyle returns the style that DECFRA and DECERA give a cell: what is
// printed, but as in xterm a pen without colours leaves the cell's own.
func (t *Terminal) fillStyle(old styleID) styleID {
	was, now := t.styles.style(old), t.pen
	if now.FG != 0 || now.BG != 0 || was.FG == 0 && was.BG == 0 {
		return t.ink()
	}
	now.FG, now.BG = was.FG, was.BG
	return t.style(now)
}

// decera erases an area: DECERA, VT510 manual. As in xterm the blanks have the
// style of what is printed, lines included.
func (t *Terminal) decera(p *params) {
	if a, ok := t.area(p, 0); ok {
		t.fillRect(a, func(g glyph) glyph { return glyph{blank, t.fillStyle(g.st)} })
	}
}

// decsera erases an area but for cells that DECSCA protects: DECSERA, VT510
// manual. The cells keep their style.
func (t *Terminal) decsera(p *params) {
	a, ok := t.area(p, 0)
	if !ok {
		return
	}
	t.fillRect(a, func(g glyph) glyph {
		if t.protection == protectDEC && t.protected(g.st) {
			return g
		}
		return glyph{blank, g.st}
	})
}

// fillRect replaces every cell of an area.
func (t *Terminal) fillRect(a rect, f func(glyph) glyph) {
	for r := a.top; r <= a.bottom; r++ {
		t.changeRow(r, a.left, a.right+1, f)
	}
}

// changeRow replaces the cells from lo to before hi of row r.
func (t *Terminal) changeRow(r, lo, hi int, f func(glyph) glyph) {
	t.halve(r, lo)
	t.halve(r, hi)
	c := t.scr.edit(r, lo, hi)
	wide := false
	for i := lo; i < hi; i++ {
		wide = wide || c[i].ch == spacer
		c[i] = f(c[i])
	}
	if wide {
		mend(c)
	}
	t.touch(r)
}

// mend blanks spacers that follow no wide cell any more.
func mend(c []glyph) {
	for i := range c {
		if c[i].ch == spacer && (i == 0 || c[i-1].ch == blank || c[i-1].ch == spacer) {
			c[i].ch = blank
		}
	}
}

// deccra copies an area: DECCRA, VT510 manual. There is one page. As in xterm
// nothing is copied to a place outside it.
func (t *Terminal) deccra(p *params) {
	a, ok := t.area(p, 0)
	if !ok {
		return
	}
	to := params{}
	for i := range 2 {
		to.separate(false)
		to.val[i] = int32(p.get(5+i, 0))
	}
	to.n = 2
	d, ok := t.area(&to, 0)
	if !ok {
		return
	}
	rows := min(a.bottom-a.top, d.bottom-d.top) + 1
	cols := min(a.right-a.left, d.right-d.left) + 1
	copied := make([][]glyph, rows)
	for i := range copied {
		copied[i] = append([]glyph(nil), t.scr.cells(a.top + i)[a.left:a.left+cols]...)
		if copied[i][0].ch == spacer {
			copied[i][0].ch = blank
		}
		if end := a.left + cols; end < t.size.Cols && t.scr.cells(a.top + i)[end].ch == spacer {
			copied[i][cols-1].ch = blank
		}
	}
	for i, row := range copied {
		r := d.top + i
		t.halve(r, d.left)
		t.halve(r, d.left+cols)
		c := t.scr.edit(r, d.left, d.left+cols)
		copy(c[d.left:], row)
		t.touch(r)
	}
}

// decsace chooses what DECCARA and DECRARA change: DECSACE, VT510 manual. As in
// xterm the parameter must be there.
func (t *Terminal) decsace(p *params) { t.extent = p.get(0, t.extent) }

// deccara and decrara change and reverse attributes in an area: VT510 manual.
func (t *Terminal) deccara(p *params) { t.changeAttrs(p, false) }
func (t *Terminal) decrara(p *params) { t.changeAttrs(p, true) }

func (t *Terminal) changeAttrs(p *params, reverse bool) {
	a, ok := t.area(p, 0)
	if !ok { // also a stream that begins right of its end, as in xterm
		return
	}
	var last, became styleID // neighbours mostly share their style
	known := false
	change := func(g glyph) glyph {
		if !known || g.st != last {
			pen := t.styles.style(g.st)
			for i := 4; i < p.n; i++ {
				pen.change(p.get(i, paramUnset), reverse) // as in xterm none is no 0
			}
			last, became, known = g.st, t.style(pen), true
		}
		g.st = became
		return g
	}
	m := t.page()
	rectangle := t.extent == 2
	for r := a.top; r <= a.bottom; r++ {
		lo, hi := m.left, m.right+1
		if rectangle || r == a.top {
			lo = a.left
		}
		if rectangle || r == a.bottom {
			hi = a.right + 1
		}
		if lo < hi {
			t.restyle(r, lo, hi, change)
		}
	}
}

// restyle changes the styles of the cells from lo to before hi of row r. Both
// halves of a wide cell go with its left one.
func (t *Terminal) restyle(r, lo, hi int, f func(glyph) glyph) {
	c := t.scr.edit(r, lo, min(hi+1, t.size.Cols))
	if hi < len(c) && c[hi].ch == spacer {
		hi++
	}
	if c[lo].ch == spacer {
		lo++
	}
	for i := lo; i < hi; i++ {
		c[i] = f(c[i])
	}
	t.touch(r)
}

// change applies one attribute of DECCARA, or reverses it for DECRARA.
func (p *Style) change(v int, reverse bool) {
	if !reverse {
		switch v {
		case 0: // these and no more: colours stay
			p.Attrs &^= Bold | Blink | Reverse | Hidden
			p.Underline = UnderlineNone
		case 1, 4, 5, 7, 8, 22, 24, 25, 27, 28:
			p.attr(v)
		}
		return
	}
	flip := map[int]Attrs{1: Bold, 5: Blink, 7: Reverse, 8: Hidden}
	p.Attrs ^= flip[v] // 0 reverses nothing in xterm
	if v == 4 {
		if p.Underline == UnderlineNone {
			p.Underline = UnderlineSingle
		} else {
			p.Underline = UnderlineNone
		}
	}
}
