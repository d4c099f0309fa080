package text

import (
	"context"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator"
)

const (
	// maxHits limits the hits of one search.
	maxHits = 200
	// maxUncut is the most work that a match which cannot be interrupted may take, in steps
	// of PatternWork: about 40 ms.
	maxUncut = 1 << 22
	// runesPerCheck is the number of characters matched between two checks of the context.
	runesPerCheck = 64
)

// A SearchHit is a run of lines around a match.
type SearchHit struct {
	Line int64 // number of the first line in Lines
	Hits []int64
	Text []string
}

// Search returns the indexes of the lines that match, and the number of lines searched
// before ctx ended.
func Search(ctx context.Context, pattern *regexp.Regexp, lines []emulator.Line) (hits []int, searched int) {
	size := PatternWork(pattern)
	for i, l := range lines {
		matches := false
		if len(l.Text)*size <= maxUncut {
			matches = pattern.MatchString(l.Text)
		} else {
			matches = pattern.MatchReader(&cutReader{ctx: ctx, text: strings.NewReader(l.Text)})
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

// A cutReader reads a text until ctx ends.
type cutReader struct {
	ctx  context.Context
	text *strings.Reader
	read int
}

func (r *cutReader) ReadRune() (rune, int, error) {
	if r.read++; r.read%runesPerCheck == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	return r.text.ReadRune()
}

// Around returns the lines of hits with the lines around them, and joins hits whose
// surroundings touch. more reports that there are further hits, beyond maxHits or beyond
// limit characters. If newest is above 0, only that many of the last hits count.
func Around(lines []emulator.Line, hits []int, newest, around, limit int) (found []SearchHit, more bool) {
	if newest > 0 {
		hits, more = newestHits(lines, hits[max(0, len(hits)-newest):], around, limit)
	}
	end := 0 // earlier lines are in found
	for n, i := range hits {
		from, to := max(i-around, 0), min(i+around+1, len(lines))
		joins := len(found) > 0 && from <= end
		if joins {
			from = end
		}
		text, size := texts(lines[from:max(from, to)], limit)
		limit -= size
		if n == maxHits || limit < 0 && n > 0 {
			return found, true
		}
		if joins {
			last := &found[len(found)-1]
			last.Text = append(last.Text, text...)
			last.Hits = append(last.Hits, lines[i].Number)
		} else {
			found = append(found, SearchHit{Line: lines[from].Number, Hits: []int64{lines[i].Number}, Text: text})
		}
		end = max(end, to)
	}
	return found, more
}

// newestHits returns the last hits that fit, with the lines around them, into limit
// characters. more reports that others do not fit.
func newestHits(lines []emulator.Line, hits []int, around, limit int) (last []int, more bool) {
	hits, more = hits[max(0, len(hits)-maxHits):], len(hits) > maxHits
	end := len(lines) // lines from here on have been counted
	for n := len(hits) - 1; n >= 0; n-- {
		for end = min(end, hits[n]+around+1); end > max(hits[n]-around, 0); end-- {
			limit -= utf8.RuneCountInString(lines[end-1].Text) + 1
		}
		if limit < 0 && n+1 < len(hits) {
			return hits[n+1:], true
		}
	}
	return hits, more
}

// texts returns the text of each line, cut to limit characters, and their total number of
// characters with line feeds.
func texts(lines []emulator.Line, limit int) (out []string, size int) {
	limit = max(limit, 0)
	for _, l := range lines {
		text := l.Text
		if n := utf8.RuneCountInString(text); n > limit {
			text = string([]rune(text)[:limit]) + "…"
		}
		size += utf8.RuneCountInString(text) + 1
		out = append(out, text)
	}
	return out, size
}

// MaxPatternWork is the greatest allowed PatternWork.
const MaxPatternWork = 10_000

// PatternWork returns the number of steps that pattern may need for one character of text:
// the number of its instructions.
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
