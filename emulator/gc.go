package emulator

// maxGCSkips is how many calls of collectGarbage do nothing after each call that collects.
// Otherwise, a screen that needs more handles than exist would cost a scan of all cells for every
// new text or style.
const maxGCSkips = 10000

// collectGarbage frees the handles of texts and styles that are not in use. It scans every cell of
// the screens and the scrollback, so it runs only when a table is full, or to make room for an image.
func (t *Terminal) collectGarbage() {
	if t.gcSkips > 0 {
		t.gcSkips--
		return
	}
	t.gcSkips = maxGCSkips
	texts, ids := make([]bool, len(t.clusters.values)), make([]bool, len(t.styles.values))
	ids[0] = true
	mark := func(c []glyph) {
		for _, g := range c {
			if g.ch >= firstHandle {
				texts[g.ch-firstHandle] = true
			}
			ids[g.st] = true
		}
	}
	for _, s := range t.screens() {
		for r := range s.rows {
			mark(s.cells(r))
		}
	}
	var buf []glyph
	for i := range t.history.lines.n {
		buf = t.history.lines.at(i).unpack(buf[:0])
		mark(buf)
	}
	t.clusters.sweep(texts)
	keep := []Style{t.pen, t.saved[0].pen, t.saved[1].pen}
	for _, s := range t.sgrStack {
		keep = append(keep, s.pen)
	}
	t.styles.sweep(ids, keep...)
}

// penStyle returns the style of printed cells.
func (t *Terminal) penStyle() styleID { return t.internStyle(t.pen) }

// eraseStyle returns the style of erased cells.
func (t *Terminal) eraseStyle() styleID {
	if t.pen.BG == 0 {
		return 0
	}
	return t.internStyle(t.pen.backgroundOnly())
}

// internStyle interns p. It collects garbage if the table is full. If the table stays full, it
// returns the ID of the default rendition.
func (t *Terminal) internStyle(p Style) styleID {
	id, ok := t.styles.id(p)
	if !ok {
		t.collectGarbage()
		id, _ = t.styles.id(p)
	}
	return id
}
