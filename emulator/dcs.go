package emulator

import (
	"fmt"
	"strconv"
	"strings"
)

// runDCS runs a device control string.
func (t *Terminal) runDCS() {
	p := &t.parser
	arg := string(p.str)
	switch key := (csiKey{p.prefix, p.inter[0], p.final}); {
	case p.ninter > 1:
	case key == csiKey{0, '$', 'q'}:
		t.decrqss(arg)
	case key == csiKey{0, '+', 'q'}:
		t.xtgettcap(arg)
	case key == csiKey{0, 0, 'q'}:
		t.sixel(p.str)
	}
}

// decrqss answers DECRQSS with DECRPSS (VT510 manual; xterm ctlseqs): the setting of the control
// sequence whose intermediates and final are name. An unknown name gets an error reply.
func (t *Terminal) decrqss(name string) {
	m := t.margins
	var s string
	switch name {
	case "m":
		s = t.pen.resetSGR() + "m"
	case "r":
		s = fmt.Sprintf("%d;%dr", m.top+1, m.bottom+1)
	case "s":
		s = fmt.Sprintf("%d;%ds", m.left+1, m.right+1)
	case " q":
		n := 2*int(t.shape) + 2
		if t.blink {
			n--
		}
		s = fmt.Sprintf("%d q", n)
	case `"q`:
		s = fmt.Sprintf(`%d"q`, t.pen.Attrs&Protected/Protected)
	case `"p`:
		s = fmt.Sprintf(`6%d;1"p`, t.level)
	case "$}": // DECSASD: the main display is active
		s = "0$}"
	case "$~": // DECSSDT: no status line
		s = "0$~"
	case "t":
		s = fmt.Sprintf("%dt", t.size.Rows)
	case "$|":
		s = fmt.Sprintf("%d$|", t.size.Cols)
	case "*|":
		s = fmt.Sprintf("%d*|", t.size.Rows)
	case "*x":
		s = fmt.Sprintf("%d*x", t.extent)
	default:
		t.reply("\x1bP0$r\x1b\\")
		return
	}
	t.reply("\x1bP1$r" + s + "\x1b\\")
}

// resetSGR returns the parameters of an SGR sequence that resets all attributes and then
// sets p.
func (p Style) resetSGR() string { return strings.Join(append([]string{"0"}, p.SGR()...), ";") }

// SGR returns the parameters of an SGR sequence that sets p, starting from the default
// style (ECMA-48 8.3.117; ITU T.416 for colours; xterm ctlseqs; kitty for 4:3 and 58).
// Subparameters are separated by colons. Protection and the link are not SGR attributes
// and are left out.
func (p Style) SGR() []string {
	var parts []string
	for _, r := range renditions {
		switch {
		case p.Attrs&r.attr != 0 || r.set == 4 && p.Underline == UnderlineSingle:
			parts = append(parts, strconv.Itoa(r.set))
		case r.set == 4 && p.Underline != UnderlineNone:
			parts = append(parts, fmt.Sprintf("4:%d", p.Underline))
		}
	}
	for _, c := range []struct {
		c    Color
		base int
	}{{p.FG, 30}, {p.BG, 40}, {p.UnderlineColor, 50}} {
		if c.c != 0 {
			parts = append(parts, colorParam(c.c, c.base))
		}
	}
	return parts
}

// colorParam returns the SGR parameter that sets c. base is 30 for the foreground, 40 for
// the background and 50 for the underline colour.
func colorParam(c Color, base int) string {
	i := int(c.Index())
	switch {
	case c.Kind() == ColorRGB:
		r, g, b := c.RGB()
		return fmt.Sprintf("%d:2::%d:%d:%d", base+8, r, g, b)
	case base < 50 && i < 8:
		return fmt.Sprint(base + i)
	case base < 50 && i < 16:
		return fmt.Sprint(base + 60 + i - 8)
	}
	return fmt.Sprintf("%d:5:%d", base+8, i)
}
