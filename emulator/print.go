package emulator

import "unicode/utf8"

// printASCII shows a run of printable ASCII.
func (t *Terminal) printASCII(p []byte) {
	if t.modes.has(modeInsert) || t.charset.mapped() {
		for _, b := range p {
			t.printRune(rune(b))
		}
		return
	}
	t.cluster = cluster{}
	t.last = rune(p[len(p)-1])
	for len(p) > 0 {
		t.takeWrap()
		right := t.rightLimit()
		n := min(len(p), right-t.col+1)
		t.putASCII(p[:n])
		t.advance(n, right)
		p = p[n:]
	}
}

// putASCII writes p at the cursor; it fits before the right limit.
func (t *Terminal) putASCII(p []byte) {
	t.drawn(t.row)
	lo, hi := t.col, t.col+len(p)
	c := t.scr.edit(t.row, lo, hi)
	t.split(t.row, c, lo)
	t.split(t.row, c, hi)
	st, changed := t.ink(), false
	dst := c[lo:hi]
	for i, b := range p {
		g := glyph{rune(b), st}
		if b == ' ' {
			g.ch = space
		}
		if dst[i] != g {
			dst[i] = g
			changed = true
		}
	}
	if changed {
		t.touch(t.row)
	}
}

// advance moves the cursor over n cells that were written.
func (t *Terminal) advance(n, right int) {
	t.col += n
	if t.col > right {
		t.col, t.wrap = right, true
	}
}

// takeWrap begins the next row when the last character filled its own. Without
// DECAWM the last column is overwritten; as in xterm the wrap stays pending until
// a character comes, and DECAWM may be set before.
func (t *Terminal) takeWrap() {
	if t.wrap && t.modes.has(modeAutoWrap) {
		t.wrapLine()
	}
	t.wrap = false
}

// rightLimit returns the last column that text may take: the right margin, or
// the screen's edge when the cursor is already beyond it.
func (t *Terminal) rightLimit() int {
	if t.col <= t.margins.right {
		return t.margins.right
	}
	return t.size.Cols - 1
}

// wrapLine begins the next row, as the pending wrap of DECAWM does.
func (t *Terminal) wrapLine() {
	t.wrap = false
	if t.fullWidth() && !t.scr.rows[t.row].wrapped && !t.tiled(t.row) {
		t.touch(t.row).wrapped = true
	}
	t.index() // from beyond the right margin nothing scrolls
	t.col = t.margins.left
}

// leftLimit returns the column that CR and a wrap go to: the left margin, or
// the screen's edge when the cursor is already before it.
func (t *Terminal) leftLimit() int {
	if t.col >= t.margins.left {
		return t.margins.left
	}
	return 0
}

// printRunes shows the characters beyond ASCII at the start of p, as printRune
// would one by one, and returns how many bytes they were. It stops before
// anything but whole characters of width 1 or 2 that are their own handles.
func (t *Terminal) printRunes(p []byte) int {
	done := 0
	for {
		r, n := utf8.DecodeRune(p[done:])
		w := 0
		if n > 1 && r >= c1 && r < tileBase {
			w = runeWidth(r)
		}
		if w == 0 || w > t.rightLimit()-t.margins.left+1 {
			return done
		}
		t.takeWrap()
		k := t.fillRow(p[done:])
		if k == 0 {
			return done // a wide character at the margin: printRune wraps it
		}
		done += k
	}
}

// fillRow writes characters for printRunes up to the right limit.
func (t *Terminal) fillRow(p []byte) int {
	t.cluster = cluster{}
	right := t.rightLimit()
	if r, _ := utf8.DecodeRune(p); t.col+runeWidth(r)-1 > right {
		return 0
	}
	t.drawn(t.row)
	lo := t.col
	c := t.scr.edit(t.row, lo, lo)
	t.split(t.row, c, lo)
	st := t.ink()
	col, done, changed := lo, 0, false
	for done < len(p) {
		r, n := threeBytes(p[done:]), 3
		if r == 0 {
			r, n = utf8.DecodeRune(p[done:])
		}
		w := runeWidth(r)
		if n == 1 || r < c1 || r >= tileBase || w == 0 || col+w-1 > right {
			break
		}
		changed = setCell(c, col, glyph{r, st}) || changed
		if w == 2 {
			changed = setCell(c, col+1, glyph{spacer, st}) || changed
		}
		col += w
		done += n
		t.last = r
	}
	if col < len(c) && c[col].ch == spacer && col > lo {
		c[col], changed = glyph{blank, t.rubber()}, true // its left half was overwritten
	}
	t.scr.edit(t.row, lo, min(col+1, len(c)))
	if changed {
		t.touch(t.row)
	}
	t.advance(col-lo, right)
	return done
}

// setCell sets a cell and reports whether it was another before.
func setCell(c []glyph, col int, g glyph) bool {
	old := c[col]
	c[col] = g
	return old != g
}

// threeBytes is utf8.DecodeRune for most characters of three bytes, as CJK has
// them; it returns 0 for others. The compiler makes it part of its callers.
func threeBytes(p []byte) rune {
	if len(p) < 3 || p[0]-0xE1 >= 0xED-0xE1 || p[1]&0xC0 != 0x80 || p[2]&0xC0 != 0x80 {
		return 0
	}
	return rune(p[0]&0x0F)<<12 | rune(p[1]&0x3F)<<6 | rune(p[2]&0x3F)
}

// printRune shows one character.
func (t *Terminal) printRune(r rune) {
	raw := r
	if r < 0x80 {
		r = t.charset.translate(r)
	}
	if t.modes.has(modeGraphemes) {
		t.keycap(r)
		t.last = raw
		if t.extend(r) {
			return
		}
		text := string(r)
		t.putCluster(text, clusterWidth(text))
		t.begin(text)
		return
	}
	w := runeWidth(r)
	if w == 0 {
		t.combine(r)
		return
	}
	t.last = raw
	ch := r
	switch {
	case r == ' ':
		ch = space
	case r >= tileBase:
		ch = t.handle(string(r))
	}
	t.putCell(ch, w)
}

// putCell writes one cell of width 1 or 2 at the cursor. It reports false when
// a wide cell had no room.
func (t *Terminal) putCell(ch rune, w int) bool {
	t.takeWrap()
	right := t.rightLimit()
	if t.col+w-1 > right {
		if !t.modes.has(modeAutoWrap) || right-t.margins.left < w-1 {
			return false // a wide character that has no room anywhere
		}
		t.wrapLine() // what is in the last column stays, as in xterm
		right = t.rightLimit()
		if t.col+w-1 > right {
			return false
		}
	}
	if t.modes.has(modeInsert) {
		t.insertCells(w)
	}
	t.drawn(t.row)
	lo, hi := t.col, t.col+w
	c := t.scr.edit(t.row, lo, hi)
	t.split(t.row, c, lo)
	t.split(t.row, c, hi)
	if g := (glyph{ch, t.ink()}); c[lo] != g || w == 2 && c[lo+1].ch != spacer {
		c[lo] = g
		t.touch(t.row)
	}
	if w == 2 {
		c[lo+1] = glyph{spacer, t.ink()}
	}
	t.advance(w, right)
	return true
}

// before returns the column of the cell that the cursor has just left, with a
// wide cell's left half standing for it, and whether there is one.
func (t *Terminal) before() (int, bool) {
	col := t.col
	if !t.wrap {
		col--
	}
	if col < 0 {
		return 0, false
	}
	if c := t.scr.cells(t.row); c[col].ch == spacer && col > 0 {
		col--
	}
	return col, true
}

// combine adds a character without width to the cell before the cursor.
func (t *Terminal) combine(r rune) {
	col, ok := t.before()
	if !ok {
		return
	}
	text := t.clusters.text(t.scr.cells(t.row)[col].ch)
	if text == "" {
		text = " "
	}
	if len(text)+4 > maxClusterBytes {
		return
	}
	t.replace(col, text+string(r))
}

// replace gives the cell at col another text of the same width.
func (t *Terminal) replace(col int, text string) {
	ch := t.handle(text)
	t.drawn(t.row)
	t.scr.edit(t.row, col, col+1)[col].ch = ch
	t.touch(t.row)
}

// handle interns a cell's text, making room when the table is full. When even
// that fails, the cell shows the replacement character.
func (t *Terminal) handle(text string) rune {
	if text == " " {
		return space
	}
	h, ok := t.clusters.handle(text)
	if !ok {
		t.collectGarbage()
		if h, ok = t.clusters.handle(text); !ok {
			return replacement
		}
	}
	return h
}
