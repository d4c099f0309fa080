package emulator

// area reads Pt;Pl;Pb;Pr from parameter i onwards (VT510 manual, "Rectangular Area
// Operations"). It reports false for an empty area.
func (t *Terminal) area(p *params, i int) (rect, bool) {
	return t.rect(p.count(i), p.count(i+1), p.get(i+2, 0), p.get(i+3, 0))
}

// rect returns the area with the given coordinates. They are one-based and, in origin mode, relative
// to the margins. A bottom or right of 0 stands for the bottom or right of the page (see page).
func (t *Terminal) rect(top, left, bottom, right int) (rect, bool) {
	m := t.page()
	r := rect{top: m.top + top - 1, left: m.left + left - 1, bottom: m.bottom, right: m.right}
	if bottom > 0 {
		r.bottom = min(m.top+bottom-1, m.bottom)
	}
	if right > 0 {
		r.right = min(m.left+right-1, m.right)
	}
	return r, r.top <= r.bottom && r.left <= r.right
}

// decfra fills an area with a character: DECFRA, VT510 manual. As in xterm, any Unicode
// character of width 1 is accepted, character sets are ignored, and a missing character
// makes DECFRA do nothing.
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

// fillStyle returns the style that DECFRA and DECERA give a cell. It is the pen, except
// that, as in xterm, a pen with default colours keeps the cell's colours.
func (t *Terminal) fillStyle(old styleID) styleID {
	cell, pen := t.styles.style(old).withoutTile(), t.pen
	if pen.FG != 0 || pen.BG != 0 || cell.FG == 0 && cell.BG == 0 {
		return t.penStyle()
	}
	pen.FG, pen.BG = cell.FG, cell.BG
	return t.internStyle(pen)
}

// decera erases an area: DECERA, VT510 manual. As in xterm, erased cells take the style
// of the pen, including underline and strikethrough.
func (t *Terminal) decera(p *params) {
	if a, ok := t.area(p, 0); ok {
		t.fillRect(a, func(g glyph) glyph { return glyph{blank, t.fillStyle(g.st)} })
	}
}

// decsera erases the cells of an area, except those that DECSCA protects: DECSERA, VT510 manual.
// After SPA, it erases all cells. Erased cells keep their style.
func (t *Terminal) decsera(p *params) {
	a, ok := t.area(p, 0)
	if !ok {
		return
	}
	t.fillRect(a, func(g glyph) glyph {
		if t.protection == protectDEC && t.protected(g.st) {
			return g
		}
		return glyph{blank, t.internStyle(t.styles.style(g.st).withoutTile())}
	})
}

// fillRect sets each cell g of an area to f(g).
func (t *Terminal) fillRect(a rect, f func(glyph) glyph) {
	for r := a.top; r <= a.bottom; r++ {
		c := t.editCells(r, a.left, a.right+1)
		for i, g := range c {
			c[i] = f(g)
		}
	}
}

// editCells returns cells [lo, hi) of row r, which the caller changes. It blanks wide cells that
// are only partly in the range.
func (t *Terminal) editCells(r, lo, hi int) []glyph {
	t.splitWide(r, lo)
	t.splitWide(r, hi)
	t.touch(r)
	return t.scr.edit(r, hi)[lo:hi]
}

// deccra copies an area: DECCRA, VT510 manual. Page parameters are ignored, because there is
// only one page. As in xterm, cells that would be outside the page are not copied.
func (t *Terminal) deccra(p *params) {
	a, ok := t.area(p, 0)
	if !ok {
		return
	}
	d, ok := t.rect(p.count(5), p.count(6), 0, 0)
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
		copy(t.editCells(d.top+i, d.left, d.left+cols), row)
	}
}

// decsace selects the cells that DECCARA and DECRARA change: DECSACE, VT510 manual. As in
// xterm, a missing parameter leaves the setting unchanged.
func (t *Terminal) decsace(p *params) { t.extent = p.get(0, t.extent) }

// changeAttrs changes the attributes of an area (DECCARA), or reverses them (DECRARA): VT510
// manual.
func (t *Terminal) changeAttrs(p *params, reverse bool) {
	a, ok := t.area(p, 0)
	// As in xterm, the area is also empty if a stream (DECSACE 1) has its left column to
	// the right of its right column, even if it spans several rows.
	if !ok {
		return
	}
	change := func(g glyph) glyph {
		style := t.styles.style(g.st)
		for i := 4; i < p.n; i++ {
			style.changeAttr(p.get(i, paramUnset), reverse) // as in xterm, a missing parameter is ignored, not read as 0
		}
		return glyph{g.ch, t.internStyle(style)}
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

// restyle replaces each cell g of columns [lo, hi) of row r with f(g), which may change only the
// style. A wide cell is changed if its left half is in the range.
func (t *Terminal) restyle(r, lo, hi int, f func(glyph) glyph) {
	c := t.scr.edit(r, min(hi+1, t.size.Cols))
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

// changeAttr applies parameter v of DECCARA, or of DECRARA if reverse is set.
func (p *Style) changeAttr(v int, reverse bool) {
	if !reverse {
		switch v {
		case 0: // clears only these attributes; colours are kept
			p.Attrs &^= Bold | Blink | Reverse | Hidden
			p.Underline = UnderlineNone
		case 1, 4, 5, 7, 8, 22, 24, 25, 27, 28:
			p.applySimpleSGR(v)
		}
		return
	}
	flip := map[int]Attrs{1: Bold, 5: Blink, 7: Reverse, 8: Hidden}
	p.Attrs ^= flip[v] // as in xterm, 0 reverses nothing
	if v == 4 {
		if p.Underline == UnderlineNone {
			p.Underline = UnderlineSingle
		} else {
			p.Underline = UnderlineNone
		}
	}
}
