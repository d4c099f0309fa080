package mask

import (
	"iter"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/redact"
)

const (
	// MinContext is the number of rows or lines above the shown ones that are searched in any case.
	MinContext = 4
	// MaxContext is the number of rows or lines above the shown ones that are searched if the shown
	// ones may belong to a longer secret: a private key of 8192 bits has about a hundred lines.
	MaxContext = 110
)

// MayBePrivateKey reports whether a line may be a line of a private key: it consists of base64 characters.
func MayBePrivateKey(line string) bool {
	const shortest = 16
	const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
	line = strings.TrimSpace(line)
	return len(line) >= shortest && strings.Trim(line, base64) == ""
}

// A place is the cell from which a byte of a screen's text comes. For a line feed, col is -1.
type place struct{ row, col int32 }

// Snapshot returns a copy of s with secrets hidden in cells, links and the title. The number of
// cells and their styles stay the same. The copy lacks the first extra rows of the scrollback,
// which are searched because a secret may begin above the shown rows. open says that more text may
// be written at the cursor. If so, what may be the beginning of a secret before the cursor is
// hidden too.
func (m *Mask) Snapshot(s *emulator.Snapshot, extra int, open bool) *emulator.Snapshot {
	if m == nil {
		return s
	}
	out := *s
	out.Title = m.Text(s.Title)
	rows := slices.Concat(s.Scrollback, s.Screen)
	p := rowMask{m: m, rows: rows, copied: make([]bool, len(rows)), links: map[emulator.Link]emulator.Link{}}
	p.shareRevisions()
	text, places := p.text(false)
	if p.full {
		joined, places := p.text(true)
		p.hide(places, m.secrets.Spans(joined))
	}
	p.hide(places, m.secrets.Spans(text))
	if open {
		p.hideOpen(len(s.Scrollback)+s.Cursor.Row, s.Cursor)
	}
	p.hideLinks()
	out.Scrollback = rows[extra:len(s.Scrollback):len(s.Scrollback)]
	out.Screen = rows[len(s.Scrollback):]
	return &out
}

// rowsAtOnce is the number of rows that Rows searches together, in addition to the rows around them.
const rowsAtOnce = 1000

// Rows returns rows with their secrets hidden, as Snapshot hides them, but does not keep all of
// them in memory. It may not find a secret of more than MaxContext rows.
func (m *Mask) Rows(rows iter.Seq[emulator.Row]) iter.Seq[emulator.Row] {
	if m == nil {
		return rows
	}
	return func(yield func(emulator.Row) bool) {
		var read []emulator.Row // in this order: yielded rows, rows to yield, and context below them
		done := 0               // number of yielded rows in read
		yieldUntil := func(end int) bool {
			hidden := m.Snapshot(&emulator.Snapshot{Scrollback: read}, 0, false).Scrollback
			for _, row := range hidden[done:end] {
				if !yield(row) {
					return false
				}
			}
			drop := max(0, end-MaxContext)
			read, done = slices.Clone(read[drop:]), end-drop
			return true
		}
		for row := range rows {
			if read = append(read, row); len(read) >= done+rowsAtOnce+MaxContext && !yieldUntil(len(read)-MaxContext) {
				return
			}
		}
		yieldUntil(len(read))
	}
}

// A rowMask hides cells of a copy of a screen's rows.
type rowMask struct {
	m      *Mask
	rows   []emulator.Row
	copied []bool                          // for each row: its cells are a copy that may be changed
	full   bool                            // a row that does not wrap is full to its last column
	links  map[emulator.Link]emulator.Link // for each link, the link without secrets
}

// shareRevisions gives all rows of a wrapped line the newest revision among them: if one of the
// rows has changed, other cells may be hidden in the other rows.
func (p *rowMask) shareRevisions() {
	for i := 0; i < len(p.rows); {
		j, newest := i, p.rows[i].Revision
		for ; j+1 < len(p.rows) && p.rows[j].Wrapped; j++ {
			newest = max(newest, p.rows[j+1].Revision)
		}
		for ; i <= j; i++ {
			p.rows[i].Revision = newest
		}
	}
}

// text returns the rows' text, with one line for each wrapped line, and for each byte of the text
// its cell. If joined is true, the line also continues after a row that does not wrap but is full
// to its last column, as in programs that wrap lines themselves.
func (p *rowMask) text(joined bool) (string, []place) {
	var b strings.Builder
	size := 0
	for _, row := range p.rows {
		size += len(row.Cells) + 1
	}
	b.Grow(size)
	places := make([]place, 0, size)
	add := func(text string, at place) {
		b.WriteString(text)
		for range len(text) {
			places = append(places, at)
		}
	}
	for r, row := range p.rows {
		end := len(row.Cells)
		for end > 0 && row.Cells[end-1].Text == "" && row.Cells[end-1].Width == 1 {
			end--
		}
		for c, cell := range row.Cells[:end] {
			switch {
			case cell.Width == 0:
			case cell.Text == "":
				add(" ", place{int32(r), int32(c)})
			default:
				add(cell.Text, place{int32(r), int32(c)})
			}
		}
		full := end == len(row.Cells) && end > 0 && row.Cells[end-1].Text != " "
		p.full = p.full || full && !row.Wrapped
		if !row.Wrapped && !(joined && full) {
			add("\n", place{int32(r), -1})
		}
	}
	return b.String(), places
}

func (p *rowMask) hide(places []place, spans []redact.Span) {
	for _, s := range spans {
		for _, at := range places[s.From:s.To] {
			p.cover(at)
		}
	}
}

// cover replaces the text of a cell with an asterisk. A wide cell and its spacer become two such cells.
func (p *rowMask) cover(at place) {
	if at.col < 0 {
		return
	}
	cells := p.editable(int(at.row))
	for c := int(at.col); c < len(cells) && (c == int(at.col) || cells[c].Width == 0); c++ {
		cells[c].Text, cells[c].Width = "*", 1
	}
}

// editable returns the cells of a row, which the caller may change. Before the first change, it
// copies them.
func (p *rowMask) editable(r int) []emulator.Cell {
	if !p.copied[r] {
		p.rows[r].Cells = slices.Clone(p.rows[r].Cells)
		p.copied[r] = true
	}
	return p.rows[r].Cells
}

// hideOpen hides what may be the beginning of a secret before the cursor, in the cursor's wrapped
// line. It does nothing if there is text after the cursor.
func (p *rowMask) hideOpen(row int, cursor emulator.Cursor) {
	if row >= len(p.rows) || p.rows[row].Wrapped {
		return
	}
	for _, cell := range p.rows[row].Cells[min(cursor.Col+1, len(p.rows[row].Cells)):] {
		if cell.Text != "" && cell.Text != " " {
			return
		}
	}
	first := row
	for first > 0 && p.rows[first-1].Wrapped {
		first--
	}
	line := rowMask{rows: p.rows[first : row+1]}
	text, places := line.text(false)
	text = strings.TrimRight(text, "\n ")
	for i := p.m.secrets.IncompleteFrom(text); i < len(text); i++ {
		p.cover(place{int32(first) + places[i].row, places[i].col})
	}
}

// hideLinks hides secrets in the targets and IDs of links.
func (p *rowMask) hideLinks() {
	for r := range p.rows {
		for c := range p.rows[r].Cells {
			link := p.rows[r].Cells[c].Style.Link
			if link == (emulator.Link{}) {
				continue
			}
			masked, ok := p.links[link]
			if !ok {
				masked = emulator.NewLink(p.m.Text(link.ID()), p.m.Text(link.URI()))
				p.links[link] = masked
			}
			if masked != link {
				p.editable(r)[c].Style.Link = masked
			}
		}
	}
}
