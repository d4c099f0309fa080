package emulator

// gcPause is how many times in a row a full table is left full before the next
// collection: a screen that needs more handles than there are must not cost a walk over
// all cells for each of them.
const gcPause = 10000

// collectGarbage frees the handles of texts and styles that no cell has any
// more. It walks every cell kept, so it runs only when a table is full.
func (t *Terminal) collectGarbage() {
	if t.gcHold > 0 {
		t.gcHold--
		return
	}
	t.gcHold = gcPause
	texts, ids := t.clusters.marks(), t.styles.marks()
	ids[0] = true
	for _, p := range []Style{t.pen, t.pen.erased()} {
		if id, ok := t.styles.ids[p]; ok {
			ids[id] = true // about to be written to a cell
		}
	}
	mark := func(c []glyph) {
		for _, g := range c {
			if g.ch >= planeA {
				texts[g.ch-planeA] = true
			}
			ids[g.st] = true
		}
	}
	for _, s := range []*screen{t.main, t.alt} {
		if s == nil {
			continue
		}
		s.settle()
		buf := make([]glyph, s.size.Cols)
		for r, rw := range s.rows {
			if rw.cells != nil {
				mark(rw.cells) // perhaps in somebody's hands just now
				continue
			}
			s.mem.read(r, buf)
			mark(buf)
		}
	}
	t.history.each(mark)
	t.clusters.sweep(texts)
	keep := []Style{t.pen, t.saved[0].pen, t.saved[1].pen}
	for _, s := range t.sgrStack {
		keep = append(keep, s.pen)
	}
	t.styles.sweep(ids, keep...)
}

// ink returns the style of what is printed.
func (t *Terminal) ink() styleID { return t.style(t.pen) }

// rubber returns the style of erased cells.
func (t *Terminal) rubber() styleID {
	if t.pen.BG == 0 {
		return 0
	}
	return t.style(t.pen.erased())
}

// style interns p, making room when the table is full. When even that fails,
// text shows in the default rendition.
func (t *Terminal) style(p Style) styleID {
	id, ok := t.styles.id(p)
	if !ok {
		t.collectGarbage()
		id, _ = t.styles.id(p)
	}
	return id
}
