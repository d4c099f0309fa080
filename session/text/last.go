package text

import (
	"strings"
	"unicode"

	"github.com/glasstty/glasstty/emulator"
)

// LastLine returns the last line of the screen that contains a letter or a digit, and the line's first
// and last row. If there is no such line, the text is empty and the rows are 0. Wrapped rows of a line
// are joined. If atPrompt is true, LastLine ignores the rows from the cursor's line on, except in a
// full-screen program.
func LastLine(term *emulator.Terminal, atPrompt bool) (first, last int, text string) {
	row := term.Size().Rows - 1
	if atPrompt && !term.FullScreen() {
		row, _ = term.LineUpToRow(term.Cursor().Row)
		row--
	}
	for ; row >= 0; row = first - 1 {
		// A border has no letter or digit, nor has vim's ~ below the end of a file.
		first, text = term.LineUpToRow(row)
		if text = strings.TrimSpace(text); strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			return first, row, text
		}
	}
	return 0, 0, ""
}

// Joined returns the text of rows that show one line.
func Joined(rows []emulator.Row) string {
	var line emulator.Row
	for _, r := range rows {
		line.Cells = append(line.Cells, r.Cells...)
	}
	return strings.TrimSpace(line.Text())
}
