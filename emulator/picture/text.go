package picture

import (
	"io"
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// Text writes the rows as plain text, one per line, without trailing blanks and without trailing
// empty lines. The last line has no newline.
func Text(w io.Writer, snap *emulator.Snapshot, o Options) error { return writeText(w, snap, o, true) }

// ANSI writes the rows as text, with SGR and OSC 8 sequences for the styles of the cells. Each line
// ends in the default style. Trailing blanks are omitted unless they are visible, for example by
// their background. Trailing empty lines are omitted. The last line has no newline.
func ANSI(w io.Writer, snap *emulator.Snapshot, o Options) error { return writeText(w, snap, o, false) }

// writeText writes the rows, without trailing empty lines. If plain is set, it ignores styles.
func writeText(w io.Writer, snap *emulator.Snapshot, o Options, plain bool) error {
	v, err := newView(snap, o)
	if err != nil {
		return err
	}
	v.plain = plain
	lines := make([]string, len(v.rows))
	for i := range v.rows {
		lines[i] = v.styledRow(i)
	}
	_, err = io.WriteString(w, strings.TrimRight(strings.Join(lines, "\n"), "\n"))
	return err
}

// styledRow returns the text of a row with its styles.
func (v *view) styledRow(row int) string {
	var b strings.Builder
	var current emulator.Style
	end := v.visibleEnd(row, v.mark)
	for col, c := range v.rows[row][:end] {
		marked := v.mark && v.cursorAt(row, col)
		if c.Width == 0 && !marked {
			continue
		}
		style := v.textStyle(c)
		b.WriteString(styleChange(current, style))
		current = style
		if marked {
			b.WriteString(CursorMark)
		}
		switch text := v.text(c); {
		case c.Width == 0:
		case text == "" && col == end-1 && !showsOnBlank(style): // only the cursor mark is visible
		case text == "":
			b.WriteByte(' ')
		default:
			b.WriteString(text)
		}
	}
	b.WriteString(styleChange(current, emulator.Style{}))
	return b.String()
}

// textStyle returns the style in which styledRow writes a cell.
func (v *view) textStyle(c emulator.Cell) emulator.Style {
	if v.plain {
		return emulator.Style{}
	}
	style := c.Style
	style.Attrs &^= emulator.Protected // DECSCA is not an SGR attribute
	if SafeLink(style.Link.URI()) == "" {
		style.Link = emulator.Link{} // opening the link from the reader's terminal could run a program
	}
	return style
}

// cursorAt reports whether the cursor is on a cell.
func (v *view) cursorAt(row, col int) bool {
	return v.cursor != nil && v.cursor.Row == row && v.cursor.Col == col
}
