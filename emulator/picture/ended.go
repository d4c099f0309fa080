package picture

import "github.com/glasstty/glasstty/emulator"

// Ended returns the snapshot as a picture of a program that has ended shows it: without
// the cursor, and without the blank rows at the end. At least one row stays.
func Ended(shot *emulator.Snapshot) *emulator.Snapshot {
	out := *shot
	out.Cursor.Visible = false
	rows := len(out.Screen)
	for rows > 1 && blankRow(out.Screen[rows-1]) {
		rows--
	}
	out.Screen, out.Size.Rows = out.Screen[:rows], rows
	return &out
}

// blankRow reports whether a row shows nothing, colours and images included.
func blankRow(row emulator.Row) bool {
	for _, c := range row.Cells {
		if c.Style != (emulator.Style{}) || c.Tile != (emulator.Tile{}) || c.Text != "" && c.Text != " " {
			return false
		}
	}
	return true
}
