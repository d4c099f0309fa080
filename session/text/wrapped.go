package text

import (
	"strings"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// maxEchoLines is the maximum number of lines that the echo of one typed line may fill.
const maxEchoLines = 200

// wrapped returns the spans of an echo that a line editor has wrapped itself, so that the terminal sees
// several lines. Blanks may be lost at such a wrap, and IPython begins each further line with a prompt.
// whole is false while the echo is incomplete or the cursor is still in it. In that case, wrapped
// recognizes the echo only if all its rows but the last are full. It returns nil if there is no such echo.
func (l typedLine) wrapped(term *emulator.Terminal, cursor int64) (spans []Span, whole bool) {
	if l.Start == nil || !l.Ended || l.Edited {
		return nil, false
	}
	left := l.Text
	full, last := true, 0 // whether all rows but the last are full, and the cells of the last
	for _, line := range term.Lines(l.Start.Line, min(term.EndLine(), l.Start.Line+maxEchoLines)) {
		sp, text := Span{Line: line.Number, To: LineEnd}, line.Text
		if line.Number == l.Start.Line {
			if !StartsWith(text, l.Before) {
				return nil, false // the program has redrawn the row: the row is output
			}
			sp.From, text = l.Start.Offset, emulator.CutCells(text, l.Start.Offset)
			if l.Prompt >= 0 {
				sp.From = l.Prompt
			}
		}
		rest, ok := cutRow(text, left)
		if !ok && len(spans) > 0 {
			rest, ok = cutRow(WithoutContinuation(text), left)
		}
		if !ok && line.Number >= cursor && strings.TrimSpace(text) == "" {
			break
		}
		if !ok {
			return nil, false
		}
		full = full && (len(spans) == 0 || last >= term.Size().Cols-1)
		last = emulator.TextWidth(line.Text)
		spans = append(spans, sp)
		if left = rest; left == "" {
			break
		}
	}
	switch n := len(spans); {
	case n > 0 && left == "" && cursor > max(l.Start.Line+1, spans[n-1].Line):
		return spans, true
	case n > 1 && full:
		return spans, false
	}
	return nil, false
}

// cutRow returns the part of a typed text that follows the part that a row shows. ok is false
// if the row is blank or shows something else.
func cutRow(row, typed string) (rest string, ok bool) {
	n, rest := cutCommand(row, typed)
	return rest, n > 0 && strings.TrimSpace(row[n:]) == ""
}

// replaced is called when the cursor is below the line. It reports whether other text than the typed text
// follows the line's prompt, and the cursor's row has another prompt or none: an interrupted program has
// written there, or a command of several lines was recalled. It is false unless keys edited the open line.
func (l typedLine) replaced(term *emulator.Terminal, prompts *detect.Prompts, cursor int64) bool {
	if l.Ended || !l.Edited || !l.anchored() || l.Prompt < 0 {
		return false
	}
	shown := strings.TrimRight(strings.TrimSuffix(emulator.CutCells(term.LineText(l.At.Line), l.At.Offset), "^C"), " ")
	if shown == "" || shown == strings.TrimRight(l.Text, " ") {
		return false
	}
	row := term.LineText(cursor)
	n := prompts.Prefix(row + " ")
	prompt := strings.TrimRight(row[:min(n, len(row))], " ")
	before := emulator.CutCells(l.Before, l.Prompt)
	return n == 0 || !strings.HasPrefix(strings.Map(dropDigits, before), strings.Map(dropDigits, prompt))
}

func dropDigits(r rune) rune { // and the dots and commas in numbers
	if r >= '0' && r <= '9' || r == '.' || r == ',' {
		return -1
	}
	return r
}
