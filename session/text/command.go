package text

import (
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator"
)

// maxCommandSteps is the maximum number of steps of CommandIn's search for a command.
const maxCommandSteps = 1000

// CommandIn returns the spans of lines that show command, a command line that the shell
// has reported. The command begins at cell from of the first line. Blanks and line ends may differ
// between the screen and the report. Text that another program wrote between the lines is
// not in the spans. ok is false if the lines do not show the whole command.
func CommandIn(lines []emulator.Line, from int, command string) (spans []Span, ok bool) {
	steps := 0
	var find func(i, from int, rest string) bool
	find = func(i, from int, rest string) bool {
		if steps++; i == len(lines) || steps > maxCommandSteps {
			return rest == "" && i == len(lines)
		}
		shown := emulator.CutCells(lines[i].Text, from)
		bare := WithoutContinuation(shown)
		for _, text := range []string{shown, bare} {
			n, left := cutCommand(text, rest)
			if redrawn, ok := cutRedrawn(text, rest); ok {
				n, left = redrawn, ""
			}
			if end := emulator.TextWidth(lines[i].Text) - emulator.TextWidth(text[n:]); (n > 0 || text == "") && find(i+1, 0, left) {
				spans = append(spans, Span{Line: lines[i].Number, From: from, To: end})
				return true
			}
		}
		return find(i+1, 0, rest)
	}
	return spans, find(0, from, command)
}

// cutCommand compares text with a command. It returns the length in bytes of the part of text that shows
// the beginning of the command, and the rest of the command. It ignores differences in blanks. It also
// skips line ends and semicolons of the command that text lacks, because a shell may report a semicolon
// where a line ended.
func cutCommand(text, command string) (n int, rest string) {
	const between = " \t\n;"
	for i, r := range text {
		if r == ' ' {
			continue
		}
		size := utf8.RuneLen(r)
		if !strings.HasPrefix(command, text[i:i+max(size, 1)]) {
			command = strings.TrimLeft(command, between)
		}
		after, ok := strings.CutPrefix(command, text[i:i+max(size, 1)])
		if !ok {
			break
		}
		n, command = i+size, after
	}
	return n, strings.TrimLeft(command, " \t\n") // the next row may show the semicolon
}
