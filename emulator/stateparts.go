package emulator

// Each transfer method encodes its receiver to c, or decodes it from c if c.reading is
// set. They are for the types that have fields which are not part of the state.
func (n *interner[V]) transfer(c *codec) {
	c.values(&n.values, &n.free)
	if !c.reading {
		return
	}
	unused := make([]bool, len(n.values))
	for _, id := range n.free {
		if id < 0 || id >= len(unused) {
			c.bad = true
			return
		}
		unused[id] = true
	}
	n.ids = make(map[V]int, len(n.values))
	for id, v := range n.values {
		if !unused[id] {
			n.ids[v] = id
		}
	}
}

func (s *styles) transfer(c *codec) {
	s.interner.transfer(c)
	if c.reading {
		s.forget()
	}
}

// transfer encodes or decodes a screen. Decoded rows become buffered changes, which are
// written to the cellStore with the next flush.
func (s *screen) transfer(c *codec, k *packer) {
	s.flush()
	for r, rw := range s.rows {
		var p packed
		if !c.reading {
			cells := s.take()
			s.store.read(r, cells)
			p = k.pack(cells[:used(cells)])
			s.free = append(s.free, cells)
		}
		c.values(&p, &rw.wrapped, &rw.id, &rw.rev)
		if c.reading {
			if c.bad || p.cells > s.size.Cols || !p.consistent() {
				c.bad = true
				return
			}
			rw.cells = p.unpack(make([]glyph, 0, s.size.Cols))
			n := len(rw.cells)
			rw.cells = rw.cells[:s.size.Cols]
			fill(rw.cells[n:], glyph{ch: blank})
			rw.lo, rw.hi, rw.end = 0, s.size.Cols, s.size.Cols
		}
	}
}

// consistent reports whether text and runs both have p.cells cells.
func (p *packed) consistent() bool {
	n := 0
	for i := 0; i < len(p.text); n++ {
		_, size := decodePacked(p.text[i:])
		i += size
	}
	inRuns := p.cells
	if p.runs != nil {
		inRuns = 0
		for _, r := range p.runs {
			inRuns += int(r.n)
		}
	}
	return n == p.cells && inRuns == p.cells
}

func (h *scrollback) transfer(c *codec) {
	n := c.size(h.lines.n)
	if c.reading {
		h.lines = ring[scrollbackLine]{}
	}
	for i := 0; i < n && !c.bad; i++ {
		if c.reading {
			h.lines.push(scrollbackLine{})
		}
		h.lines.at(i).transfer(c)
	}
	c.values(&h.cols, &h.rows, &h.bytes, &h.text, &h.dropped, &h.tail)
}

func (l *scrollbackLine) transfer(c *codec) {
	c.values(l)
	c.bad = c.bad || c.reading && !l.consistent()
}
