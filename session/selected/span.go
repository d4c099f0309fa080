package selected

import (
	"slices"
	"sort"
)

// A span is a run of cells of one row that have the same tone.
type span struct {
	row, from, to int // the columns [from, to) of a row
	tone          tone
}

func (s span) contains(row, col int) bool { return s.row == row && s.from <= col && col < s.to }

// touches reports whether two spans, which are in adjacent rows, have the same tone and a column in common.
func (s span) touches(o span) bool { return s.tone == o.tone && s.from < o.to && o.from < s.to }

// spansByRow returns, for each row, the spans whose background is not the terminal's default.
func (g *grid) spansByRow() [][]span {
	out := make([][]span, len(g.tones))
	for r, tones := range g.tones {
		for c := 0; c < len(tones); {
			end := c + 1
			for end < len(tones) && tones[end] == tones[c] {
				end++
			}
			if tones[c] != 0 {
				out[r] = append(out[r], span{r, c, end, tones[c]})
			}
			c = end
		}
		out[r] = g.joined(out[r])
	}
	return out
}

// maxGap is the maximum number of blanks between two parts of one entry.
const maxGap = 3

// joined joins spans of a row that are parts of one entry. Between them are a few blanks, or the visible cursor,
// whose cell some programs do not highlight. If that cell is at an end of a span, joined adds it to the span.
func (g *grid) joined(spans []span) []span {
	var out []span
	for _, s := range spans {
		for i := len(out) - 1; i >= 0 && i >= len(out)-2; i-- {
			if i < len(out)-1 && g.isCheckBox(out[i+1]) {
				break
			}
			if out[i].tone == s.tone && g.joins(out[i], s) {
				s.from = out[i].from
				out = out[:i]
				break
			}
		}
		out = append(out, s)
	}
	for i, s := range out {
		switch {
		case g.cursorAt(s.row, s.to) && !blank(g.at(s.row, s.to)):
			out[i].to++
		case s.from > 0 && g.cursorAt(s.row, s.from-1) && !blank(g.at(s.row, s.from-1)):
			out[i].from--
		}
	}
	return out
}

// cursorAt reports whether the visible cursor is in a cell.
func (g *grid) cursorAt(row, col int) bool {
	return g.cursor.Visible && g.cursor.Row == row && g.cursor.Col == col
}

// joins reports whether a and b, two spans of a row, are parts of one entry.
func (g *grid) joins(a, b span) bool {
	if b.from == a.to+1 && g.cursorAt(a.row, a.to) {
		return true
	}
	if b.from-a.to > maxGap || blank(g.at(a.row, a.to-1)) || blank(g.at(b.row, b.from)) {
		return false
	}
	return g.textStart(a.row, a.to, b.from) < 0
}

// A patch is a connected area of one tone. It lists the area's spans from top to bottom.
type patch []span

// patches returns the connected areas of one tone, from top to bottom.
func (g *grid) patches() []patch {
	rows := g.spansByRow()
	seen := map[span]bool{}
	var out []patch
	for _, spans := range rows {
		for _, s := range spans {
			if !seen[s] {
				seen[s] = true
				out = append(out, gather(rows, s, seen))
			}
		}
	}
	return out
}

// gather returns the patch that contains the span first, and adds the patch's spans to seen.
func gather(rows [][]span, first span, seen map[span]bool) patch {
	p := patch{first}
	for i := 0; i < len(p); i++ {
		s := p[i]
		for _, r := range []int{s.row - 1, s.row + 1} {
			if r < 0 || r >= len(rows) {
				continue
			}
			for _, o := range rows[r] {
				if !seen[o] && o.touches(s) {
					seen[o] = true
					p = append(p, o)
				}
			}
		}
	}
	sort.Slice(p, func(i, j int) bool { return p[i].row < p[j].row || p[i].row == p[j].row && p[i].from < p[j].from })
	return p
}

func (p patch) height() int { return p[len(p)-1].row - p[0].row + 1 }

func (p patch) contains(row, col int) bool {
	return slices.ContainsFunc(p, func(s span) bool { return s.contains(row, col) })
}

// rectangle reports whether all rows of the patch begin and end in the same columns.
func (p patch) rectangle() bool {
	last := len(p) - 1
	for i, s := range p {
		begins, ends := i == 0 || p[i-1].row != s.row, i == last || p[i+1].row != s.row
		if begins && s.from != p[0].from || ends && s.to != p[last].to {
			return false
		}
	}
	return true
}
