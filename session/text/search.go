package text

import (
	"context"
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator"
)

const (
	// maxHits is the maximum number of hits that Around shows.
	maxHits = 200
	// A line is matched without checks of the context if its length in bytes times PatternWork is at
	// most maxUninterrupted, which takes about 40 ms.
	maxUninterrupted = 1 << 22
	// runesPerCheck is the number of characters matched between two checks of the context.
	runesPerCheck = 64
)

// A SearchHit is a run of lines with one or more matching lines among them.
type SearchHit struct {
	Line int64    // number of the first line in Text
	Hits []int64  // numbers of the matching lines
	Text []string // the lines
}

// Search returns the indexes of the lines that match, and the number of lines that it has searched: all,
// unless ctx ended before.
func Search(ctx context.Context, pattern *regexp.Regexp, lines []emulator.Line) (hits []int, searched int) {
	size := PatternWork(pattern)
	for i, l := range lines {
		matches := false
		if len(l.Text)*size <= maxUninterrupted {
			matches = pattern.MatchString(l.Text)
		} else {
			matches = pattern.MatchReader(&ctxReader{ctx: ctx, text: strings.NewReader(l.Text)})
		}
		if ctx.Err() != nil {
			return hits, i
		}
		if matches {
			hits = append(hits, i)
		}
	}
	return hits, len(lines)
}

// A ctxReader reads a text until ctx ends.
type ctxReader struct {
	ctx  context.Context
	text *strings.Reader
	read int
}

func (r *ctxReader) ReadRune() (rune, int, error) {
	if r.read++; r.read%runesPerCheck == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	return r.text.ReadRune()
}

// Around returns the lines of hits with margin lines around each, and joins hits whose surroundings
// touch. If newest is above 0, Around uses only that many of the last hits, and prefers the newest. more
// reports that some of these hits were left out, because there are more than maxHits, or because they do
// not fit into limit characters. Around cuts lines that are longer than limit.
func Around(lines []emulator.Line, hits []int, newest, margin, limit int) (found []SearchHit, more bool) {
	if newest > 0 {
		hits = slices.Clone(hits[max(0, len(hits)-newest):])
		slices.Reverse(hits)
	}
	n := fittingHits(lines, hits, margin, limit)
	hits, more = hits[:n], n < len(hits)
	slices.Sort(hits)
	end := 0 // index of the line after the last one in found
	for _, i := range hits {
		from := max(i-margin, 0)
		if len(found) == 0 || from > end {
			found, end = append(found, SearchHit{Line: lines[from].Number}), from
		}
		last := &found[len(found)-1]
		last.Hits = append(last.Hits, lines[i].Number)
		for ; end < min(i+margin+1, len(lines)); end++ {
			text := lines[end].Text
			if utf8.RuneCountInString(text) > limit {
				text = string([]rune(text)[:limit]) + "…"
			}
			last.Text = append(last.Text, text)
		}
	}
	return found, more
}

// fittingHits returns how many of the first hits fit, with the lines around them, into limit characters.
// The first hit always counts as fitting; the result is at most maxHits.
func fittingHits(lines []emulator.Line, hits []int, margin, limit int) int {
	counted := map[int]bool{}
	for n, i := range hits {
		for j := max(i-margin, 0); j < min(i+margin+1, len(lines)); j++ {
			if !counted[j] {
				counted[j] = true
				limit -= utf8.RuneCountInString(lines[j].Text) + 1
			}
		}
		if n == maxHits || limit < 0 && n > 0 {
			return n
		}
	}
	return len(hits)
}

// MaxPatternWork is the greatest allowed PatternWork.
const MaxPatternWork = 10_000

// PatternWork returns the number of steps that pattern may need for one character of text: the number of
// instructions in its program, or MaxPatternWork if it cannot be compiled.
func PatternWork(pattern *regexp.Regexp) int {
	tree, err := syntax.Parse(pattern.String(), syntax.Perl)
	if err != nil {
		return MaxPatternWork
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return MaxPatternWork
	}
	return len(prog.Inst)
}
