package emulator

// gcPause is how often a full table is endured between two collections, so
// that a screen which really needs more handles than there are does not walk
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
	ids[0], ids[t.st], ids[t.erase] = true, true, true
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

// setPen makes p the pen for what is printed next. It is interned when
// something is printed: most programs set several attributes before that.
func (t *Terminal) setPen(p Style) {
	if p != t.pen {
		t.fresh = true
		t.rubFresh = t.rubFresh || p.BG != t.pen.BG
		t.pen = p
	}
}

// ink returns the interned pen.
func (t *Terminal) ink() styleID {
	if t.fresh {
		t.fresh = false
		t.st = t.style(t.pen)
	}
	return t.st
}

// rubber returns the interned style of erased cells.
func (t *Terminal) rubber() styleID {
	if t.rubFresh {
		t.rubFresh = false
		t.erase = t.style(t.pen.erased())
	}
	return t.erase
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
