package text

import (
	"strings"
	"unicode"

	"github.com/glasstty/glasstty/emulator"
)

// LastRow returns the last row of the screen that has a word or a number, and its text;
// "" for none. At a prompt, rows from the cursor's on do not count, unless a program uses
// the whole screen.
func LastRow(term *emulator.Terminal, atPrompt bool) (row int, text string) {
	row = term.Size().Rows - 1
	if atPrompt && !term.FullScreen() {
		row = term.Cursor().Row - 1
	}
	for ; row >= 0; row-- {
		// Not a border, or vim's ~ below the end of a file.
		if text := strings.TrimSpace(term.RowText(row)); strings.ContainsFunc(text, wordy) {
			return row, text
		}
	}
	return row, ""
}

// wordy reports whether a character is one of a word or a number.
func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
