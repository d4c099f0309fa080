package emulator

import "bytes"

// maxLineCells is the maximum length in cells of a logical line in the scrollback. A longer
// line is stored as several lines.
const maxLineCells = 1 << 16

// A scrollbackLine is a logical line in the scrollback: its soft-wrapped rows are joined.
type scrollbackLine struct {
	packed
	number int64
	id     uint64
	rev    uint64
	rows   int  // number of rows at the current width; 0 if the line is hidden: not in Snapshot
	open   bool // the line continues in the first row of the main screen
	erased bool // the line was erased by a clear of the whole screen
}

// A scrollback stores the rows that have left the main screen, as logical lines, so that
// a new width does not require rewriting them. Line numbers increase from the oldest line to
// the newest.
type scrollback struct {
	lines    ring[scrollbackLine]
	base     int64  // number of the line that contains the main screen's first row
	lineIDs  uint64 // the last line ID
	cols     int    // width of the grid
	rows     int    // sum of rows of all lines
	bytes    int    // sum of size of all lines
	text     int64  // sum of textLen of all lines
	dropped  int64  // sum of textLen of the lines that were dropped
	maxLines int    // maximum number of lines, and of scrollback rows in a Snapshot
	maxBytes int    // maximum of the field bytes
	short    bool   // the last row pushed lacks its last cell, because a wide character did not fit
	packer   packer
}

// newest returns the newest line, which must exist.
func (h *scrollback) newest() *scrollbackLine { return h.lines.at(h.lines.n - 1) }

// open reports whether the newest line continues in the first row of the main screen.
func (h *scrollback) open() bool { return h.lines.n > 0 && h.newest().open }

// newID returns a new line ID.
func (h *scrollback) newID() uint64 {
	h.lineIDs++
	return h.lineIDs
}

// push adds a row that leaves the top of the main screen; c holds its cells. If the newest line is
// open and not too long, the row continues that line. Otherwise the row begins a line with ID id.
// wrapped reports whether the text continues in the next row.
func (h *scrollback) push(c []glyph, wrapped bool, id, rev uint64) {
	p := h.packer.pack(c)
	// An empty row, or one that begins with an image, does not continue the newest line.
	if !hasText(c) || isTile(c[0].ch) || h.open() && h.newest().cells+p.cells >= maxLineCells {
		h.closeLine()
	}
	wrapped = wrapped && !isTile(c[len(c)-1].ch)
	if h.open() {
		last := h.newest()
		h.count(last, -1)
		if h.needsBlank(c) {
			last.join(packed{text: []byte{packedBlank}, cells: 1})
		}
		last.join(p)
		last.rows++
		last.open, last.rev = wrapped, rev
		h.count(last, 1)
		h.trim()
	} else {
		h.add(scrollbackLine{packed: p, id: id, rev: rev, rows: 1, open: wrapped})
	}
	if !wrapped {
		h.base++
	}
	h.short = wrapped && len(c) == h.cols-1
}

// pushRows adds a line that begins with rows and continues on the main screen.
func (h *scrollback) pushRows(rows []layoutRow) {
	var c []glyph
	for _, row := range rows {
		c = append(c, row.cells...)
	}
	h.add(scrollbackLine{packed: h.packer.pack(c), id: rows[0].id, rev: rows[0].rev, rows: len(rows), open: true})
	h.short = len(rows[len(rows)-1].cells) == h.cols-1
}

// pushHidden adds a hidden line, which Snapshot does not show, between the newest line and
// the main screen.
func (h *scrollback) pushHidden(p packed, id, rev uint64, erased bool) {
	h.closeLine()
	h.add(scrollbackLine{packed: p, id: id, rev: rev, erased: erased})
	h.base++
}

// add adds l as the newest line, with the number base.
func (h *scrollback) add(l scrollbackLine) {
	l.number = h.base
	h.lines.push(l)
	h.count(&l, 1)
	h.trim()
}

// count adds the sizes of line l to the totals n times; n is 1 or -1.
func (h *scrollback) count(l *scrollbackLine, n int) {
	h.rows += n * l.rows
	h.bytes += n * l.size()
	h.text += int64(n) * l.textLen()
}

// textLen returns the length of l's text in bytes, plus one for a line feed. An interned
// cluster or a tile counts as 4 bytes.
func (l *scrollbackLine) textLen() int64 {
	n := len(l.text) + 1
	if !l.plain {
		n -= bytes.Count(l.text, []byte{packedSpacer})
	}
	return int64(n)
}

// needsBlank reports whether a blank must come between the newest line and next, the row that
// continues the line. This is so if the line's last row lacks its last cell, because a wide
// character did not fit there, and next no longer begins with a wide character.
func (h *scrollback) needsBlank(next []glyph) bool {
	return h.open() && h.short && (len(next) < 2 || next[1].ch != spacer)
}

// trim drops the oldest lines while a limit is exceeded.
func (h *scrollback) trim() {
	for h.lines.n > 0 && (h.lines.n > h.maxLines || h.bytes > h.maxBytes) {
		l := h.lines.shift()
		h.count(&l, -1)
		h.dropped += l.textLen()
	}
}

// pop removes the newest line that is not hidden, which must exist, and returns it. It also
// drops the hidden lines that are newer than the returned line.
func (h *scrollback) pop() scrollbackLine {
	for {
		l := h.lines.pop()
		h.count(&l, -1)
		if l.rows > 0 {
			return l
		}
		h.dropped += l.textLen()
	}
}

// closeLine ends the newest line if it continues in the first row of the main screen. That
// row then begins a line of its own.
func (h *scrollback) closeLine() {
	if h.open() {
		l := h.newest()
		h.rows -= l.rows
		l.open = false
		h.measure(l)
		h.rows += l.rows
		h.base++
	}
}

// hide hides all lines from Snapshot.
func (h *scrollback) hide() {
	for i := range h.lines.n {
		h.lines.at(i).rows = 0
	}
	h.rows = 0
}

// resize sets the width and recomputes the number of rows of each line that is not hidden.
func (h *scrollback) resize(cols int) {
	h.cols, h.rows = cols, 0
	for i := range h.lines.n {
		if l := h.lines.at(i); l.rows > 0 {
			h.measure(l)
			h.rows += l.rows
		}
	}
	h.trim()
}

// measure sets l.rows to the number of rows at the current width. The caller updates h.rows.
func (h *scrollback) measure(l *scrollbackLine) {
	if l.rows = max(1, (l.cells+h.cols-1)/h.cols); !l.plain { // wide cells, tiles and erased cells change the number
		l.rows = len(rowBreaks(l.unpack(nil), h.cols, l.open)) + 1
	}
}

// rowBreaks returns the offsets at which a new row begins if the cells c of a line are laid out in
// rows of cols cells. It does not divide wide cells unless cols is 1. If it would have to divide
// an image, the rest of the line is one row, which may be longer than cols. If the line does not
// continue, its trailing erased cells, which may be coloured, take no further rows.
func rowBreaks(c []glyph, cols int, continues bool) (ends []int) {
	n := len(c)
	for !continues && n > 0 && c[n-1].ch == blank {
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

// A layoutRow is one row of a line that is laid out at some width.
type layoutRow struct {
	cells   []glyph
	wrapped bool
	id      uint64 // ID of the line that begins in the row, or 0
	rev     uint64
}

// layOut divides the cells of a line into rows of cols cells. If the line has an image, the last row
// may be longer (see rowBreaks). open reports whether the line continues after the last row.
func layOut(c []glyph, cols int, open bool, id, rev uint64) (rows []layoutRow) {
	at := 0
	for _, end := range append(rowBreaks(c, cols, open), len(c)) {
		rows = append(rows, layoutRow{c[at:end], end < len(c) || open, id, rev})
		at, id = end, 0
	}
	return rows
}
