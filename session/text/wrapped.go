package text

import (
	"strings"
	"unicode"

	"github.com/glasstty/glasstty/emulator"
)

// maxEchoLines bounds the lines over which the echo of one typed line is followed.
const maxEchoLines = 200

// wrapped returns the spans of an echo that a line editor has wrapped by itself,
// line by line, which the terminal does not know to be one line. Blanks may get
// lost at such a wrap, and IPython begins each further line with a prompt. nil
// means that there is no such echo, or not all of it yet.
func (l typedLine) wrapped(term *emulator.Terminal, cursor int64) []Span {
	if l.Here == nil || !l.Ended || l.Edited || cursor <= l.Here.Line+1 {
		return nil
	}
	left := strings.Map(visible, l.Text)
	var spans []Span
	for _, line := range term.Lines(l.Here.Line, min(cursor, l.Here.Line+maxEchoLines)) {
		sp, text := Span{Line: line.Number, To: LineEnd}, line.Text
		if line.Number == l.Here.Line {
			if !StartsWith(text, l.Before) {
				return nil // the program has drawn the row again: that is its answer
			}
			sp.From, text = l.Here.Offset, emulator.CutCells(text, l.Here.Offset)
			if l.Prompt >= 0 {
				sp.From = l.Prompt
			}
		}
		rest, ok := cutShown(left, text)
		if !ok && len(spans) > 0 {
			rest, ok = cutShown(left, WithoutContinuation(text))
		}
		if !ok {
			return nil
		}
		spans = append(spans, sp)
		if left = rest; left == "" {
			return spans
		}
	}
	return nil
}

// visible drops blanks from a text that strings.Map maps.
func visible(r rune) rune {
	if unicode.IsSpace(r) {
		return -1
	}
	return r
}

// cutShown returns left, which has no blanks, without the text that line shows of
// it. A line that shows nothing, or something else, is not ok.
func cutShown(left, line string) (rest string, ok bool) {
	shown := strings.Map(visible, line)
	if shown == "" {
		return left, false
	}
	return strings.CutPrefix(left, shown)
}
