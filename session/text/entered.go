package text

import (
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// Entered holds the rows that a full-screen program shows when Enter is sent, from the top row
// to the cursor's. The typed text ends in the last row, and may begin further up. Entered is
// empty if the screen does not show the typed text.
type Entered []string

// EnteredOn returns the Entered of the screen, or nil if the cursor's row is blank or has not changed
// after the revision after.
func EnteredOn(term *emulator.Terminal, after uint64) Entered {
	rows := term.RowTexts(nil)[:term.Cursor().Row+1]
	if last := rows[len(rows)-1]; last.Revision <= after || last.Text == "" {
		return nil
	}
	shown := make(Entered, len(rows))
	for i, r := range rows {
		shown[i] = r.Text
	}
	return shown
}

// EchoRows reports for each of the present rows whether it still shows text that was on the screen when
// Enter was sent, in the same row or, if the program has scrolled, further down.
func (e Entered) EchoRows(rows []string) []bool {
	echoes := make([]bool, len(rows))
	for i := min(len(e), len(rows)) - 1; i >= 0; i-- {
		if rows[i] != e[len(e)-1] {
			continue
		}
		for up := len(e) - 1 - i; i >= 0; i-- {
			echoes[i] = rows[i] == e[i+up]
		}
		break
	}
	return echoes
}

// Repeats reports whether a line shows the typed text again. Programs that leave the alternate
// screen to run a typed command print the command on the main screen. cols is the width of the rows.
func (e Entered) Repeats(line string, cols int) bool {
	shown := ""
	for i := len(e) - 1; i >= 0 && len(shown) < len(line); i-- {
		if shown = UpTo(e[i], cols) + shown; strings.TrimRight(shown, " ") == line {
			return true
		}
	}
	return false
}
