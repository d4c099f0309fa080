package emulator

import (
	"strconv"
	"unicode/utf8"

	"github.com/hinshun/vt10x"
)

// A cellStore stores a screen's cells in a vt10x terminal. It sends only sequences that
// vt10x implements correctly: explicit positions inside the grid, text that does not
// wrap, 24-bit colours that encode style IDs, EL, and SU and SD in a region. All parameters
// are in range, because vt10x panics on others.
//
// Output is buffered in out until cells are read or updated. Only then is the vt10x terminal
// created: while a window is being resized, most screens are replaced before they are read.
type cellStore struct {
	vt      vt10x.Terminal // nil until the first flush
	out     []byte         // sequences and text that vt has not received yet
	st      styleID        // vt10x's current style after out has been written
	size    Size
	current []glyph // scratch buffer of update
	written bool    // a cell has been written; until then all are blank
}

// flush writes the buffered output to vt10x.
func (m *cellStore) flush() {
	if len(m.out) == 0 {
		return
	}
	if m.vt == nil {
		m.vt = vt10x.New(vt10x.WithSize(m.size.Cols, m.size.Rows))
	}
	// Write cannot fail, because it reads from a byte slice.
	_, _ = m.vt.Write(m.out)
	m.out = m.out[:0]
}

// read reads the glyphs of a row into cells.
func (m *cellStore) read(row int, cells []glyph) {
	m.flush()
	for col := range cells {
		g := m.vt.Cell(col, row)
		cells[col] = glyph{ch: g.Char}
		if g.FG != vt10x.DefaultFG {
			cells[col].st = styleID(g.FG)
		}
	}
}

// update replaces the cells of row with cells. It writes only cells that differ, because
// reading a cell is about ten times faster than writing it, and programs often redraw cells
// without changing them.
func (m *cellStore) update(row int, cells []glyph) {
	if len(m.current) < len(cells) {
		m.current = make([]glyph, len(cells))
	}
	m.read(row, m.current[:len(cells)])
	for lo := 0; lo < len(cells); {
		if cells[lo] == m.current[lo] {
			lo++
			continue
		}
		end := lo + 1 // end of the span to write; the span ends before maxGap unchanged cells
		for i := end; i < len(cells) && i < end+maxGap; i++ {
			if cells[i] != m.current[i] {
				end = i + 1
			}
		}
		m.put(row, cells, lo, end)
		lo = end
	}
	m.flush()
}

// maxGap is the number of unchanged cells that end a span. Fewer unchanged cells between changed
// ones are rewritten, because moving the cursor over them takes about as many bytes.
const maxGap = 8

// put writes cells[lo:hi] of row.
func (m *cellStore) put(row int, cells []glyph, lo, hi int) {
	m.written = true
	end := hi // cells[end:hi] are blanks of one style up to the last column, which EL can write
	if hi == len(cells) {
		for end > lo && cells[end-1] == cells[hi-1] && cells[end-1].ch == blank {
			end--
		}
	}
	m.csi(row+1, lo+1, 'H') // CUP
	for _, g := range cells[lo:end] {
		m.style(g.st)
		m.out = utf8.AppendRune(m.out, g.ch)
	}
	if end < hi {
		m.style(cells[hi-1].st)
		m.out = append(m.out, "\x1b[K"...) // EL
	}
}

// style sets the style of the next cells. vt10x does not store styles like ours, so the
// style ID is encoded as a 24-bit foreground colour (SGR 38;2); ID 0 is the default
// foreground.
func (m *cellStore) style(id styleID) {
	if id == m.st {
		return
	}
	m.st = id
	if id == 0 {
		m.out = append(m.out, "\x1b[m"...)
		return
	}
	m.out = append(m.out, "\x1b[38;2;"...)
	m.out = strconv.AppendUint(m.out, uint64(id>>16), 10)
	m.out = append(m.out, ';')
	m.out = strconv.AppendUint(m.out, uint64(id>>8&0xFF), 10)
	m.out = append(m.out, ';')
	m.out = strconv.AppendUint(m.out, uint64(id&0xFF), 10)
	m.out = append(m.out, 'm')
}

// scroll scrolls rows top to bottom (inclusive) up by n rows, or down if n is negative.
// The absolute value of n must not exceed the height of the region. The contents of the
// vacated rows are undefined; the caller must rewrite them.
func (m *cellStore) scroll(top, bottom, n int) {
	m.csi(top+1, bottom+1, 'r') // DECSTBM
	if n > 0 {
		m.csi(n, 0, 'S') // SU
	} else {
		m.csi(-n, 0, 'T') // SD
	}
	m.csi(1, m.size.Rows, 'r')
}

// csi appends a control sequence with parameters a and b; b is omitted if it is 0.
func (m *cellStore) csi(a, b int, final byte) {
	m.out = append(m.out, "\x1b["...)
	m.out = strconv.AppendInt(m.out, int64(a), 10)
	if b > 0 {
		m.out = append(m.out, ';')
		m.out = strconv.AppendInt(m.out, int64(b), 10)
	}
	m.out = append(m.out, final)
}
