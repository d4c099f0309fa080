package picture

import (
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// A piece is text in one style.
type piece struct {
	text  string
	style emulator.Style
}

// snapshotOf returns a snapshot with the given rows. It finds wide characters
// with a fixed list of ranges and combining characters with Unicode's marks.
func snapshotOf(cols int, rows ...[]piece) *emulator.Snapshot {
	snap := &emulator.Snapshot{Size: emulator.Size{Rows: len(rows), Cols: cols}}
	for _, pieces := range rows {
		var cells []emulator.Cell
		for _, p := range pieces {
			for _, r := range p.text {
				switch {
				case joins(r):
					i := len(cells) - 1
					for cells[i].Width == 0 {
						i--
					}
					cells[i].Text += string(r)
				case wide(r):
					cells = append(cells, emulator.Cell{Text: string(r), Width: 2, Style: p.style}, emulator.Cell{Style: p.style})
				default:
					cells = append(cells, emulator.Cell{Text: string(r), Width: 1, Style: p.style})
				}
			}
		}
		for len(cells) < cols {
			cells = append(cells, emulator.Cell{Width: 1})
		}
		snap.Screen = append(snap.Screen, emulator.Row{Cells: cells})
	}
	return snap
}

func wide(r rune) bool {
	return r >= 0x1100 && r <= 0x115F || r >= 0x2E80 && r <= 0xD7A3 || r >= 0xFF00 && r <= 0xFF60 || r >= 0x1F300 && r <= 0x1FAFF
}

func joins(r rune) bool {
	return r >= 0x300 && r <= 0x36F || r >= 0x200B && r <= 0x200F || r == 0xFE0F || r >= 0x202A && r <= 0x202E
}

// plain returns a row of unstyled text.
func plain(text string) []piece { return []piece{{text: text}} }

// plainRows returns a row for each line.
func plainRows(text string) [][]piece {
	var out [][]piece
	for line := range strings.Lines(text) {
		out = append(out, plain(strings.TrimSuffix(line, "\n")))
	}
	return out
}
