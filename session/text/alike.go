package text

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// minFold is the shortest run of equal lines that is folded. A run of numbered lines has
// one line more, because two of them are shown.
const minFold = 3

// Fold returns lines with each run of equal lines replaced by the first and a count, and
// each run of numbered lines by the first, a count and the last. In a numbered run, each
// number either grows from line to line, or falls, or stays the same.
func Fold(lines []Out) []Out {
	var out []Out
	for i := 0; i < len(lines); {
		n := runOf(lines[i:])
		first, last := lines[i], lines[i+n-1]
		switch {
		case n < minFold, n == minFold && first.Text != last.Text:
			out = append(out, first)
			i++
			continue
		case first.Text == last.Text:
			out = append(out, first, Out{Number: lines[i+1].Number, Text: fmt.Sprintf("… %d times the same …", n)})
		default:
			out = append(out, first, Out{Number: lines[i+1].Number, Text: fmt.Sprintf("… %d lines like these …", n-2)}, last)
		}
		i += n
	}
	return out
}

// runOf returns the length of the run at the beginning of lines.
func runOf(lines []Out) int {
	a := numbersOf(lines[0].Text)
	var directions []int // of each number, from line to line
	for i, l := range lines[1:] {
		b := numbersOf(l.Text)
		next, ok := a.directionsTo(b)
		if !ok || i > 0 && !slices.Equal(directions, next) {
			return i + 1
		}
		a, directions = b, next
	}
	return len(lines)
}

// A numbered line is a line split into its numbers and the rest.
type numbered struct {
	frame   string // the line with a NUL for each number
	numbers []string
}

// number matches a number: digits, which may have a dot and more digits after them.
var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+(?:\.[0-9]+)?`) })

// numbersOf splits a line.
func numbersOf(line string) numbered {
	return numbered{number().ReplaceAllLiteralString(line, "\x00"), number().FindAllString(line, -1)}
}

// directionsTo returns how each number changes from line n to line o: 1 if it grows, -1 if
// it falls, 0 if it stays the same. ok is false if something else differs.
func (n numbered) directionsTo(o numbered) (directions []int, ok bool) {
	if n.frame != o.frame {
		return nil, false
	}
	directions = make([]int, len(n.numbers))
	for i, a := range n.numbers {
		b := o.numbers[i]
		if directions[i] = compareNumbers(a, b); directions[i] == 0 && a != b {
			return nil, false // "7" and "07"
		}
	}
	return directions, true
}

// compareNumbers returns 1 if b is greater than a, -1 if it is smaller, and 0 if they are
// equal.
func compareNumbers(a, b string) int {
	a, aRest, _ := strings.Cut(a, ".")
	b, bRest, _ := strings.Cut(b, ".")
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(b, a), strings.Compare(strings.TrimRight(bRest, "0"), strings.TrimRight(aRest, "0")))
}
