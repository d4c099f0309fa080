package emulator

// A row is one row of a screen. Its cells are in the screen's cellStore or, from the first
// use of the row until the next flush, in cells.
type row struct {
	cells   []glyph // nil if they are only in the cellStore
	changed bool    // cells may differ from the cellStore
	end     int     // if cells is not nil, cells[end:] are blank in the default style
	wrapped bool    // the text continues in the next row
	id      uint64  // ID of the line that begins here; main screen only
	rev     uint64  // the Terminal's revision after the last change of the row
	shown   []Cell  // the row in the last Snapshot; nil if there is none, or touch has been called since
}

// A screen is a grid of glyphs. Changed rows are buffered. Before the whole screen is read, flush
// writes them to the cellStore. Rows that scroll away before the next flush are never written.
type screen struct {
	size  Size
	store *cellStore
	rows  []*row
	free  [][]glyph // cell slices for reuse
	// A scroll that the cellStore has not done yet: the rows from top through bottom move up by n.
	// n is 0 if there is none.
	top, bottom, n int
}

func newScreen(s Size) *screen {
	// DECAWM is off in the cellStore, because Terminal does the wrapping.
	scr := &screen{size: s, store: &cellStore{size: s, out: []byte("\x1b[?7l")}, rows: make([]*row, s.Rows)}
	rows := make([]row, s.Rows)
	for i := range scr.rows {
		scr.rows[i] = &rows[i]
	}
	return scr
}

// cells returns the glyphs of row r. A caller that changes them must also call edit.
func (s *screen) cells(r int) []glyph {
	rw := s.rows[r]
	if rw.cells == nil {
		s.flushScroll()
		rw.cells = s.newCells()
		rw.changed, rw.end = false, s.size.Cols
		s.store.read(r, rw.cells)
	}
	return rw.cells
}

// edit returns the glyphs of row r. The caller may change the columns before hi.
func (s *screen) edit(r, hi int) []glyph {
	rw := s.rows[r]
	c := rw.cells
	if c == nil {
		c = s.cells(r)
	}
	rw.changed, rw.end = true, max(rw.end, hi)
	return c
}

// newCells returns a slice for the cells of a row. Its contents are undefined.
func (s *screen) newCells() []glyph {
	if n := len(s.free); n > 0 {
		c := s.free[n-1]
		s.free = s.free[:n-1]
		return c
	}
	return make([]glyph, s.size.Cols)
}

// clear makes row r blank in style st without reading it.
func (s *screen) clear(r int, st styleID) {
	rw := s.rows[r]
	if rw.cells == nil {
		rw.cells = s.newCells()
		rw.end = s.size.Cols
	}
	if st == 0 {
		fill(rw.cells[:rw.end], glyph{ch: blank})
		rw.end = 0
	} else {
		fill(rw.cells, glyph{blank, st})
		rw.end = s.size.Cols
	}
	rw.changed, rw.wrapped = true, false
}

// renew clears row r and returns its cells, all of which the caller may change.
func (s *screen) renew(r int) []glyph {
	s.clear(r, 0)
	s.rows[r].end = s.size.Cols
	return s.rows[r].cells
}

// usedCells returns the glyphs of row r without trailing erased cells in the default style.
func (s *screen) usedCells(r int) []glyph {
	if s.rows[r].cells == nil && !s.store.written {
		return nil // the row is only in the cellStore, where all cells are still blank
	}
	c := s.cells(r)[:s.rows[r].end]
	return c[:usedLen(c)]
}

func fill(c []glyph, g glyph) {
	for i := range c {
		c[i] = g
	}
}

// scroll scrolls rows top to bottom (inclusive) up by n rows, or down if n is negative.
// The vacated rows are cleared in style st.
func (s *screen) scroll(top, bottom, n int, st styleID) {
	height := bottom - top + 1
	n = max(-height, min(n, height))
	if n == 0 {
		return
	}
	if s.n != 0 && (s.top != top || s.bottom != bottom || (s.n > 0) != (n > 0)) {
		s.flushScroll()
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

// rotate rotates rows up by n, or down if n is negative.
func rotate(rows []*row, n int) {
	h := len(rows)
	if n == 1 {
		first := rows[0]
		copy(rows, rows[1:])
		rows[h-1] = first
		return
	}
	n = ((n % h) + h) % h
	rotated := append(append(make([]*row, 0, h), rows[n:]...), rows[:n]...)
	copy(rows, rotated)
}

// flushScroll passes the buffered scroll to the cellStore.
func (s *screen) flushScroll() {
	if s.n == 0 {
		return
	}
	s.store.scroll(s.top, s.bottom, s.n)
	s.n = 0
}

// flush writes all changes to the cellStore and frees the rows' cells.
func (s *screen) flush() {
	s.flushScroll()
	for i, rw := range s.rows {
		if rw.cells == nil {
			continue
		}
		if rw.changed {
			s.store.update(i, rw.cells)
		}
		s.free = append(s.free, rw.cells)
		rw.cells = nil
	}
	s.store.flush()
}

// hasText reports whether any cell of c holds a character.
func hasText(c []glyph) bool {
	for _, g := range c {
		if g.ch != blank {
			return true
		}
	}
	return false
}

// usedLen returns the length of a row without trailing erased cells in the default style.
func usedLen(c []glyph) int {
	n := len(c)
	for n > 0 && c[n-1] == (glyph{ch: blank}) {
		n--
	}
	return n
}
