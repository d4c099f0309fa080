package text

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// minFold is the shortest run of equal lines that is folded. A run of numbered lines, which differ only
// in their numbers, must be one line longer, because two of its lines are shown.
const minFold = 3

// Fold returns lines with each run of equal lines replaced by the first line and a count, and each run of
// numbered lines by the first line, a count and the last line. In a numbered run, each number either grows
// from line to line, or falls, or stays the same.
func Fold(lines []OutputLine) []OutputLine {
	var out []OutputLine
	for i := 0; i < len(lines); {
		n := runOf(lines[i:])
		first, last := lines[i], lines[i+n-1]
		switch {
		case n < minFold, n == minFold && first.Text != last.Text:
			out = append(out, first)
			i++
			continue
		case first.Text == last.Text:
			out = append(out, first, OutputLine{Number: lines[i+1].Number, Text: moreLikeIt(n - 1)})
		default:
			out = append(out, first, OutputLine{Number: lines[i+1].Number, Text: fmt.Sprintf("… %d lines like these …", n-2)}, last)
		}
		i += n
	}
	return out
}

// moreLikeIt returns the line that says that n lines equal the line above it.
func moreLikeIt(n int) string { return fmt.Sprintf("… %d more like it …", n) }

// runOf returns the length of the run at the beginning of lines.
func runOf(lines []OutputLine) int {
	frame, a := numbersOf(lines[0].Text)
	var previous []int // the results of compareNumbers for the previous pair of lines
	for i, l := range lines[1:] {
		other, b := numbersOf(l.Text)
		if other != frame {
			return i + 1
		}
		changes := make([]int, len(a))
		for n := range a {
			if changes[n] = compareNumbers(a[n], b[n]); changes[n] == 0 && a[n] != b[n] { // "7" and "07"
				return i + 1
			}
		}
		if i > 0 && !slices.Equal(previous, changes) {
			return i + 1
		}
		a, previous = b, changes
	}
	return len(lines)
}

// number matches a number: digits, which may have a dot and more digits after them.
var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+(?:\.[0-9]+)?`) })

// numbersOf splits a line into its numbers and the rest, with a NUL for each number.
func numbersOf(line string) (frame string, numbers []string) {
	return number().ReplaceAllLiteralString(line, "\x00"), number().FindAllString(line, -1)
}

// compareNumbers returns 1 if b is greater than a, -1 if b is smaller, and 0 if the numbers are equal.
// "7" and "07" are equal.
func compareNumbers(a, b string) int {
	a, aRest, _ := strings.Cut(a, ".")
	b, bRest, _ := strings.Cut(b, ".")
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(b, a), strings.Compare(strings.TrimRight(bRest, "0"), strings.TrimRight(aRest, "0")))
}
