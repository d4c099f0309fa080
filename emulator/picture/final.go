package picture

import "github.com/glasstty/glasstty/emulator"

// FinalSnapshot returns the snapshot of a program that has exited, for drawing: without
// the cursor and without trailing blank rows, but with at least one row.
func FinalSnapshot(shot *emulator.Snapshot) *emulator.Snapshot {
	out := *shot
	out.Cursor.Visible = false
	rows := len(out.Screen)
	for rows > 1 && isBlankRow(out.Screen[rows-1]) {
		rows--
	}
	out.Screen, out.Size.Rows = out.Screen[:rows], rows
	return &out
}

// isBlankRow reports whether a row shows neither text nor colours nor images.
func isBlankRow(row emulator.Row) bool {
	for _, c := range row.Cells {
		if c.Style != (emulator.Style{}) || c.Tile != (emulator.Tile{}) || c.Text != "" && c.Text != " " {
			return false
		}
	}
	return true
}
