package text

import (
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// Entered is what the rows of a full screen show as Enter goes out, from the top to the row
// of the cursor: typed text is in the last one, and may have begun further up. It is empty
// if nothing that was typed is shown.
type Entered []string

// EnteredOn returns the Entered of the screen if the cursor's row has changed after a
// revision.
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

// Echoes reports which rows show what they showed then, at the same place or further up
// where the program has scrolled.
func (e Entered) Echoes(rows []string) []bool {
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

// Repeats reports whether a line shows the typed text again, as programs do that leave the
// alternate screen for a command. cols is the width of the rows.
func (e Entered) Repeats(line string, cols int) bool {
	shown := ""
	for i := len(e) - 1; i >= 0 && len(shown) < len(line); i-- {
		if shown = UpTo(e[i], cols) + shown; strings.TrimRight(shown, " ") == line {
			return true
		}
	}
	return false
}
