package emulator

import "unicode/utf8"

// PrintsLiterally reports whether printed ASCII text is shown unchanged: no character set
// translates it, it wraps at the right edge of the screen, and it overwrites other text
// instead of being inserted.
func (t *Terminal) PrintsLiterally() bool {
	return !t.charset.mayTranslate() && t.fullWidth() && t.modes.has(modeAutoWrap) && !t.modes.has(modeInsert)
}

// advance moves the cursor right by the n cells that were written. A cursor that would pass
// column right stays there, with a pending wrap.
func (t *Terminal) advance(n, right int) {
	t.col += n
	if t.col > right {
		t.col, t.wrap = right, true
	}
}

// completeWrap is called before a character is printed. It does the pending wrap, if any. Without
// DECAWM, the character overwrites the last column instead. As in xterm, DECAWM is checked when
// the next character is printed, not when the row becomes full.
func (t *Terminal) completeWrap() {
	if t.wrap && t.modes.has(modeAutoWrap) {
		t.wrapLine()
	}
	t.wrap = false
}

// rightLimit returns the last column for text: the right margin, or the last column of
// the screen if the cursor is to the right of the margin.
func (t *Terminal) rightLimit() int {
	if t.col <= t.margins.right {
		return t.margins.right
	}
	return t.size.Cols - 1
}

// wrapLine moves to the next row (DECAWM). Between margins, or with an image, a row is not marked as wrapped.
func (t *Terminal) wrapLine() {
	t.wrap = false
	if t.fullWidth() && !t.scr.rows[t.row].wrapped && !t.hasTile(t.row) {
		t.touch(t.row).wrapped = true
	}
	t.index() // does not scroll if the cursor is to the right of the margin
	t.col = t.margins.left
}

// leftLimit returns the first column for text: the left margin, or column 0 if the cursor
// is to the left of the margin.
func (t *Terminal) leftLimit() int {
	if t.col >= t.margins.left {
		return t.margins.left
	}
	return 0
}

// printText prints the leading plain characters of p (ASCII, and those that plainRune
// accepts), with the same result as printRune, and returns their number of bytes. It stops
// before a wide character that does not fit, which printRune wraps, and before ASCII bytes
// that the character set may translate. Insert mode must be off.
func (t *Terminal) printText(p []byte) int {
	done := 0
	ascii := !t.charset.mayTranslate()
	for done < len(p) && p[done] >= ' ' {
		w := 1
		if !ascii || !isASCII(p[done]) {
			if _, _, w = t.plainRune(p[done:]); w == 0 || w > t.rightLimit()-t.margins.left+1 {
				break
			}
		}
		t.completeWrap()
		lo, right := t.col, t.rightLimit()
		if lo+w-1 > right {
			break
		}
		t.cluster = ""
		t.beforeDraw(t.row)
		c := t.scr.cells(t.row)
		t.split(t.row, c, lo)
		st, col, changed := t.penStyle(), lo, false
		for done < len(p) && p[done] >= ' ' && col <= right {
			if ascii && isASCII(p[done]) { // fast path
				k, different := fillASCII(c[col:right+1], p[done:], st)
				col, done, changed = col+k, done+k, changed || different
				t.last = rune(p[done-1])
				continue
			}
			ch, n, w := t.plainRune(p[done:])
			if w == 0 || col+w-1 > right {
				break
			}
			changed = setCell(c, col, glyph{ch, st}) || changed
			if w == 2 {
				changed = setCell(c, col+1, glyph{spacer, st}) || changed
			}
			col, done, t.last = col+w, done+n, ch
		}
		if col < len(c) && c[col].ch == spacer {
			c[col], changed = glyph{blank, t.eraseStyle()}, true // its left half was overwritten
		}
		t.scr.edit(t.row, min(col+1, len(c)))
		if changed {
			t.touch(t.row)
		}
		t.advance(col-lo, right)
	}
	return done
}

// plainRune returns the first character of p, its length in bytes and its width. If the character
// is not plain, the width is 0 and the other results are undefined. Not plain are ASCII, C1, invalid
// or incomplete UTF-8, combining characters, those that need an interned handle and, while mode
// 2027 (grapheme clusters) is set, all characters.
func (t *Terminal) plainRune(p []byte) (ch rune, n, w int) {
	ch, n = utf8.DecodeRune(p)
	if n == 1 || ch < c1End || ch >= tileBase || t.modes.has(modeGraphemes) {
		return 0, 0, 0
	}
	return ch, n, runeWidth(ch)
}

// isASCII reports whether b is a printable ASCII character.
func isASCII(b byte) bool { return b-0x20 < 0x5F }

// fillASCII writes the leading printable ASCII characters of p to c as far as there is room. It
// returns the number of characters written and whether a cell has changed.
func fillASCII(c []glyph, p []byte, st styleID) (n int, changed bool) {
	p = p[:min(len(p), len(c))]
	for i, b := range p {
		if !isASCII(b) {
			return i, changed
		}
		g := glyph{rune(b), st}
		if b == ' ' {
			g.ch = space
		}
		if c[i] != g {
			c[i] = g
			changed = true
		}
	}
	return len(p), changed
}

// setCell sets a cell and reports whether that changed it.
func setCell(c []glyph, col int, g glyph) bool {
	old := c[col]
	c[col] = g
	return old != g
}

// printRune prints one character.
func (t *Terminal) printRune(r rune) {
	raw := r
	if r < 0x80 {
		r = t.charset.translate(r)
	}
	if t.modes.has(modeGraphemes) {
		t.beginKeycap(r)
		t.last = raw
		if t.extendCluster(r) {
			return
		}
		text := string(r)
		if w := clusterWidth(text); w > 0 {
			t.putCell(t.internText(text), w)
		} else {
			t.combine(r)
		}
		t.cluster = text
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
		ch = t.internText(string(r))
	}
	t.putCell(ch, w)
}

// putCell writes one cell of width w, 1 or 2, at the cursor. A wide cell that does not fit
// into the row wraps. Without DECAWM, or if no row can hold the cell, nothing is written.
func (t *Terminal) putCell(ch rune, w int) {
	t.completeWrap()
	right := t.rightLimit()
	if t.col+w-1 > right {
		if !t.modes.has(modeAutoWrap) || right-t.margins.left < w-1 {
			return // the wide cell cannot wrap, or fits into no row
		}
		t.wrapLine() // as in xterm, the last column is not erased
		right = t.rightLimit()
		if t.col+w-1 > right {
			return
		}
	}
	if t.modes.has(modeInsert) {
		t.insertCells(w)
	}
	t.beforeDraw(t.row)
	lo, hi := t.col, t.col+w
	c := t.scr.edit(t.row, hi)
	t.split(t.row, c, lo)
	t.split(t.row, c, hi)
	g := glyph{ch, t.penStyle()}
	if c[lo] != g || w == 2 && c[lo+1].ch != spacer {
		c[lo] = g
		t.touch(t.row)
	}
	if w == 2 {
		c[lo+1] = glyph{spacer, g.st}
	}
	t.advance(w, right)
}

// previousCell returns the column of the cell before the cursor, and false if there is
// none. For a wide cell it is the column of its left half.
func (t *Terminal) previousCell() (int, bool) {
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

// combine adds a character of width 0 to the cell before the cursor, if there is one and it has room.
func (t *Terminal) combine(r rune) {
	col, ok := t.previousCell()
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
	t.replaceText(col, text+string(r))
}

// replaceText changes the text of the cell at col without changing its width. Text replaces the tile
// of an image.
func (t *Terminal) replaceText(col int, text string) {
	ch := t.internText(text)
	t.beforeDraw(t.row)
	g := &t.scr.edit(t.row, col+1)[col]
	if isTile(g.ch) {
		g.st = t.internStyle(t.styles.style(g.st).withoutTile())
	}
	g.ch = ch
	t.touch(t.row)
}

// internText interns the text of a cell. It collects garbage if the table is full. If the table
// stays full, it returns the replacement character.
func (t *Terminal) internText(text string) rune {
	if text == " " {
		return space
	}
	h, ok := t.clusters.internText(text)
	if !ok {
		t.collectGarbage()
		if h, ok = t.clusters.internText(text); !ok {
			return replacement
		}
	}
	return h
}
