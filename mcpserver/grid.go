package mcpserver

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/glasstty/glasstty/emulator"
)

// cursorMark stands before the cursor's cell: a bar at the cell's left edge.
var cursorMark = emulator.Cell{Text: "▏", Width: 1}

// crop returns shot with only the screen's cells in a; the scrollback stays. A
// wide character that is cut in half becomes a blank.
func crop(shot *emulator.Snapshot, a region) *emulator.Snapshot {
	out := *shot
	out.Size = emulator.Size{Rows: a.Rows, Cols: a.Cols}
	out.Cursor.Row -= a.Row
	out.Cursor.Col -= a.Col
	out.Screen = make([]emulator.Row, a.Rows)
	for i, row := range shot.Screen[a.Row : a.Row+a.Rows] {
		cells := slices.Clone(row.Cells[a.Col : a.Col+a.Cols])
		if cells[0].Width == 0 {
			cells[0] = emulator.Cell{Width: 1, Style: cells[0].Style}
		}
		if last := &cells[len(cells)-1]; last.Width == 2 {
			*last = emulator.Cell{Width: 1, Style: last.Style}
		}
		row.Cells = cells
		out.Screen[i] = row
	}
	return &out
}

// withCursor returns shot with a mark before the cursor's cell, when that is in
// it.
func withCursor(shot *emulator.Snapshot) *emulator.Snapshot {
	at := shot.Cursor
	if at.Row < 0 || at.Row >= len(shot.Screen) || at.Col < 0 || at.Col >= len(shot.Screen[at.Row].Cells) {
		return shot
	}
	out := *shot
	out.Screen = slices.Clone(shot.Screen)
	row := &out.Screen[at.Row]
	row.Cells = slices.Insert(slices.Clone(row.Cells), at.Col, cursorMark)
	return &out
}

// revealed returns shot with the characters that nobody can see written by
// their names, as <U+200B>.
func revealed(shot *emulator.Snapshot) *emulator.Snapshot {
	out := *shot
	out.Screen = revealedRows(shot.Screen)
	out.Scrollback = revealedRows(shot.Scrollback)
	return &out
}

func revealedRows(rows []emulator.Row) []emulator.Row {
	out := slices.Clone(rows)
	for i, row := range rows {
		cells := slices.Clone(row.Cells)
		for j := range cells {
			cells[j].Text = reveal(cells[j].Text)
		}
		out[i].Cells = cells
	}
	return out
}

// reveal writes the invisible characters of text by their names.
func reveal(text string) string {
	if strings.IndexFunc(text, invisible) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if invisible(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// invisible reports whether r is drawn as nothing or changes the order of what
// is drawn: format characters (bidirectional controls, joiners, tags), variation
// selectors, fillers and unusual blanks.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
		unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp) && r != ' '
}

// allText is the text of the scrollback and the screen.
func allText(shot *emulator.Snapshot) string {
	var b strings.Builder
	for _, row := range shot.Scrollback {
		b.WriteString(row.Text())
		b.WriteByte('\n')
	}
	b.WriteString(shot.Text())
	return strings.TrimRight(b.String(), "\n")
}
