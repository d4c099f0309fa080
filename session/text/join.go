package text

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// HeadPercent is the percentage of a shortened text that comes from the beginning. The end of a text is
// usually more useful, so it gets more.
const HeadPercent = 40

// Join returns lines as one text of at most about limit characters. If they do not fit, it returns the
// beginning and the end, and between them a line that says what is missing and how to get it. unfolded
// are the lines before Fold, and usual is the limit of a call that sets none; see Elision. elided counts
// the lines that are not shown whole.
func Join(lines, unfolded []OutputLine, limit, usual int) (text string, elided int) {
	joined := JoinAll(lines)
	chars := utf8.RuneCountInString(joined)
	if chars <= limit {
		return joined, 0
	}
	head := countFitting(slices.All(lines), limit*HeadPercent/100)
	tail := countFitting(slices.Backward(lines[head:]), limit-limit*HeadPercent/100)
	omitted := len(lines) - head - tail
	if omitted == 0 || head == 0 || tail == 0 { // the first or the last line is longer than its share
		before, after, _ := CutMiddle(joined, limit)
		return fmt.Sprintf("%s\n… %d characters left out; read_output from_line=%d max_output_chars=%d gets them …\n%s",
			strings.TrimSuffix(before, "\n"), chars-limit, lines[0].Number, countChars(unfolded), after), omitted
	}
	// A folded line stands for several lines.
	first, next := lines[head].Number, lines[len(lines)-tail].Number
	elided = int(max(next-first, int64(omitted)))
	missing := slices.IndexFunc(unfolded, func(l OutputLine) bool { return l.Number >= first })
	return JoinAll(lines[:head]) + "\n" + Elision(unfolded[missing:], elided, usual) + "\n" + JoinAll(lines[len(lines)-tail:]), elided
}

// Elision returns the line that says that n lines are missing, and how to get them. lines begin with the
// first of them. If the n lines have more than usual characters, the line also names a limit that suffices.
func Elision(lines []OutputLine, n, usual int) string {
	limit := ""
	if chars := countChars(lines[:min(n, len(lines))]); chars > usual {
		limit = fmt.Sprintf(" max_output_chars=%d", chars)
	}
	return fmt.Sprintf("… %d lines left out; read_output from_line=%d max_lines=%d%s gets them …", n, lines[0].Number, n, limit)
}

// countChars returns the number of characters in the text that JoinAll returns.
func countChars(lines []OutputLine) int { return utf8.RuneCountInString(JoinAll(lines)) }

// CountFitting returns how many of the first lines fit into limit characters; no line feed follows the last.
func CountFitting(lines []OutputLine, limit int) int { return countFitting(slices.All(lines), limit+1) }

// JoinAll returns lines as one text.
func JoinAll(lines []OutputLine) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.Text)
	}
	return b.String()
}

// CutMiddle returns the head and tail of a text, of limit characters together, and the number of
// characters between them. If the text has at most limit characters, head is the whole text.
func CutMiddle(text string, limit int) (head, tail string, omitted int) {
	runes := []rune(text)
	if omitted = len(runes) - limit; omitted <= 0 {
		return text, "", 0
	}
	n := limit * HeadPercent / 100
	return string(runes[:n]), string(runes[n+omitted:]), omitted
}

// countFitting returns how many lines, in the order of the sequence, fit into n characters with a line feed each.
func countFitting(lines iter.Seq2[int, OutputLine], n int) (fit int) {
	for _, l := range lines {
		if n -= utf8.RuneCountInString(l.Text) + 1; n < 0 {
			break
		}
		fit++
	}
	return fit
}

// An OutputLine is a line of output and its number.
type OutputLine struct {
	Number int64
	Text   string
}
