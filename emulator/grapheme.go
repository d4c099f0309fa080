package emulator

import "strings"

// A cluster is the grapheme cluster printed last while mode 2027 is set. The next
// characters may extend it. An empty text means that there is none.
type cluster struct {
	text  string
	row   int
	col   int
	width int
}

// beginCluster records text, which was just printed before the cursor, as the cluster to
// extend.
func (t *Terminal) beginCluster(text string) {
	col, ok := t.previousCell()
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

// beginKeycap begins a cluster with the digit, # or * printed before r if r requests its emoji
// form: 1️⃣ is two columns wide. Other ASCII characters do not begin a cluster.
func (t *Terminal) beginKeycap(r rune) {
	if r == vs16 && t.cluster.text == "" && t.last != 0 && strings.ContainsRune("0123456789#*", t.last) {
		t.beginCluster(string(t.last))
	}
}

// vs16 is the variation selector that requests the emoji form of a character; VS15
// (U+FE0E) requests its text form.
const vs16 = '\uFE0F'

// extendCluster adds r to the last cluster if it is before the cursor and r belongs to it by UAX
// 29. This may make the cell wide (VS16) or narrow (VS15). It reports whether r was part
// of the cluster.
func (t *Terminal) extendCluster(r rune) bool {
	c := t.cluster
	if c.text == "" || r < 0x80 || c.row != t.row {
		return false
	}
	if col, ok := t.previousCell(); !ok || col != c.col {
		return false
	}
	text := c.text + string(r)
	if !oneCluster(text) {
		return false
	}
	if len(text) > maxClusterBytes {
		return true // part of the cluster, but dropped
	}
	t.replaceText(c.col, text)
	t.cluster.text = text
	t.resizeCluster(clusterWidth(text))
	return true
}

// resizeCluster changes the width of the last cluster's cell to w.
func (t *Terminal) resizeCluster(w int) {
	c := &t.cluster
	limit := t.margins.right
	if c.col > limit {
		limit = t.size.Cols - 1
	}
	switch {
	case w == 2 && c.width == 1 && c.col+1 <= limit:
		cells := t.scr.edit(t.row, c.col+2)
		t.split(t.row, cells, c.col+2)
		cells[c.col+1] = glyph{spacer, cells[c.col].st}
	case w == 1 && c.width == 2:
		cells := t.scr.edit(t.row, c.col+2)
		cells[c.col+1].ch = blank
	default:
		return
	}
	c.width = w
	t.wrap = false
	t.col = c.col
	t.advance(w, limit)
}
