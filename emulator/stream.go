package emulator

// A stream is where the program's text goes on in the transcript. Rows get
// their numbers here, when text reaches them by line feed, wrap or a relative
// move. Absolute addressing (CUP, VPA) of any row but the last line's begins
// painting: what is drawn then has no number, and a line that is painted over
// is kept as it was.
type stream struct {
	next     int64 // the number for the next line
	last     int64 // the line that the stream is in, the last one on the screen, or noLine
	high     int64 // numbers from here on never had text: they may be given again
	painting bool  // the cursor was addressed away from the stream
	below    bool  // and to a row below all text
	low      int   // the lowest row that text reached, as far as known
	lastRow  int   // the row printed on last
}

// streaming reports whether text now may enter the transcript.
func (t *Terminal) streaming() bool { return t.scr == t.main && !t.repaint.on }

// enroll is called before text is put on row r.
func (t *Terminal) enroll(r int) {
	if t.scr != t.main {
		return
	}
	s := &t.stream
	if r != s.lastRow {
		s.lastRow = r
		s.low = max(s.low, r)
		t.repaint.rows++
	}
	if t.repaint.on {
		return
	}
	rw := t.scr.rows[r]
	switch {
	case !s.painting:
		if rw.line == noLine {
			t.claim(r)
		}
		s.high = max(s.high, rw.line+1)
	case rw.line != noLine:
		t.freezeLine(rw.line)
		fallthrough
	default:
		t.paintedFrame()
	}
}

// paintOver is called before row r is erased or moved. The stream may erase its
// own lines: they are rewritten. Painting keeps them as they were.
func (t *Terminal) paintOver(r int) {
	if t.stream.painting && t.streaming() && t.scr.rows[r].line != noLine {
		t.freezeLine(t.scr.rows[r].line)
	}
}

// addressed is called after the cursor was addressed absolutely.
func (t *Terminal) addressed() {
	if t.scr != t.main {
		return
	}
	home := t.row == 0 && t.col == 0
	if home {
		t.homed()
	} else {
		t.repaint.addressed = true
	}
	s := &t.stream
	switch n := t.main.rows[t.row].line; {
	case s.low < 0: // nothing since the screen was cleared: a stream begins at home
		s.painting = t.row > 0
		s.below = s.painting
	case n != noLine && n == s.last:
		s.painting = false // the last line: a line editor addresses its own row so
	default:
		s.painting = true
		s.below = t.row > s.low
	}
}

// restored is called after DECRC brought the cursor back.
func (t *Terminal) restored(painting bool) {
	t.stream.painting = painting
	t.stream.below = false
}

// leaving is called before a line feed or wrap leaves the cursor's row; scrolls
// says that it will scroll. It returns the row's line.
func (t *Terminal) leaving(scrolls bool) int64 {
	if t.scr != t.main {
		return noLine
	}
	rw := t.main.rows[t.row]
	if t.repaint.on {
		if scrolls {
			t.repaintScrolls()
		}
		return rw.line
	}
	s := &t.stream
	if rw.line == noLine && (!s.painting || s.below && !t.blankRow(t.row)) {
		t.claim(t.row)
	}
	return rw.line
}

// arrived is called after a line feed or wrap: it numbers the row that the
// cursor has reached from line n.
func (t *Terminal) arrived(n int64, soft, scrolled bool) {
	if !t.streaming() {
		return
	}
	s := &t.stream
	if scrolled {
		s.painting = false
		t.repaint.frames = 0
	}
	if s.painting {
		return
	}
	s.low = max(s.low, t.row)
	rw := t.main.rows[t.row]
	if rw.line != noLine && n != noLine && (soft && rw.line != n || !soft) && t.blankFrom(t.row) {
		t.retract(t.row, n) // what was here was erased: what comes now is new
	}
	switch {
	case n == noLine:
		t.claim(t.row)
	case soft && (!scrolled || t.lineCells(n) < maxLineCells):
		rw.line = n
	case rw.line == noLine && (scrolled || n == s.last):
		rw.line = t.number()
	}
}

// number gives out the next line number, for what is now the last line.
func (t *Terminal) number() int64 {
	t.stream.last = t.stream.next
	t.stream.next++
	return t.stream.last
}

// numberText is number for a row that already holds text.
func (t *Terminal) numberText() int64 {
	n := t.number()
	t.stream.high = t.stream.next
	return n
}

// lower lets numbers be given again, from n on, as far as no line with text had
// them: a reader who has seen text under a number never meets that number
// again on other text.
func (t *Terminal) lower(n int64) {
	t.stream.next = min(t.stream.next, max(n, t.stream.high, t.script.end()))
}

// lineCells returns how many cells of line n have left the screen.
func (t *Terminal) lineCells(n int64) int {
	if l := t.script.get(n); l != nil {
		return l.cells
	}
	return 0
}

// claim makes row r, which has no number, the place where the stream goes on.
// Lines below it are over. What was painted between the last line and it stays
// without a number.
func (t *Terminal) claim(r int) {
	s := &t.stream
	s.painting, s.below = false, false
	s.low = max(s.low, r)
	rows := t.main.rows
	for i := len(rows) - 1; i > r; i-- {
		if rows[i].line != noLine {
			t.freezeLine(rows[i].line)
		}
	}
	if r > 0 && rows[r-1].wrapped && rows[r-1].line == s.last && s.last != noLine {
		rows[r].line = rows[r-1].line
		return
	}
	if t.blankRow(r) {
		rows[r].line = t.number()
	} else {
		rows[r].line = t.numberText()
	}
}

// recount finds the last line after a resize, which leaves out blank rows.
func (t *Terminal) recount() {
	t.stream.last = noLine
	for _, rw := range t.main.rows {
		t.stream.last = max(t.stream.last, rw.line)
	}
	t.lower(t.stream.last + 1)
}

// retract takes the numbers off the blank rows from r down: line n is the last.
func (t *Terminal) retract(r int, n int64) {
	for _, rw := range t.main.rows[r:] {
		rw.line = noLine
	}
	t.stream.last = n
	t.lower(n + 1)
}

// blankFrom reports whether main row r and all rows below it show no text.
func (t *Terminal) blankFrom(r int) bool {
	for ; r < len(t.main.rows); r++ {
		if !t.blankRow(r) {
			return false
		}
	}
	return true
}

// unjoin is called when row r is no longer the continuation of the row above.
// As the end of the last line it becomes a line of its own.
func (t *Terminal) unjoin(r int) {
	rows := t.scr.rows
	if t.scr != t.main || r >= len(rows) || r == 0 {
		return
	}
	n := rows[r].line
	if n == noLine || rows[r-1].line != n || n != t.stream.last {
		return
	}
	own := noLine
	for i := r; i < len(rows) && rows[i].line == n; i++ {
		if own == noLine && !t.blankRow(i) {
			own = t.numberText()
		}
		rows[i].line = own
	}
}

// lineTaken is called when a shell or line editor has handed over what was typed: at
// the start of a row, what comes now is no continuation of the row above, though text
// such as a prompt at the right edge has run over into this one.
func (t *Terminal) lineTaken() {
	if t.col == 0 && t.row > 0 && t.streaming() {
		t.unwrap(t.row - 1)
	}
}

// numbers returns the lines of rows top to bottom, nil when none may change.
func (t *Terminal) numbers(top, bottom int) []int64 {
	if t.scr != t.main {
		return nil
	}
	lines := make([]int64, 0, bottom-top+1)
	for r := top; r <= bottom; r++ {
		lines = append(lines, t.main.rows[r].line)
	}
	return lines
}

// renumber gives rows top to bottom, whose content has moved, the numbers of
// their places; text that was pushed below the last line becomes lines too.
func (t *Terminal) renumber(top, bottom int, lines []int64) {
	if lines == nil {
		return
	}
	rows := t.main.rows
	for i, n := range lines {
		r := top + i
		rows[r].line = n
		pushed := n == noLine && r > 0 && rows[r-1].line != noLine && rows[r-1].line == t.stream.last
		if pushed && t.streaming() && !t.stream.painting && !t.blankRow(r) {
			rows[r].line = t.numberText()
		}
	}
}

// leave is called before row r of the main screen scrolls away; with past its
// cells enter the scrollback.
func (t *Terminal) leave(r int, past bool) {
	rw := t.main.rows[r]
	if !past && rw.line == noLine {
		return
	}
	t.keep(t.main.cells(r)[:t.joinLen(r)], rw.line, rw.rev, past, rw.wrapped)
}

// freezeLine keeps line n as it stands and takes its number off the screen.
func (t *Terminal) freezeLine(n int64) {
	for r, rw := range t.main.rows {
		if rw.line == n {
			t.leave(r, false)
			rw.line = noLine
		}
	}
}

// freeze keeps all lines on the main screen and takes their numbers off it.
func (t *Terminal) freeze() {
	rows := t.main.rows
	last := len(rows) - 1
	for last >= 0 && (rows[last].line == noLine || t.blankRow(last)) {
		last--
	}
	for r, rw := range rows {
		if r <= last && rw.line != noLine {
			t.leave(r, false)
		}
	}
	for _, rw := range rows {
		rw.line = noLine
	}
	t.stream.last = noLine
	t.lower(t.script.end())
	t.stream.low, t.stream.lastRow = -1, -1
	t.stream.painting, t.stream.below = false, false
}

// keep puts the cells of a row into the transcript, and with past into the
// scrollback; wrapped says that the text goes on in the next row.
func (t *Terminal) keep(c []glyph, line int64, rev uint64, past, wrapped bool) {
	p, read := t.packer.pack(c)
	if line != noLine {
		if read == nil {
			for _, g := range c {
				read = t.clusters.appendText(read, g.ch)
			}
		}
		t.script.add(line, read[:len(read):len(read)], p.cells, rev)
	}
	if past {
		t.history.push(c, p, wrapped, line, rev)
	}
}

// appendRow appends what row r of the main screen adds to its line.
func (t *Terminal) appendRow(b []byte, r int) []byte {
	for _, g := range t.main.cells(r)[:t.joinLen(r)] {
		b = t.clusters.appendText(b, g.ch)
	}
	return b
}

// joinLen returns how many cells of main row r belong to its line: without the
// erased cells at the end, or, when the text goes on in the next row, without
// the cell that a wide character left free.
func (t *Terminal) joinLen(r int) int {
	if !t.main.rows[r].wrapped {
		return len(t.main.used(r))
	}
	c := t.main.cells(r)
	n := len(c)
	if n > 1 && c[n-1].ch == blank && r+1 < len(t.main.rows) {
		if next := t.main.cells(r + 1); next[1].ch == spacer {
			return n - 1
		}
	}
	return n
}

// blankRow reports whether main row r shows no text.
func (t *Terminal) blankRow(r int) bool {
	for _, g := range t.main.used(r) {
		if g.ch != blank && g.ch != space {
			return false
		}
	}
	return true
}
