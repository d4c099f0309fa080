package picture

import (
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/emulator"
)

// visibleEnd returns the column after the last visible cell of a row. A cell is visible if it has
// text, or is wide, or, unless the view is plain, has a background, line or link. If mark is set,
// the cell of the cursor is visible too.
func (v *view) visibleEnd(row int, mark bool) int {
	cells := v.rows[row]
	end := len(cells)
	for end > 0 {
		c := cells[end-1]
		if c.Width != 1 || v.text(c) != "" || !v.plain && showsOnBlank(c.Style) || mark && v.cursorAt(row, end-1) {
			break
		}
		end--
	}
	return end
}

// showsOnBlank reports whether a cell with style s, but without text, looks different from a blank cell.
func showsOnBlank(s emulator.Style) bool {
	return s.BG.Kind() != emulator.ColorDefault || s.Underline != emulator.UnderlineNone ||
		s.Attrs&(emulator.Reverse|emulator.Strike|emulator.Overline) != 0 || s.Link != emulator.Link{}
}

// styleChange returns the SGR and OSC 8 sequences that change the style from one to the other.
func styleChange(from, to emulator.Style) string {
	out := ""
	if from.Link != to.Link {
		out = linkSequence(to.Link)
	}
	from.Link, to.Link = emulator.Link{}, emulator.Link{}
	switch {
	case from == to:
	case from == emulator.Style{}:
		out += "\x1b[" + sgr(to) + "m"
	default:
		out += SGR(to)
	}
	return out
}

// SGR returns the sequence that resets the style and then sets s, except for the link.
func SGR(s emulator.Style) string {
	if params := sgr(s); params != "" {
		return "\x1b[0;" + params + "m"
	}
	return "\x1b[m"
}

// sgr returns the SGR parameters that set s, starting from the default style. Foreground
// and background colours use semicolons, which all terminals support.
func sgr(s emulator.Style) string {
	parts := s.SGR()
	for i, p := range parts {
		if strings.HasPrefix(p, "38:") || strings.HasPrefix(p, "48:") {
			parts[i] = strings.ReplaceAll(strings.Replace(p, "::", ":", 1), ":", ";")
		}
	}
	return strings.Join(parts, ";")
}

// linkSequence returns the OSC 8 sequence that begins link l, or ends the current link if
// l is empty.
func linkSequence(l emulator.Link) string {
	params := ""
	if id := cleanLink(l.ID(), ":;"); id != "" {
		params = "id=" + id
	}
	return "\x1b]8;" + params + ";" + cleanLink(l.URI(), "") + "\x1b\\"
}

// cleanLink percent-encodes the bytes of s that are not printable ASCII, because OSC 8 allows only
// bytes from 32 to 126 in its parameters and URI. It also encodes bytes that are in reserved.
func cleanLink(s, reserved string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || strings.IndexByte(reserved, s[i]) >= 0 {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
