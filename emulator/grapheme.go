package emulator

import "strings"

// A cluster is the grapheme cluster that was printed last while mode 2027 is
// set: characters that follow at once may still join it.
type cluster struct {
	text  string
	row   int
	col   int
	width int
}

// begin remembers the cluster that was just printed before the cursor.
func (t *Terminal) begin(text string) {
	col, ok := t.before()
	if !ok {
		t.cluster = cluster{}
		return
	}
	w := 1
	if c := t.scr.cells(t.row); col+1 < len(c) && c[col+1].ch == spacer {
		w = 2
	}
	t.cluster = cluster{text: text, row: t.row, col: col, width: w}
}

// keycap makes the digit, # or * that came just before r the beginning of a cluster,
// when r asks for its form as an emoji: 1️⃣ is two columns wide. Other ASCII begins none.
func (t *Terminal) keycap(r rune) {
	if r == vs16 && t.cluster.text == "" && t.last != 0 && strings.ContainsRune("0123456789#*", t.last) {
		t.begin(string(t.last))
	}
}

// vs16 is the variation selector that asks for a character's form as an emoji.
const vs16 = '\uFE0F'

// put shows a cluster of width w; one without width joins the cell before.
func (t *Terminal) putCluster(text string, w int) {
	if w == 0 {
		for _, r := range text {
			t.combine(r)
		}
		return
	}
	t.putCell(t.handle(text), w)
}

// extend adds r to the cluster before the cursor when Unicode's rules (UAX 29)
// say that it belongs to it. The cell may become wide by it (VS16) or narrow
// (VS15), as mode 2027 asks.
func (t *Terminal) extend(r rune) bool {
	c := t.cluster
	if c.text == "" || r < 0x80 || c.row != t.row {
		return false
	}
	if col, ok := t.before(); !ok || col != c.col {
		return false
	}
	text := c.text + string(r)
	if !oneCluster(text) {
		return false
	}
	if len(text) > maxClusterBytes {
		return true // still part of it, but not kept
	}
	t.replace(c.col, text)
	t.cluster.text = text
	t.reshape(clusterWidth(text))
	return true
}

// reshape gives the last cluster's cell the width w.
func (t *Terminal) reshape(w int) {
	c := &t.cluster
	limit := t.margins.right
	if c.col > limit {
		limit = t.size.Cols - 1
	}
	switch {
	case w == 2 && c.width == 1 && c.col+1 <= limit:
		cells := t.scr.edit(t.row, c.col, c.col+2)
		t.split(t.row, cells, c.col+2)
		cells[c.col+1] = glyph{spacer, cells[c.col].st}
	case w == 1 && c.width == 2:
		cells := t.scr.edit(t.row, c.col, c.col+2)
		cells[c.col+1].ch = blank
	default:
		return
	}
	c.width = w
	t.wrap = false
	t.col = c.col
	t.advance(w, limit)
}
