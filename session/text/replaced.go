package text

import (
	"strings"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// replaced reports whether something else than what was typed stands behind the prompt,
// and the cursor below in a row without that prompt: a program that was interrupted has
// written there, or the history has brought a command of several lines.
func (l typedLine) replaced(term *emulator.Terminal, prompts *detect.Prompts, cursor int64) bool {
	lines := term.Lines(l.At.Line, l.At.Line+1)
	if l.Ended || !l.Edited || !l.Anchored || l.Prompt < 0 || len(lines) == 0 {
		return false
	}
	shown := strings.TrimRight(strings.TrimSuffix(emulator.CutCells(lines[0].Text, l.At.Offset), "^C"), " ")
	if shown == "" || shown == strings.TrimRight(l.Text, " ") {
		return false
	}
	for _, row := range term.Lines(cursor, cursor+1) {
		if n := prompts.Prefix(row.Text + " "); n > 0 {
			prompt := strings.TrimRight(row.Text[:min(n, len(row.Text))], " ")
			before := strings.Map(noDigits, emulator.CutCells(l.Before, l.Prompt))
			return !strings.HasPrefix(before, strings.Map(noDigits, prompt))
		}
	}
	return true
}

// noDigits drops digits and what joins them into numbers.
func noDigits(r rune) rune {
	if r >= '0' && r <= '9' || r == '.' || r == ',' {
		return -1
	}
	return r
}
