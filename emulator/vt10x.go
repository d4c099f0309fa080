package emulator

import (
	"strconv"
	"unicode/utf8"

	"github.com/hinshun/vt10x"
)

// A memory is the vt10x terminal that remembers a screen's cells. It is told
// only what vt10x does exactly right: explicit positions inside the grid, text
// that cannot wrap, 24-bit colours that are style handles, EL, and SU/SD in a
// region. vt10x panics on parameters out of range, so none is ever sent.
//
// Bytes for it gather in out and are written when somebody reads a cell. Not
// before that does the vt10x terminal exist: most sizes that a window goes
// through while it is dragged are never looked at.
type memory struct {
	vt   vt10x.Terminal
	out  []byte
	st   styleID // the style that vt10x has set, once out is written
	size Size
	have []glyph // for lay
	laid bool    // a cell has been written: before, all are blank
}

func newMemory(s Size) *memory {
	return &memory{size: s, out: []byte("\x1b[?7l")} // DECAWM off: the front wraps
}

// flush hands the gathered bytes to vt10x.
func (m *memory) flush() {
	if len(m.out) == 0 {
		return
	}
	if m.vt == nil {
		m.vt = vt10x.New(vt10x.WithSize(m.size.Cols, m.size.Rows))
	}
	// Write's only errors are those of reading from a byte slice: none.
	_, _ = m.vt.Write(m.out)
	m.out = m.out[:0]
}

// read fills cells with row's glyphs.
func (m *memory) read(row int, cells []glyph) {
	m.flush()
	for col := range cells {
		g := m.vt.Cell(col, row)
		cells[col] = glyph{ch: g.Char}
		if g.FG != vt10x.DefaultFG {
			cells[col].st = styleID(g.FG)
		}
	}
}

// lay writes cells[lo:hi] of row where they differ from what is there. Reading
// a cell costs a tenth of writing it, and most programs draw what was there.
func (m *memory) lay(row int, cells []glyph, lo, hi int) {
	if len(m.have) < len(cells) {
		m.have = make([]glyph, len(cells))
	}
	m.read(row, m.have[:len(cells)])
	for lo < hi {
		if cells[lo] == m.have[lo] {
			lo++
			continue
		}
		end := lo + 1 // after the last difference before sameRun equal cells
		for i := end; i < hi && i < end+sameRun; i++ {
			if cells[i] != m.have[i] {
				end = i + 1
			}
		}
		m.put(row, cells, lo, end)
		lo = end
	}
	m.flush()
}

// sameRun is how many equal cells are written again rather than jumped over: a
// jump takes about as many bytes.
const sameRun = 8

// put writes cells[lo:hi] of row.
func (m *memory) put(row int, cells []glyph, lo, hi int) {
	m.laid = true
	end := hi // where the last run of blanks begins, if it reaches the margin
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

// style makes id the foreground, as a direct colour (SGR 38;2) that vt10x
// keeps whole, or the default for 0.
func (m *memory) style(id styleID) {
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

// scroll moves rows top to bottom (inclusive) up by n, or down by -n; n is
// within the region's height. The rows that come free hold anything: the
// caller lays them.
func (m *memory) scroll(top, bottom, n int) {
	m.csi(top+1, bottom+1, 'r') // DECSTBM
	if n > 0 {
		m.csi(n, 0, 'S') // SU
	} else {
		m.csi(-n, 0, 'T') // SD
	}
	m.csi(1, m.size.Rows, 'r')
}

// csi appends a control sequence with explicit parameters; b is left out when 0.
func (m *memory) csi(a, b int, final byte) {
	m.out = append(m.out, "\x1b["...)
	m.out = strconv.AppendInt(m.out, int64(a), 10)
	if b > 0 {
		m.out = append(m.out, ';')
		m.out = strconv.AppendInt(m.out, int64(b), 10)
	}
	m.out = append(m.out, final)
}
