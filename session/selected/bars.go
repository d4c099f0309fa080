package selected

import (
	"slices"
	"strings"
	"unicode"
)

// bars finds the spans whose different background does not mean a choice: they are in status lines
// at the edges of the screen, in headers of columns, or in an editor's mode lines.
type bars struct {
	g         *grid
	headers   map[int]bool  // rows that contain headers of columns
	modeLines map[tone]bool // tones of an editor's mode lines
}

func (g *grid) newBars(patches []patch) bars {
	b := bars{g: g, headers: map[int]bool{}, modeLines: map[tone]bool{}}
	if line := len(g.cells) - 2; g.full && line > 0 {
		colored := 0 // number of cells with a different background
		for _, t := range g.tones[line] {
			if t != 0 {
				colored++
				b.modeLines[t] = true
			}
		}
		if colored < g.cols*9/10 {
			clear(b.modeLines)
		}
	}
	for _, p := range patches {
		for _, s := range p {
			if p.height() <= maxLines && g.isHeader(s) {
				b.headers[s.row] = true
			}
		}
	}
	return b
}

// sameTone reports whether the columns [from, to) of a row have the same tone.
func (g *grid) sameTone(row, from, to int) bool {
	t := g.tones[row]
	return !slices.ContainsFunc(t[from:min(to, len(t))], func(o tone) bool { return o != t[from] })
}

// contains reports whether a span belongs to a bar. A bar is a status line, a header or a mode line.
func (b bars) contains(s span) bool {
	g, last := b.g, len(b.g.cells)-1
	from, to := g.pane(s.row, s.from)
	wide := s.to-s.from >= (to-from)*9/10
	switch {
	case b.headers[s.row] || b.headers[s.row+1] && !wide:
		return true
	case !g.full: // a menu among a shell's lines may be in any row, but a line editor's toolbar is in the last
		return s.row == last && g.cursor.Visible && g.cursor.Row < last
	case s.row == last, s.row == last-1 && (wide || !g.sameTone(s.row, 0, s.from)):
		return true
	case s.row == 0 && !wide:
		return !g.isPager() && !(g.cursor.Visible && s.contains(g.cursor.Row, g.cursor.Col))
	case wide && b.modeLines[s.tone]:
		return true
	case wide && to-from > g.cols/3 && (g.cursor.Visible || s.row == 0):
		return !b.headers[s.row-1] && !g.alike(s.row, s.row-1, from, to) && !g.alike(s.row, s.row+1, from, to)
	}
	return false
}

// isPager reports whether the visible cursor is in the last row, as in a pager that waits for commands.
func (g *grid) isPager() bool { return g.cursor.Visible && g.cursor.Row == len(g.cells)-1 }

// isHeader reports whether a span is the header of columns: text in capitals above text that is
// not, or words above numbers.
func (g *grid) isHeader(s span) bool {
	below := s.row + 1
	from, to := g.pane(s.row, s.from)
	if below >= len(g.cells) || s.to-s.from < 8 {
		return false
	}
	if at := g.textStart(s.row, from, to); g.sibling(s.row, s.row-1, from, to) && g.tones[s.row-1][at] == g.tones[below][at] {
		return false // among the rows of a list
	}
	text, next := g.text(s.row, from, to), g.text(below, from, to)
	if !hasWord(next) {
		return false
	}
	if mostlyCapitals(text) && !mostlyCapitals(next) {
		return true
	}
	return strings.ContainsFunc(next, unicode.IsDigit) && !strings.ContainsFunc(text, unicode.IsDigit) &&
		len(strings.Fields(text)) > 1
}

// mostlyCapitals reports whether most letters of a text are capitals.
func mostlyCapitals(text string) bool {
	upper, letters := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if unicode.IsUpper(r) {
				upper++
			}
		}
	}
	return letters > 1 && upper*10 >= letters*7
}

// sibling reports whether the texts of two rows begin in about the same column, as in a list.
func (g *grid) sibling(row, other, from, to int) bool {
	if other < 0 || other >= len(g.cells) {
		return false
	}
	a, b := g.textStart(row, from, to), g.textStart(other, from, to)
	begins := blank(g.at(other, b-1)) || edge(g.at(other, b-1))
	return a >= 0 && b >= 0 && a-b <= 1 && b-a <= 1 && begins
}

// alike reports whether two rows seem to belong to one list: in most columns, their characters are
// of the same class.
func (g *grid) alike(row, other, from, to int) bool {
	if !g.sibling(row, other, from, to) {
		return false
	}
	same, shown := 0, 0
	for c := from; c < to; c++ {
		a, b := charClass(g.at(row, c)), charClass(g.at(other, c))
		if a == ' ' && b == ' ' {
			continue
		}
		if shown++; a == b {
			same++
		}
	}
	return same*2 > shown
}

// isTitle reports whether a span is in a horizontal line of a box, as the box's title is.
func (g *grid) isTitle(s span) bool {
	return horizontal(g.at(s.row, s.from-1)) || horizontal(g.at(s.row, s.to)) ||
		horizontal(g.at(s.row, s.from-2)) && horizontal(g.at(s.row, s.to+1))
}

// isPrompt reports whether a span begins its row and the visible cursor is just after the span.
func (g *grid) isPrompt(s span) bool { return s.from == 0 && g.cursorAt(s.row, s.to) }

// isInput reports whether a span is an input field. Either its text ends in "___", or the span has
// at least 8 cells and the visible cursor, and no text from the cursor on.
func (g *grid) isInput(s span) bool {
	text := g.text(s.row, s.from, s.to)
	if strings.HasSuffix(strings.TrimRight(text, " "), "___") {
		return true
	}
	if !g.cursor.Visible || !s.contains(g.cursor.Row, g.cursor.Col) || s.to-s.from < 8 {
		return false
	}
	return g.textStart(s.row, g.cursor.Col, s.to) < 0
}

// isGauge reports whether a span shows a percentage, as the filled part of a progress bar does, or
// a position in a list: it contains only digits, % and /, with at least one of the two signs.
func (g *grid) isGauge(s span) bool {
	text := strings.TrimSpace(g.text(s.row, s.from, s.to))
	return strings.ContainsAny(text, "%/") && strings.Trim(text, "0123456789%/ ") == ""
}

// isCurrentLine reports whether a span is an editor's line with the visible cursor, but not at an end of the span.
func (g *grid) isCurrentLine(s span) bool {
	return g.cursor.Visible && g.cursor.Row == s.row && s.to-s.from >= g.cols*9/10 && g.cursor.Col != s.from && g.cursor.Col < s.to-1
}

// isLineNumber reports whether a span is a line number in the row of the visible cursor, left of it.
func (g *grid) isLineNumber(s span) bool {
	return g.cursor.Visible && g.cursor.Row == s.row && g.cursor.Col >= s.to &&
		strings.Trim(g.text(s.row, s.from, s.to), "0123456789 ") == ""
}

// isMessage reports whether a span is a message of a full-screen program: the visible cursor is in another
// row, and the rows above and below do not begin in the same column, as they would in a list.
func (g *grid) isMessage(s span) bool {
	if !g.full || !g.cursor.Visible || g.cursor.Row == s.row || g.isPager() {
		return false
	}
	from, to := g.pane(s.row, s.from)
	from = max(from, s.from-1)
	return !g.sibling(s.row, s.row-1, from, to) && !g.sibling(s.row, s.row+1, from, to)
}

// withoutHeads removes the headers of columns: spans above one of another tone, with only rows of
// the same list in between. It also removes the tabs in the row above such a header.
func (g *grid) withoutHeads(found []patch) []patch {
	heads := map[int]bool{}
	isHead := func(p patch) bool {
		s := p[0]
		return p.height() == 1 && (heads[s.row+1] || slices.ContainsFunc(found, func(o patch) bool {
			return o[0].tone != s.tone && o[0].row > s.row && g.isHeadOf(s, o[0])
		}))
	}
	for i := len(found) - 1; i >= 0; i-- {
		if isHead(found[i]) {
			heads[found[i][0].row] = true
		}
	}
	return slices.DeleteFunc(found, isHead)
}

// isHeadOf reports whether s is at the top of the column that contains o.
func (g *grid) isHeadOf(s, o span) bool {
	from, to := g.pane(s.row, s.from)
	if s.from != o.from || g.sibling(s.row, s.row-1, from, to) {
		return false
	}
	for r := s.row + 1; r <= o.row; r++ {
		if !g.sibling(s.row, r, s.from, to) {
			return false
		}
	}
	return true
}
