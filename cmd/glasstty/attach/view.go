package attach

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/emulator"
)

// A view is the part of a session's screen that a terminal has room for: all of
// it, or what is around the cursor.
type view struct {
	first      int              // the terminal's row where it begins
	rows, cols int              // of the terminal, the status line not counted
	top, left  int              // the cell in the terminal's corner
	lines      []live.FrameLine // of the whole screen
	inks       [][]live.Ink     // what the spans of each line refer to
	size       emulator.Size
	cursor     [4]int
	modes      live.Modes
}

// take applies a frame and returns the rows that changed.
func (v *view) take(f *live.Frame) []int {
	if f.Full || len(v.lines) != f.Rows {
		v.lines = make([]live.FrameLine, f.Rows)
		v.inks = make([][]live.Ink, f.Rows)
		v.size = emulator.Size{Rows: f.Rows, Cols: f.Cols}
	}
	var changed []int
	for _, l := range f.Lines {
		if l.Row < 0 || l.Row >= f.Rows {
			continue // no server says so
		}
		v.lines[l.Row], v.inks[l.Row] = l, f.Inks
		changed = append(changed, l.Row)
	}
	v.cursor, v.modes = f.Cursor, f.Modes
	return changed
}

// follow moves the view to the cursor and reports whether it has moved.
func (v *view) follow() bool {
	top, left := keep(v.top, v.cursor[0], v.rows, v.size.Rows), keep(v.left, v.cursor[1], v.cols, v.size.Cols)
	moved := top != v.top || left != v.left
	v.top, v.left = top, left
	return moved
}

// keep returns where a window of size cells onto all begins, so that at is in it
// and it moves as little as can be.
func keep(from, at, size, all int) int {
	switch {
	case size >= all:
		return 0
	case at < from:
		from = at
	case at >= from+size:
		from = at - size + 1
	}
	return min(from, all-size)
}

// whole reports whether all of the screen is seen.
func (v *view) whole() bool { return v.rows >= v.size.Rows && v.cols >= v.size.Cols }

// drawRow writes a row of the terminal.
func (v *view) drawRow(b *strings.Builder, row int) {
	b.WriteString(moveTo(v.first+row, 0))
	if n := v.top + row; n < len(v.lines) {
		v.drawSpans(b, n)
	}
	b.WriteString(resetStyle + eraseRight)
}

// drawSpans writes the part of a line that is in view. Each span begins where its
// columns do: the terminal may take another width for what is in it.
func (v *view) drawSpans(b *strings.Builder, n int) {
	col := 0
	for _, s := range v.lines[n].Spans {
		from, to := col, col+s.Cols
		col = to
		if to <= v.left || from >= v.left+v.cols {
			continue
		}
		text := s.Text
		switch {
		case s.Loose && (from < v.left || to > v.left+v.cols):
			text = strings.Repeat(" ", min(to, v.left+v.cols)-max(from, v.left))
		case !s.Loose:
			cells := []rune(text)
			text = string(cells[max(v.left-from, 0):min(len(cells), v.left+v.cols-from)])
		}
		b.WriteString(column(max(from-v.left, 0)))
		if s.Ink >= 0 && s.Ink < len(v.inks[n]) {
			b.WriteString(sgr(v.inks[n][s.Ink]))
		}
		b.WriteString(text)
	}
}

// place writes the cursor's place, form and visibility.
func (v *view) place(b *strings.Builder) {
	row, col := v.cursor[0]-v.top, v.cursor[1]-v.left
	if v.cursor[2] == 0 || row < 0 || row >= v.rows || col < 0 || col >= v.cols {
		b.WriteString(hideCursor)
		return
	}
	shapes := [...]int{emulator.CursorBlock: 2, emulator.CursorUnderline: 4, emulator.CursorBar: 6}
	if s := v.cursor[3]; s >= 0 && s < len(shapes) {
		b.WriteString(cursorStyle(shapes[s]))
	}
	b.WriteString(moveTo(v.first+row, col) + showCursor)
}

// sgr returns the sequence that sets a look, from none.
func sgr(i live.Ink) string {
	params := []string{"0"}
	for _, a := range []struct {
		bit  emulator.Attrs
		code string
	}{{emulator.Bold, "1"}, {emulator.Italic, "3"}, {emulator.Blink, "5"}, {emulator.Strike, "9"}, {emulator.Overline, "53"}} {
		if emulator.Attrs(i.Attrs)&a.bit != 0 {
			params = append(params, a.code)
		}
	}
	if i.Underline > 0 {
		params = append(params, "4:"+strconv.Itoa(i.Underline))
	}
	for code, c := range map[string]string{"38": i.FG, "48": i.BG} {
		if rgb, ok := colour(c); ok {
			params = append(params, code+rgb)
		}
	}
	return "\x1b[" + strings.Join(params, ";") + "m"
}

// colour returns "#rrggbb" as the rest of an SGR parameter.
func colour(c string) (string, bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(c, "#"), 16, 24)
	if err != nil {
		return "", false
	}
	return fmt.Sprintf(";2;%d;%d;%d", n>>16&0xff, n>>8&0xff, n&0xff), true
}

// switchModes returns the sequences that bring a terminal from one set of modes to
// another. The mouse is only passed on when its cells are the screen's.
func switchModes(from, to live.Modes) string {
	var b strings.Builder
	for _, m := range []struct {
		was, is bool
		mode    int
	}{
		{from.AppCursor, to.AppCursor, modeAppCursor},
		{from.Paste, to.Paste, modePaste},
		{from.Focus, to.Focus, modeFocus},
	} {
		if m.was != m.is {
			b.WriteString(setMode(m.is, m.mode))
		}
	}
	switch {
	case to.AppKeypad && !from.AppKeypad:
		b.WriteString(keypadOn)
	case from.AppKeypad && !to.AppKeypad:
		b.WriteString(keypadOff)
	}
	if from.Mouse != to.Mouse {
		if from.Mouse > 0 {
			b.WriteString(setMode(false, from.Mouse, modeSGRMouse))
		}
		if to.Mouse > 0 {
			b.WriteString(setMode(true, to.Mouse, modeSGRMouse))
		}
	}
	return b.String()
}
