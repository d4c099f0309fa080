package attach

import (
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
)

// A view is the part of a session's screen that fits into a terminal: all of it, or the part
// around the cursor.
type view struct {
	rows, cols int              // of the view
	top, left  int              // row and column of the screen's cell in the view's upper left corner
	lines      []live.FrameLine // the rows of the whole screen
	styles     [][]live.Ink     // for each line, the inks to which its spans refer
	size       emulator.Size    // of the whole screen
	cursor     [4]int           // as in live.Frame
	modes      live.Modes
}

// apply updates the rows, the size, the cursor and the modes from a frame.
func (v *view) apply(f *live.Frame) {
	if f.Full || len(v.lines) != f.Rows {
		v.lines = make([]live.FrameLine, f.Rows)
		v.styles = make([][]live.Ink, f.Rows)
		v.size = emulator.Size{Rows: f.Rows, Cols: f.Cols}
	}
	for _, l := range f.Lines {
		if l.Row >= 0 && l.Row < f.Rows { // a server sends no other row
			v.lines[l.Row], v.styles[l.Row] = l, f.Inks
		}
	}
	v.cursor, v.modes = f.Cursor, f.Modes
}

// visibleRows moves the view so that it contains the cursor, and returns the view's rows.
func (v *view) visibleRows() []string {
	v.top, v.left = windowStart(v.top, v.cursor[0], v.rows, v.size.Rows), windowStart(v.left, v.cursor[1], v.cols, v.size.Cols)
	rows := make([]string, v.rows)
	for i := range rows {
		if n := v.top + i; n < len(v.lines) {
			rows[i] = v.line(n)
		}
	}
	return rows
}

// windowStart returns the new start of a window of n cells that began at start. The window stays within
// [0, total) and moves as little as possible so that it contains cell pos. If n >= total, it starts at 0.
func windowStart(start, pos, n, total int) int {
	switch {
	case n >= total:
		return 0
	case pos < start:
		start = pos
	case pos >= start+n:
		start = pos - n + 1
	}
	return min(start, total-n)
}

// showsAll reports whether the view shows the whole screen.
func (v *view) showsAll() bool { return v.rows >= v.size.Rows && v.cols >= v.size.Cols }

// line returns the part of line n that is in view. It moves the cursor to each span's column, because the
// terminal may disagree about the width of the span before.
func (v *view) line(n int) string {
	var b strings.Builder
	col := 0
	for _, s := range v.lines[n].Spans {
		from, to := col, col+s.Cols
		col = to
		if to <= v.left || from >= v.left+v.cols {
			continue
		}
		text := s.Text
		switch {
		case s.Alone && (from < v.left || to > v.left+v.cols):
			text = strings.Repeat(" ", min(to, v.left+v.cols)-max(from, v.left))
		case !s.Alone:
			cells := []rune(text)
			text = string(cells[max(v.left-from, 0):min(len(cells), v.left+v.cols-from)])
		}
		b.WriteString(column(max(from-v.left, 0)))
		if s.Ink >= 0 && s.Ink < len(v.styles[n]) {
			b.WriteString(picture.SGR(styleOf(v.styles[n][s.Ink])))
		}
		b.WriteString(text)
	}
	return b.String()
}

// placeCursor writes the cursor's position and shape to b. first is the terminal's row where the view begins.
func (v *view) placeCursor(b *strings.Builder, first int) {
	row, col := v.cursor[0]-v.top, v.cursor[1]-v.left
	if v.cursor[2] == 0 || row < 0 || row >= v.rows || col < 0 || col >= v.cols {
		b.WriteString(hideCursor)
		return
	}
	shapes := [...]int{emulator.CursorBlock: 2, emulator.CursorUnderline: 4, emulator.CursorBar: 6}
	if s := v.cursor[3]; s >= 0 && s < len(shapes) {
		b.WriteString(cursorStyle(shapes[s]))
	}
	b.WriteString(moveTo(first+row, col) + showCursor)
}

// styleOf converts a style of the live page to one of the emulator, without its link.
func styleOf(i live.Ink) emulator.Style {
	return emulator.Style{
		FG: colour(i.FG), BG: colour(i.BG), Underline: emulator.Underline(i.Underline), Attrs: emulator.Attrs(i.Attrs),
	}
}

// colour parses "#rrggbb". For "" it returns 0, the default colour.
func colour(c string) emulator.Color {
	n, err := strconv.ParseUint(strings.TrimPrefix(c, "#"), 16, 24)
	if err != nil {
		return 0
	}
	return emulator.RGB(uint8(n>>16), uint8(n>>8), uint8(n))
}

// switchModes returns the sequences that switch a terminal from one set of modes to another.
func switchModes(from, to live.Modes) string {
	var b strings.Builder
	for _, m := range []struct {
		before, after bool
		mode          int
	}{
		{from.AppCursor, to.AppCursor, modeAppCursor},
		{from.Paste, to.Paste, modePaste},
		{from.Focus, to.Focus, modeFocus},
	} {
		if m.before != m.after {
			b.WriteString(setMode(m.after, m.mode))
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
