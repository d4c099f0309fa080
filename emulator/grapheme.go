package emulator

import "strings"

// beginKeycap begins a cluster with the digit, # or * that was printed before r, if r is VS16. The
// emoji form of such a character, as in 1️⃣, is wide. Other ASCII characters do not begin a cluster.
func (t *Terminal) beginKeycap(r rune) {
	if r == vs16 && t.cluster == "" && t.last != 0 && strings.ContainsRune("0123456789#*", t.last) {
		t.cluster = string(t.last)
	}
}

// vs16 is the variation selector that requests the emoji form of a character; VS15
// (U+FE0E) requests its text form.
const vs16 = '\uFE0F'

// extendCluster adds r to the cluster before the cursor if r belongs to it by UAX 29, and reports
// whether r does. This may make the cluster's cell wide (VS16) or narrow (VS15).
func (t *Terminal) extendCluster(r rune) bool {
	col, ok := t.previousCell()
	if !ok || t.cluster == "" || r < 0x80 {
		return false
	}
	text := t.cluster + string(r)
	if !oneCluster(text) {
		return false
	}
	if len(text) > maxClusterBytes {
		return true // part of the cluster, but dropped
	}
	t.replaceText(col, text)
	t.cluster = text
	t.resizeCell(col, clusterWidth(text))
	return true
}

// resizeCell changes the width of the cell at col, which is before the cursor, to w if there is room.
func (t *Terminal) resizeCell(col, w int) {
	limit := t.margins.right
	if col > limit {
		limit = t.size.Cols - 1
	}
	cells := t.scr.cells(t.row)
	wide := col+1 < len(cells) && cells[col+1].ch == spacer
	switch {
	case w == 2 && !wide && col+1 <= limit:
		t.scr.edit(t.row, col+2)
		t.split(t.row, cells, col+2)
		cells[col+1] = glyph{spacer, cells[col].st}
	case w == 1 && wide:
		t.scr.edit(t.row, col+2)[col+1].ch = blank
	default:
		return
	}
	t.wrap = false
	t.col = col
	t.advance(w, limit)
}
