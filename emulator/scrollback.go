package emulator

import (
	"bytes"
	"iter"
	"sort"
)

// maxLineCells bounds a logical line in the scrollback. A longer one is cut in
// two; only reflow and line numbers show the difference.
const maxLineCells = 1 << 16

// A pastLine is a logical line in the scrollback: soft-wrapped rows in one.
type pastLine struct {
	packed
	number int64
	id     uint64
	rev    uint64
	rows   int  // how many rows it takes at the present width, 0 when hidden
	open   bool // it goes on in the main screen's first row
	hidden bool // from Snapshot: only its text is kept
	erased bool // by a clear of the whole screen
}

// A scrollback keeps the rows that left the main screen, as logical lines, so
// that a new width costs nothing until somebody looks. The lines' numbers grow.
type scrollback struct {
	lines    ring[pastLine]
	cols     int
	rows     int // sum of the lines' rows
	bytes    int
	text     int64 // bytes of text of the lines kept, a line feed for each included
	dropped  int64 // the same for those dropped
	maxLines int   // and rows that Snapshot gives
	maxBytes int
	tail     []glyph // the last row of the newest line, while that is open
	ends     []int   // for breaks
}

func newScrollback(cols, maxLines, maxBytes int) scrollback {
	return scrollback{cols: cols, maxLines: maxLines, maxBytes: maxBytes}
}

// newest returns the newest line; there must be one.
func (h *scrollback) newest() *pastLine { return h.lines.at(h.lines.n - 1) }

// open reports whether the newest line goes on in the main screen's first row.
func (h *scrollback) open() bool { return h.lines.n > 0 && h.newest().open }

// full reports whether the newest line is open and has no room for n more cells.
func (h *scrollback) full(n int) bool { return h.open() && h.newest().cells+n >= maxLineCells }

// push adds a row that left the top of the screen, its cells c packed as p: to the
// newest line when that is open, or as the line l.
func (h *scrollback) push(c []glyph, p packed, l pastLine) {
	if h.open() {
		last := h.newest()
		h.count(last, -1)
		if h.gap(c) {
			last.join(packed{text: []byte{packedBlank}, cells: 1})
			h.tail = append(h.tail, glyph{ch: blank})
		}
		last.join(p)
		h.count(last, 1)
		last.open, last.rev = l.open, l.rev
		h.lay(last, c)
		return
	}
	l.packed, l.rows = p, 1
	h.add(l)
	h.lay(h.newest(), c)
}

// add adds a whole line.
func (h *scrollback) add(l pastLine) {
	h.tail = h.tail[:0]
	h.lines.push(l)
	h.rows += l.rows
	h.count(&l, 1)
	h.trim()
}

// count adds the sizes of line l n times.
func (h *scrollback) count(l *pastLine, n int) {
	h.bytes += n * l.size()
	h.text += int64(n) * l.textLen()
}

// textLen returns how many bytes of text l has, with a line feed.
func (l *pastLine) textLen() int64 {
	n := len(l.text) + 1
	if l.wide {
		n -= bytes.Count(l.text, []byte{packedSpacer})
	}
	return int64(n)
}

// find returns the index of the first line with number n or a later one.
func (h *scrollback) find(n int64) int {
	return sort.Search(h.lines.n, func(i int) bool { return h.lines.at(i).number >= n })
}

// gap reports whether the newest line goes on in next behind a cell that was left
// free in its last column, for a wide character that next does not begin with
// any more.
func (h *scrollback) gap(next []glyph) bool {
	return h.open() && len(h.tail) > 0 && len(h.tail) == h.cols-1 &&
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
	for h.lines.n > 0 && (h.lines.n > h.maxLines || h.bytes > h.maxBytes) {
		l := h.lines.shift()
		h.rows -= l.rows
		h.count(&l, -1)
		h.dropped += l.textLen()
	}
}

// pop takes out the newest line that is not hidden; there must be one. Hidden lines
// after it are dropped.
func (h *scrollback) pop() pastLine {
	for {
		l := h.lines.pop()
		h.rows -= l.rows
		h.count(&l, -1)
		if !l.hidden {
			return l
		}
		h.dropped += l.textLen()
	}
}

// end closes the newest line, and reports whether it was open.
func (h *scrollback) end() bool {
	h.tail = h.tail[:0]
	open := h.open()
	if open {
		h.newest().open = false
	}
	return open
}

// hide hides all lines.
func (h *scrollback) hide() {
	for i := range h.lines.n {
		l := h.lines.at(i)
		l.hidden, l.rows = true, 0
	}
	h.rows = 0
	h.tail = h.tail[:0]
}

// resize counts the rows for a new width.
func (h *scrollback) resize(cols int) {
	h.cols, h.rows = cols, 0
	var buf []glyph
	for i := range h.lines.n {
		l := h.lines.at(i)
		if l.hidden {
			continue
		}
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
// left behind the text begin no row, nor does an image, so the last row may be longer
// than cols.
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
		if isTile(c[at+n-1].ch) || isTile(c[at+n].ch) {
			break
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

// last yields the newest n rows, oldest first.
func (h *scrollback) last(n int) iter.Seq[pastRow] {
	return func(yield func(pastRow) bool) {
		n = min(n, h.rows, h.maxLines)
		i, skip := h.lines.n, -n // rows of line i that are too old
		for skip < 0 {
			i--
			skip += h.lines.at(i).rows
		}
		for ; i < h.lines.n; i++ {
			l := h.lines.at(i)
			if l.hidden {
				continue
			}
			c := l.unpack(nil)
			at := 0
			for _, end := range append(breaks(c, h.cols, nil), len(c)) {
				row := pastRow{c[at:min(end, at+h.cols)], end < len(c) || l.open, l.rev}
				at = end
				if skip--; skip < 0 && !yield(row) {
					return
				}
			}
		}
	}
}
