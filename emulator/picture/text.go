package picture

import (
	"io"
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// Text writes the rows as a person reads them, one line each, without trailing
// blanks and without blank rows at the end. The last line has no newline.
func Text(w io.Writer, snap *emulator.Snapshot, o Options) error {
	v, err := newView(snap, o)
	if err != nil {
		return err
	}
	return v.writeLines(w, o.CursorMark, v.line)
}

// writeLines writes the rows as line gives them, without empty ones at the end.
func (v *view) writeLines(w io.Writer, mark bool, line func(row int, mark bool) string) error {
	lines := make([]string, len(v.rows))
	for i := range v.rows {
		lines[i] = line(i, mark)
	}
	_, err := io.WriteString(w, strings.TrimRight(strings.Join(lines, "\n"), "\n"))
	return err
}

// line returns a row's text without trailing blanks.
func (v *view) line(row int, mark bool) string {
	var b strings.Builder
	blanks := 0
	for col, c := range v.rows[row] {
		text := v.text(c)
		marked := mark && v.at(row, col)
		if c.Width == 0 && !marked {
			continue
		}
		if marked || text != "" {
			b.WriteString(strings.Repeat(" ", blanks))
			blanks = 0
		}
		if marked {
			b.WriteString(CursorMark)
		}
		switch {
		case c.Width == 0:
		case text == "":
			blanks++
		default:
			b.WriteString(text)
		}
	}
	return b.String()
}

// at reports whether the cursor is at a cell.
func (v *view) at(row, col int) bool {
	return v.cursor != nil && v.cursor.Row == row && v.cursor.Col == col
}
