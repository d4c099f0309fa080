package emulator

// A row is one row of a screen. Its cells are in vt10x; while they are being
// changed they are here as well, and lo:hi is what vt10x does not have yet.
type row struct {
	cells   []glyph // nil: only vt10x has them
	lo, hi  int     // changed cells, empty when lo >= hi
	full    int     // cells from here on are erased in the default style
	wrapped bool    // the text goes on in the next row
	id      uint64  // of the line that begins here; main screen only
	rev     uint64
	shown   []Cell // what Snapshot last gave for this row, nil once it changed
}

// A screen is a grid of glyphs: vt10x as its memory, and in front of it the
// rows that were changed since somebody last looked. Rows that scroll away
// before anybody looks never reach vt10x.
type screen struct {
	size Size
	mem  *memory
	rows []*row
	free [][]glyph // cell slices to use again
	// A scroll that vt10x has not been told of yet; n is 0 for none.
	top, bottom, n int
}

func newScreen(s Size) *screen {
	scr := &screen{size: s, mem: newMemory(s), rows: make([]*row, s.Rows)}
	rows := make([]row, s.Rows)
	for i := range scr.rows {
		scr.rows[i] = &rows[i]
	}
	return scr
}

// stock makes room for the cells of all rows, which are about to be drawn.
func (s *screen) stock() {
	all := make([]glyph, s.size.Rows*s.size.Cols)
	for ; len(all) > 0; all = all[s.size.Cols:] {
		s.free = append(s.free, all[:s.size.Cols:s.size.Cols])
	}
}

// cells returns row r's glyphs for reading.
func (s *screen) cells(r int) []glyph {
	rw := s.rows[r]
	if rw.cells == nil {
		s.settle()
		rw.cells = s.take()
		rw.lo, rw.hi, rw.full = s.size.Cols, 0, s.size.Cols
		s.mem.read(r, rw.cells)
	}
	return rw.cells
}

// edit returns row r's glyphs for changing the columns from lo to before hi.
func (s *screen) edit(r, lo, hi int) []glyph {
	rw := s.rows[r]
	c := rw.cells
	if c == nil {
		c = s.cells(r)
	}
	rw.lo, rw.hi, rw.full = min(rw.lo, lo), max(rw.hi, hi), max(rw.full, hi)
	return c
}

// take returns a slice for one row's cells, with anything in it.
func (s *screen) take() []glyph {
	if n := len(s.free); n > 0 {
		c := s.free[n-1]
		s.free = s.free[:n-1]
		return c
	}
	return make([]glyph, s.size.Cols)
}

// clear makes row r blank in style st, whatever it held.
func (s *screen) clear(r int, st styleID) {
	rw := s.rows[r]
	if rw.cells == nil {
		rw.cells = s.take()
		rw.full = s.size.Cols
	}
	if st == 0 {
		fill(rw.cells[:rw.full], glyph{ch: blank})
		rw.full = 0
	} else {
		fill(rw.cells, glyph{blank, st})
		rw.full = s.size.Cols
	}
	rw.lo, rw.hi = 0, s.size.Cols
	rw.wrapped = false
}

// renew clears row r and returns its cells to be filled again.
func (s *screen) renew(r int) []glyph {
	s.clear(r, 0)
	s.rows[r].full = s.size.Cols
	return s.rows[r].cells
}

// untouched reports whether nothing was ever drawn in row r, so that a look at it needs
// no cells.
func (s *screen) untouched(r int) bool { return s.rows[r].cells == nil && !s.mem.laid }

// used returns row r's glyphs without the erased ones of the default style at
// its end.
func (s *screen) used(r int) []glyph {
	if s.untouched(r) {
		return nil
	}
	c := s.cells(r)
	c = c[:s.rows[r].full]
	return c[:used(c)]
}

func fill(c []glyph, g glyph) {
	for i := range c {
		c[i] = g
	}
}

// scroll moves the rows top to bottom (inclusive) up by n, or down by -n. The
// rows that come free are the ones that left, cleared in style st.
func (s *screen) scroll(top, bottom, n int, st styleID) {
	height := bottom - top + 1
	n = max(-height, min(n, height))
	if n == 0 {
		return
	}
	if s.n != 0 && (s.top != top || s.bottom != bottom || (s.n > 0) != (n > 0)) {
		s.settle()
	}
	s.top, s.bottom = top, bottom
	s.n = max(-height, min(s.n+n, height))
	region := s.rows[top : bottom+1]
	rotate(region, n)
	from, to := bottom-n+1, bottom
	if n < 0 {
		from, to = top, top-n-1
	}
	for r := from; r <= to; r++ {
		s.clear(r, st)
	}
}

// rotate moves rows up by n places, or down by -n; those that fall off come in
// at the other end.
func rotate(rows []*row, n int) {
	h := len(rows)
	if n == 1 {
		first := rows[0]
		copy(rows, rows[1:])
		rows[h-1] = first
		return
	}
	n = ((n % h) + h) % h
	moved := append(append(make([]*row, 0, h), rows[n:]...), rows[:n]...)
	copy(rows, moved)
}

// settle tells vt10x of the scroll that is outstanding.
func (s *screen) settle() {
	if s.n == 0 {
		return
	}
	s.mem.scroll(s.top, s.bottom, s.n)
	s.n = 0
}

// lay brings vt10x up to date, and leaves it the only holder of the cells.
func (s *screen) lay() {
	s.settle()
	for i, rw := range s.rows {
		if rw.cells == nil {
			continue
		}
		if rw.lo < rw.hi {
			s.mem.lay(i, rw.cells, rw.lo, rw.hi)
		}
		s.free = append(s.free, rw.cells)
		rw.cells = nil
	}
	s.mem.flush()
}

// hasText reports whether any cell shows more than the background.
func hasText(c []glyph) bool {
	for _, g := range c {
		if g.ch != blank {
			return true
		}
	}
	return false
}

// used returns the length of a row without its trailing erased cells in the
// default style.
func used(c []glyph) int {
	n := len(c)
	for n > 0 && c[n-1] == (glyph{ch: blank}) {
		n--
	}
	return n
}
