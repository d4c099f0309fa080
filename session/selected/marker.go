package selected

import "strings"

// markers are the characters that programs put before the chosen row. Some programs put a full
// bullet before the chosen row and a hollow one before the others.
const (
	markers = ">❯›▸▶►→➜➤»▌▍▎▐┃│"
	bullets = "●◉◆■"
	hollow  = "○◯◇□"
	dot     = "•"      // a marker only if the cursor is hidden
	arrows  = "❯▸▶►➜➤" // markers that need no blank after them
	borders = "▌▍▎▐┃│" // markers that also look like the side of a box
)

// maxApart is the number of rows above and below that are searched for the next entry: in some
// lists, an entry has two rows and is followed by a blank one.
const maxApart = 3

// marked returns candidates for the rows that have a marker which the rows around them lack.
func (g *grid) marked() []candidate {
	var out []candidate
	for r := range g.cells {
		if g.full && r == len(g.cells)-1 {
			break
		}
		for _, col := range g.textStarts(r) {
			if text, ok := g.markedAt(r, col); ok {
				c := candidate{row: r, text: text, weight: byMarker}
				if g.cursor.Row == r {
					c.weight += byCursor
				}
				switch mark := g.at(r, col); {
				case strings.Contains(borders, mark):
					c.weight = byStyle
				case mark == ">":
					c.weight-- // prompts use it too
				}
				out = append(out, c)
				break
			}
		}
	}
	return out
}

// textStarts returns the column in which the text of a row begins. If the text begins with the vertical
// line of a box, textStarts also returns the column in which the text after that line begins.
func (g *grid) textStarts(row int) (out []int) {
	for at := g.textStart(row, 0, g.cols); at >= 0 && len(out) < 2; at = g.textStart(row, at+1, g.cols) {
		if out = append(out, at); !vertical(g.at(row, at)) {
			break
		}
	}
	return out
}

// markedAt returns the text after a marker in a column of a row. ok is false unless the rows around
// it have text that begins in the same column, or a hollow bullet in the marker's column.
func (g *grid) markedAt(row, col int) (text string, ok bool) {
	mark := g.at(row, col)
	full := strings.Contains(bullets, mark)
	if !full && !strings.Contains(markers, mark) && (mark != dot || g.cursor.Visible) ||
		!blank(g.at(row, col+1)) && !strings.Contains(arrows, mark) {
		return "", false
	}
	_, to := g.pane(row, col+1)
	body := g.textStart(row, col+1, to)
	if body < 0 || body > col+3 || g.isPromptRow(row, to) {
		return "", false
	}
	siblings := 0
	for _, step := range []int{-1, 1} {
		n, alone := g.countUnmarked(row, step, col, body, full)
		if !alone {
			return "", false
		}
		siblings += n
	}
	if siblings == 0 {
		return "", false
	}
	text = squeezed(g.text(row, body, to))
	return text, hasWord(text)
}

// isPromptRow reports whether a cursor follows all text of a row: the terminal's visible cursor, or
// one that the program draws as a coloured cell. If so, a marker in the row is a prompt.
func (g *grid) isPromptRow(row, to int) bool {
	if g.cursor.Visible && g.cursor.Row == row && g.textStart(row, g.cursor.Col, to) < 0 {
		return true
	}
	end := to
	for end > 0 && g.at(row, end-1) == " " {
		end--
	}
	return end < to && g.tones[row][end] != 0 && (end+1 == to || g.tones[row][end+1] != g.tones[row][end])
}

// countUnmarked returns the number of entries without the marker among the next maxApart rows in
// one direction. alone says that none of these rows begins another entry with the marker.
func (g *grid) countUnmarked(row, step, col, body int, bullet bool) (n int, alone bool) {
	mark := g.at(row, col)
	for i := 1; i <= maxApart; i++ {
		r := row + i*step
		if r < 0 || r >= len(g.cells) {
			break
		}
		_, to := g.pane(r, col+1)
		at, first := g.at(r, col), g.textStart(r, col, to)
		switch {
		case g.isPromptRow(r, to):
		case at == mark && i == 1 && step > 0 && strings.Contains(borders, mark): // the second row of the same entry
		case at == mark:
			return n, false
		case bullet && at != " " && strings.Contains(hollow, at), !bullet && first == body:
			n++
		case first >= 0 && first < body:
			return n, true // the title of the list
		}
	}
	return n, true
}
