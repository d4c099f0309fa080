package text

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// HeadShare is the share of an elided output that its head gets, in percent. The end is
// usually more useful.
const HeadShare = 40

// A Block is a list of lines that become one text.
type Block struct {
	lines   []Out
	chars   int // of all lines, with the line feeds between them
	removed int // number of lines that Ends has removed
}

// NewBlock returns lines as a Block.
func NewBlock(lines []Out) Block {
	b := Block{lines: lines, chars: -1}
	for _, l := range lines {
		b.chars += utf8.RuneCountInString(l.Text) + 1
	}
	return b
}

// Ends returns the Block without the lines that Join omits for every limit up to this one.
func (b Block) Ends(limit int) Block {
	head, tail := b.ends(limit)
	remove := len(b.lines) - head - tail - 2 // a line that is shown in part is kept too
	if remove <= 0 {
		return b
	}
	b.lines = append(slices.Clone(b.lines[:head+1]), b.lines[len(b.lines)-tail-1:]...)
	b.removed += remove
	return b
}

// ends returns the numbers of first and of last lines that fit into limit characters.
func (b Block) ends(limit int) (head, tail int) {
	head = fitting(slices.All(b.lines), limit*HeadShare/100)
	return head, fitting(slices.Backward(b.lines[head:]), limit-limit*HeadShare/100)
}

// Join returns the lines as one text of at most about limit characters: all of them, or
// head and tail with a line between them that says what is missing and how to get it.
// elided counts the lines left out.
func (b Block) Join(limit int) (text string, elided int) {
	lines := b.lines
	if b.chars <= limit {
		return JoinAll(lines), 0
	}
	head, tail := b.ends(limit)
	out := len(lines) - head - tail + b.removed
	if out == 0 || head == 0 || tail == 0 {
		return b.joinCut(limit), out
	}
	// Folded lines stand for more lines than there are.
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

// joinCut returns the head and tail of the lines, cut inside a line: the first or the last
// line is longer than its share.
func (b Block) joinCut(limit int) string {
	head, tail, _ := CutMiddle(JoinAll(b.lines), limit)
	return fmt.Sprintf("%s\n… %d characters left out; read_output from_line=%d max_output_chars=%d gets them …\n%s",
		strings.TrimSuffix(head, "\n"), b.chars-limit, b.lines[0].Number, b.chars, tail)
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
