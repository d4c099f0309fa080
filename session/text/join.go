package text

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// HeadShare is the share of a shortened text that its head gets, in percent. The tail gets
// more because it is usually more useful.
const HeadShare = 40

// Join returns lines as one text of at most about limit characters: all of them, or head and
// tail with a line between them that says what is missing and how to get it. elided counts
// the lines left out.
func Join(lines []Out, limit int) (text string, elided int) {
	all := JoinAll(lines)
	chars := utf8.RuneCountInString(all)
	if chars <= limit {
		return all, 0
	}
	head := fitting(slices.All(lines), limit*HeadShare/100)
	tail := fitting(slices.Backward(lines[head:]), limit-limit*HeadShare/100)
	out := len(lines) - head - tail
	if out == 0 || head == 0 || tail == 0 { // the first or the last line is longer than its share
		before, after, _ := CutMiddle(all, limit)
		return fmt.Sprintf("%s\n… %d characters left out; read_output from_line=%d max_output_chars=%d gets them …\n%s",
			strings.TrimSuffix(before, "\n"), chars-limit, lines[0].Number, chars, after), out
	}
	// A folded line stands for several lines.
	first, next := lines[head].Number, lines[len(lines)-tail].Number
	elided = int(max(next-first, int64(out)))
	return JoinAll(lines[:head]) + "\n" + Elision(elided, first) + "\n" + JoinAll(lines[len(lines)-tail:]), elided
}

// Elision returns the line that says how many lines are missing, and how to get them.
func Elision(n int, from int64) string {
	return fmt.Sprintf("… %d lines left out; read_output from_line=%d max_lines=%d gets them …", n, from, n)
}

// Fits returns the number of first lines that fit into limit characters.
func Fits(lines []Out, limit int) int { return fitting(slices.All(lines), limit+1) } // no line feed follows the last

// JoinAll returns lines as one text.
func JoinAll(lines []Out) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.Text)
	}
	return b.String()
}

// CutMiddle returns the head and tail of a text, of limit characters together, and the
// number of characters between them. If there are none, the head is the whole text.
func CutMiddle(text string, limit int) (head, tail string, omitted int) {
	runes := []rune(text)
	if omitted = len(runes) - limit; omitted <= 0 {
		return text, "", 0
	}
	n := limit * HeadShare / 100
	return string(runes[:n]), string(runes[n+omitted:]), omitted
}

// fitting returns how many lines, taken in this order, fit into n characters.
func fitting(lines iter.Seq2[int, Out], n int) (fit int) {
	for _, l := range lines {
		if n -= utf8.RuneCountInString(l.Text) + 1; n < 0 {
			break
		}
		fit++
	}
	return fit
}

// An Out is a line of output and its number.
type Out struct {
	Number int64
	Text   string
}
