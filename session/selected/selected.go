package selected

import (
	"slices"
	"sort"
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// maxCandidates is the maximum number of candidates that Find returns.
const maxCandidates = 3

// A Choice is a highlighted text and the first row that the text is in.
type Choice struct {
	Row  int
	Text string
}

// A candidate is a Choice with its evidence.
type candidate struct {
	row    int
	text   string
	weight int
}

// The evidence for a candidate. The weight of a candidate is the sum of these.
const (
	byCursor   = 8 // the cursor is in the text
	byMarker   = 6 // a marker precedes the text
	byCheckBox = 2 // the text is a check box
	byColor    = 1 // the background has a colour, unlike that of a grey button next to it
	byStyle    = 1 // the background differs, or the marker is also a border of a box
)

// Find returns the text that is highlighted as chosen on a screen. If there are several, it returns
// up to maxCandidates, the most likely first. If there is none, it returns nil.
func Find(s *emulator.Snapshot) []Choice {
	g := newGrid(s)
	return best(append(g.marked(), g.highlighted()...))
}

// FindMarked is like Find, but finds only texts with a marker. Use it for a program that may be a
// REPL: the output of a REPL may have any background.
func FindMarked(s *emulator.Snapshot) []Choice { return best(newGrid(s).marked()) }

// best returns up to maxCandidates candidates, the most likely first.
func best(found []candidate) []Choice {
	sort.SliceStable(found, func(i, j int) bool {
		a, b := &found[i], &found[j]
		return a.weight > b.weight || a.weight == b.weight && a.row < b.row
	})
	var out []Choice
	rows := map[int]string{}
	for _, c := range found {
		// A row may have both a marker and a different background.
		if twin, ok := rows[c.row]; ok && (strings.Contains(twin, c.text) || strings.Contains(c.text, twin)) {
			continue
		}
		rows[c.row] = c.text
		if out = append(out, Choice{c.row, c.text}); len(out) == maxCandidates {
			break
		}
	}
	return out
}

// highlighted returns candidates for the texts with a different background.
func (g *grid) highlighted() []candidate {
	patches := g.patches()
	b := g.newBars(patches)
	var found []patch
	for _, p := range patches {
		switch {
		case g.isPanelPart(p, patches):
		case p.height() > 1 && g.isSelection(p):
			found = append(found, p)
		case (p.height() > maxLines || p.height() > 1 && p.rectangle()) && !(g.isPager() && g.inRunningText(p[0])):
		default:
			for _, s := range p {
				if g.standsOut(s, b) {
					found = append(found, patch{s})
				}
			}
		}
	}
	var out []candidate
	for _, p := range g.withoutRepeats(g.withoutHeads(found)) {
		c := candidate{row: p[0].row, text: g.textOf(p), weight: byStyle}
		if p.contains(g.cursor.Row, g.cursor.Col) {
			c.weight += byCursor
		}
		if g.isCheckBox(p[0]) {
			c.weight += byCheckBox
		}
		if !grey(p[0].tone) {
			c.weight += byColor
		}
		if c.text != "" {
			out = append(out, c)
		}
	}
	return out
}

// isPanelPart reports whether a patch is the part of a panel above or below a row with another
// background: another patch with the same columns and tone is on the other side of that row.
func (g *grid) isPanelPart(p patch, patches []patch) bool {
	top, bottom, s := p[0].row, p[len(p)-1].row, p[0]
	return slices.ContainsFunc(patches, func(o patch) bool {
		if o[0].tone != s.tone || o[0].from != s.from || o[0].to != s.to {
			return false
		}
		between := -1
		switch {
		case o[0].row == bottom+2:
			between = bottom + 1
		case o[len(o)-1].row == top-2:
			between = top - 1
		}
		return between >= 0 && g.tones[between][s.from] != 0 && g.sameTone(between, s.from, s.to)
	})
}

// maxLines is the maximum number of neighbouring rows that may have the same background without
// forming a panel, such as a header and the row below it.
const maxLines = 3

// standsOut reports whether a span looks like a choice.
func (g *grid) standsOut(s span, b bars) bool {
	if g.isCheckBox(s) {
		return true
	}
	text := g.text(s.row, s.from, s.to)
	return hasWord(text) && len([]rune(strings.TrimSpace(text))) > 1 && !b.contains(s) &&
		!g.isTitle(s) && !g.isPrompt(s) && !g.isInput(s) && !g.isGauge(s) && !g.isCurrentLine(s) &&
		!g.isLineNumber(s) && !g.isMessage(s)
}

// isSelection reports whether a patch of several rows is selected text, as in vim's visual mode.
// The visible cursor must be in the patch or just after it, and the patch must cover all text
// between its beginning and its end.
func (g *grid) isSelection(p patch) bool {
	if !g.cursor.Visible || !p.contains(g.cursor.Row, g.cursor.Col) && !p.contains(g.cursor.Row, g.cursor.Col-1) {
		return false
	}
	if block := p.rectangle(); block && g.inRunningText(p[0]) {
		return !horizontal(g.at(p[0].row, p[0].from))
	} else if (block && p.height() > 2 || p[0].row == 0) && !g.fillsRows(p) {
		return false // a panel
	}
	for i, s := range p {
		from, to := g.pane(s.row, s.from)
		first, last := s.row == p[0].row, s.row == p[len(p)-1].row
		switch {
		case i > 0 && s.row == p[i-1].row:
			return false
		case s.row >= len(g.cells)-2, horizontal(g.at(s.row, s.from)), s.to-s.from < 2 && !first && !last:
			return false
		case !last && g.textStart(s.row, s.to, to) >= 0, !first && hasWord(strings.TrimLeft(g.text(s.row, from, s.from), " 0123456789")):
			return false
		}
	}
	return hasWord(g.textOf(p))
}

// fillsRows reports whether the text in each row of the patch reaches the patch's right side. One
// cell may be blank: the line end.
func (g *grid) fillsRows(p patch) bool {
	return !slices.ContainsFunc(p, func(s span) bool { return s.to-s.from > 1 && g.textStart(s.row, s.to-2, s.to) < 0 })
}

// maxAlike is the maximum number of spans of one tone that may be choices, each in its own list. If
// there are more, they are labels or the matches of a search.
const maxAlike = 3

// withoutRepeats removes patches whose tone is too frequent for a choice, and words in running text. It
// keeps patches at the cursor, patches of several rows and, if a full-screen program hides the cursor,
// words in running text. The matches of a search in a pager are removed only if their tone is too frequent.
func (g *grid) withoutRepeats(found []patch) []patch {
	count := map[tone]int{}
	for _, p := range found {
		count[p[0].tone]++
	}
	matches := g.full && g.isPager() && len(count) == 1
	return slices.DeleteFunc(found, func(p patch) bool {
		switch {
		case p.contains(g.cursor.Row, g.cursor.Col) || p.height() > 1:
			return false
		case g.inRunningText(p[0]) && !matches:
			return g.cursor.Visible || !g.full
		}
		return count[p[0].tone] > maxAlike
	})
}

// inRunningText reports whether a span is a part of running text: within two cells of the span
// there is other text, and no edge of a box before that text.
func (g *grid) inRunningText(s span) bool {
	for _, c := range []int{s.from - 1, s.from - 2, s.to, s.to + 1} {
		if text := g.at(s.row, c); edge(text) {
			return false
		} else if !blank(text) {
			return true
		}
	}
	return false
}

// textOf returns the text of a patch. For a check box, it returns the whole entry. For a word in
// running text, it returns the whole line if the visible cursor is in another row.
func (g *grid) textOf(p patch) string {
	if p.height() > 1 {
		var lines []string
		for _, s := range p {
			lines = append(lines, strings.TrimRight(g.text(s.row, s.from, s.to), " "))
		}
		return strings.TrimSpace(strings.Join(lines, "\n"))
	}
	s := p[0]
	if g.isCheckBox(s) {
		from, to := g.pane(s.row, s.from)
		return squeezed(g.text(s.row, max(from, s.from-1), to))
	}
	if g.cursor.Visible && g.cursor.Row != s.row && g.inRunningText(s) {
		from, to := g.pane(s.row, s.from)
		return squeezed(g.text(s.row, from, to))
	}
	return squeezed(g.text(s.row, s.from, s.to))
}

// isCheckBox reports whether a span is the mark of a check box or a radio button.
func (g *grid) isCheckBox(s span) bool {
	left, right := g.at(s.row, s.from-1), g.at(s.row, s.to)
	return s.to-s.from <= 3 && (left == "[" && right == "]" || left == "(" && right == ")") && !hasWord(strings.Trim(g.text(s.row, s.from, s.to), "xX"))
}

// squeezed returns text with single blanks, and without the lines of a box at its ends.
func squeezed(text string) string {
	return strings.Join(strings.Fields(strings.Trim(text, verticals+" ")), " ")
}
