package emulator

// maxLineCells bounds a logical line in the scrollback and the transcript. A
// longer one is cut in two; only reflow and line numbers show the difference.
const maxLineCells = 1 << 16

// A pastLine is a logical line in the scrollback: soft-wrapped rows in one.
type pastLine struct {
	packed
	line int64 // its number in the transcript, or noLine
	rev  uint64
	rows int  // how many rows it takes at the present width
	open bool // it goes on in what comes after it
}

// A scrollback keeps the rows that left the main screen, as logical lines, so
// that a new width costs nothing until somebody looks.
type scrollback struct {
	lines    ring[pastLine]
	cols     int
	rows     int // sum of the lines' rows
	bytes    int
	maxRows  int
	maxBytes int
	tail     []glyph // the last row of the newest line, while that is open
	ends     []int   // for breaks
}

func newScrollback(cols, maxRows, maxBytes int) scrollback {
	return scrollback{cols: cols, maxRows: maxRows, maxBytes: maxBytes}
}

// push adds a row that left the top of the screen, its cells c packed as p;
// wrapped says that its text goes on in the next row.
func (h *scrollback) push(c []glyph, p packed, wrapped bool, line int64, rev uint64) {
	if h.lines.n > 0 {
		last := h.lines.at(h.lines.n - 1)
		if last.open && last.cells+p.cells < maxLineCells {
			h.bytes -= last.size()
			if h.gap(c) {
				last.join(packed{text: []byte{packedBlank}, cells: 1})
				h.tail = append(h.tail, glyph{ch: blank})
			}
			last.join(p)
			h.bytes += last.size()
			last.open, last.rev = wrapped, rev
			h.lay(last, c)
			return
		}
	}
	h.tail = h.tail[:0]
	h.lines.push(pastLine{packed: p, line: line, rev: rev, rows: 1, open: wrapped})
	h.bytes += p.size()
	h.rows++
	h.lay(h.lines.at(h.lines.n-1), c)
}

// gap reports whether the newest line goes on in next behind a cell that was left
// free in its last column, for a wide character that next does not begin with
// any more.
func (h *scrollback) gap(next []glyph) bool {
	n := h.lines.n
	return n > 0 && h.lines.at(n-1).open && len(h.tail) > 0 && len(h.tail) == h.cols-1 &&
		(len(next) < 2 || next[1].ch != spacer)
}

// lay counts the rows that c adds to the newest line.
func (h *scrollback) lay(l *pastLine, c []glyph) {
	if l.open || len(h.tail) > 0 || len(c) > h.cols {
		h.tail = append(h.tail, c...)
		h.ends = breaks(h.tail, h.cols, h.ends[:0])
		if n := len(h.ends); n > 0 {
			l.rows += n
			h.rows += n
			h.tail = append(h.tail[:0], h.tail[h.ends[n-1]:]...)
		}
	}
	h.trim()
}

// trim drops the oldest lines while there is too much.
func (h *scrollback) trim() {
	for h.lines.n > 0 && (h.rows > h.maxRows || h.bytes > h.maxBytes) {
		l := h.lines.shift()
		h.rows -= l.rows
		h.bytes -= l.size()
	}
}

// pop takes the newest line out.
func (h *scrollback) pop() pastLine {
	l := h.lines.pop()
	h.rows -= l.rows
	h.bytes -= l.size()
	return l
}

// end closes the newest line: what went on in the screen's first row is gone.
func (h *scrollback) end() {
	if n := h.lines.n; n > 0 {
		h.lines.at(n - 1).open = false
		h.tail = h.tail[:0]
	}
}

// clear forgets everything.
func (h *scrollback) clear() {
	h.lines = ring[pastLine]{}
	h.rows, h.bytes = 0, 0
}

// resize counts the rows for a new width.
func (h *scrollback) resize(cols int) {
	h.cols, h.rows = cols, 0
	var buf []glyph
	for i := range h.lines.n {
		l := h.lines.at(i)
		if l.wide {
			buf = l.unpack(buf[:0])
			h.ends = breaks(buf, cols, h.ends[:0])
			l.rows = len(h.ends) + 1
		} else {
			l.rows = max(1, (l.cells+cols-1)/cols)
		}
		h.rows += l.rows
	}
	h.trim()
}

// breaks appends to ends the cells at which a new row begins when c is laid out
// cols wide: a wide cell is not cut in two, and the coloured cells that an erase
// left behind the text begin no row, so the last row may be longer than cols.
func breaks(c []glyph, cols int, ends []int) []int {
	n := len(c)
	for n > 0 && c[n-1].ch == blank {
		n--
	}
	c = c[:n]
	for at := 0; len(c)-at > cols; {
		n := cols
		if c[at+n].ch == spacer && n > 1 {
			n--
		}
		at += n
		ends = append(ends, at)
	}
	return ends
}

// each calls f with the cells of every line.
func (h *scrollback) each(f func([]glyph)) {
	var buf []glyph
	for i := range h.lines.n {
		buf = h.lines.at(i).unpack(buf[:0])
		f(buf)
	}
}

// A pastRow is one row of the scrollback.
type pastRow struct {
	cells   []glyph
	wrapped bool
	rev     uint64
}

// last returns the newest n rows, oldest first.
func (h *scrollback) last(n int) []pastRow {
	n = min(n, h.rows)
	var out []pastRow
	i := h.lines.n
	have := 0
	for have < n {
		i--
		have += h.lines.at(i).rows
	}
	for ; i < h.lines.n; i++ {
		l := h.lines.at(i)
		c := l.unpack(nil)
		at := 0
		for _, end := range append(breaks(c, h.cols, nil), len(c)) {
			out = append(out, pastRow{c[at:min(end, at+h.cols)], end < len(c) || l.open, l.rev})
			at = end
		}
	}
	return out[max(0, len(out)-n):]
}
