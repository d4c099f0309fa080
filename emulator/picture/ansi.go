package picture

import (
	"fmt"
	"io"
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// ANSI writes the rows as text with SGR and OSC 8 sequences that give every cell
// its style. Each line ends in the default style; blanks at the end of a line
// are left out when they are in the default style, and blank rows at the end of
// the text. The last line has no newline.
func ANSI(w io.Writer, snap *emulator.Snapshot, o Options) error {
	v, err := newView(snap, o)
	if err != nil {
		return err
	}
	return v.writeLines(w, o.CursorMark, v.ansiLine)
}

// ansiLine returns a row with its styles.
func (v *view) ansiLine(row int, mark bool) string {
	var b strings.Builder
	var now emulator.Style
	end := v.styledEnd(row, mark)
	for col, c := range v.rows[row][:end] {
		if c.Width == 0 && !(mark && v.at(row, col)) {
			continue
		}
		style := c.Style
		style.Attrs &^= emulator.Protected // DECSCA is not an SGR attribute
		if safeLink(style.Link.URI()) == "" {
			style.Link = emulator.Link{} // a person's terminal may follow it
		}
		b.WriteString(styleChange(now, style))
		now = style
		if mark && v.at(row, col) {
			b.WriteString(CursorMark)
		}
		switch text := v.text(c); {
		case c.Width == 0:
		case text == "" && col == end-1 && !showsOnBlank(style): // only its mark shows
		case text == "":
			b.WriteByte(' ')
		default:
			b.WriteString(text)
		}
	}
	b.WriteString(styleChange(now, emulator.Style{}))
	return b.String()
}

// styledEnd returns the column after the last cell of a row that shows anything:
// text, a background, a line, a link or the marked cursor.
func (v *view) styledEnd(row int, mark bool) int {
	cells := v.rows[row]
	end := len(cells)
	for end > 0 {
		c := cells[end-1]
		if c.Width != 1 || v.text(c) != "" || showsOnBlank(c.Style) || mark && v.at(row, end-1) {
			break
		}
		end--
	}
	return end
}

// showsOnBlank reports whether a style can be seen on a cell without text.
func showsOnBlank(s emulator.Style) bool {
	return s.BG.Kind() != emulator.ColorDefault || s.Underline != emulator.UnderlineNone ||
		s.Attrs&(emulator.Reverse|emulator.Strike|emulator.Overline) != 0 || s.Link != emulator.Link{}
}

// styleChange returns the sequences that lead from one style to another.
func styleChange(from, to emulator.Style) string {
	out := ""
	if from.Link != to.Link {
		out = linkSequence(to.Link)
	}
	from.Link, to.Link = emulator.Link{}, emulator.Link{}
	switch {
	case from == to:
	case to == emulator.Style{}:
		out += "\x1b[m"
	case from == emulator.Style{}:
		out += "\x1b[" + sgr(to) + "m"
	default:
		out += "\x1b[0;" + sgr(to) + "m"
	}
	return out
}

// sgr returns the SGR parameters that set style s from the default style. Foreground and
// background go with semicolons, which every program reads.
func sgr(s emulator.Style) string {
	parts := s.SGR()
	for i, p := range parts {
		if strings.HasPrefix(p, "38:") || strings.HasPrefix(p, "48:") {
			parts[i] = strings.ReplaceAll(strings.Replace(p, "::", ":", 1), ":", ";")
		}
	}
	return strings.Join(parts, ";")
}

// linkSequence returns the OSC 8 sequence that begins a link, or ends one when
// the link is empty.
func linkSequence(l emulator.Link) string {
	params := ""
	if id := cleanLink(l.ID(), ":;"); id != "" {
		params = "id=" + id
	}
	return "\x1b]8;" + params + ";" + cleanLink(l.URI(), "") + "\x1b\\"
}

// cleanLink percent-encodes every byte that is not printable ASCII or is in
// also: OSC 8 allows only bytes from 32 to 126 in its parameters and URI.
func cleanLink(s, also string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || strings.IndexByte(also, s[i]) >= 0 {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
