package text

import (
	"strings"
	"unicode"

	"github.com/glasstty/glasstty/emulator"
)

// LastLine returns the last line of the screen that has a word or a number, soft-wrapped
// rows joined, and its first and last row; "" for none. At a prompt, rows from the cursor's
// on do not count, unless a program uses the whole screen.
func LastLine(term *emulator.Terminal, atPrompt bool) (first, last int, text string) {
	row := term.Size().Rows - 1
	if atPrompt && !term.FullScreen() {
		row, _ = term.RowLine(term.Cursor().Row)
		row--
	}
	for ; row >= 0; row = first - 1 {
		// Not a border, or vim's ~ below the end of a file.
		first, text = term.RowLine(row)
		if text = strings.TrimSpace(text); strings.ContainsFunc(text, wordy) {
			return first, row, text
		}
	}
	return 0, 0, ""
}

// wordy reports whether a character is one of a word or a number.
func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
