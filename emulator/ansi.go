package emulator

import (
	"strconv"
	"strings"
)

// ANSI returns the row as text with its colours and attributes as SGR sequences
// (ECMA-48 8.3.117, xterm ctlseqs). The row begins and ends in the default
// rendition. Links are left out, and trailing blanks that nobody would see.
func (r Row) ANSI() string {
	var b strings.Builder
	var pen Style
	for _, c := range r.visible() {
		if c.Width == 0 {
			continue
		}
		style := c.Style
		style.Link = Link{}
		style.Attrs &^= Protected
		if style != pen {
			b.WriteString(style.sgr(pen))
			pen = style
		}
		if c.Text == "" {
			b.WriteByte(' ')
		} else {
			b.WriteString(c.Text)
		}
	}
	if pen != (Style{}) {
		b.WriteString("\x1b[m")
	}
	return b.String()
}

// ANSI returns the scrollback's and the screen's rows as Row.ANSI gives them,
// one line each, without blank rows at the end.
func (s *Snapshot) ANSI() string {
	lines := make([]string, 0, len(s.Scrollback)+len(s.Screen))
	last := 0
	for _, rows := range [][]Row{s.Scrollback, s.Screen} {
		for _, r := range rows {
			lines = append(lines, r.ANSI())
			if lines[len(lines)-1] != "" {
				last = len(lines)
			}
		}
	}
	return strings.Join(lines[:last], "\n")
}

// visible returns the row's cells without the trailing ones that show nothing:
// blanks without background, line or inversion.
func (r Row) visible() []Cell {
	end := len(r.Cells)
	for end > 0 {
		c := r.Cells[end-1]
		blank := c.Width == 1 && (c.Text == "" || c.Text == " ")
		plain := c.Style.BG.Kind == ColorDefault && c.Style.Underline == UnderlineNone &&
			c.Style.Attrs&(Reverse|Strike|Overline) == 0
		if !blank || !plain {
			break
		}
		end--
	}
	return r.Cells[:end]
}

// sgrAttrs are the attributes with their SGR parameter.
var sgrAttrs = []struct {
	attr  Attrs
	param string
}{
	{Bold, "1"}, {Dim, "2"}, {Italic, "3"}, {Blink, "5"},
	{Reverse, "7"}, {Hidden, "8"}, {Strike, "9"}, {Overline, "53"},
}

// sgr returns the sequence that changes the rendition from the style before to
// s. Attributes cannot all be taken away one by one, so it begins anew unless
// the style before was the default.
func (s Style) sgr(before Style) string {
	var p []string
	if before != (Style{}) && s != (Style{}) {
		p = append(p, "0")
	}
	for _, a := range sgrAttrs {
		if s.Attrs&a.attr != 0 {
			p = append(p, a.param)
		}
	}
	switch s.Underline {
	case UnderlineNone:
	case UnderlineSingle:
		p = append(p, "4")
	default:
		p = append(p, "4:"+strconv.Itoa(int(s.Underline)))
	}
	p = append(p, s.FG.sgr(30, ";")...)
	p = append(p, s.BG.sgr(40, ";")...)
	p = append(p, s.UnderlineColor.sgr(50, ":")...)
	return "\x1b[" + strings.Join(p, ";") + "m"
}

// sgr returns the parameters that choose c as foreground (base 30), background
// (40) or underline colour (50). The underline colour has no short forms, and is
// written with colons (ITU T.416), which a terminal that does not know it skips
// whole.
func (c Color) sgr(base int, sep string) []string {
	num := func(n ...int) string {
		var s []string
		for _, n := range n {
			s = append(s, strconv.Itoa(n))
		}
		return strings.Join(s, sep)
	}
	short := base != 50
	switch {
	case c.Kind == ColorDefault:
		return nil
	case c.Kind == ColorRGB && short:
		return []string{num(base+8, 2, int(c.R), int(c.G), int(c.B))}
	case c.Kind == ColorRGB:
		return []string{strconv.Itoa(base+8) + ":2::" + num(int(c.R), int(c.G), int(c.B))}
	case short && c.Index < 8:
		return []string{num(base + int(c.Index))}
	case short && c.Index < 16:
		return []string{num(base + 60 + int(c.Index) - 8)}
	}
	return []string{num(base+8, 5, int(c.Index))}
}
