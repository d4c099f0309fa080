package emulator

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// dcs runs a device control string.
func (t *Terminal) dcs() {
	p := &t.parser
	arg := string(p.str)
	switch key := keyOf(p.prefix, p.inter[0], p.final); {
	case p.ninter > 1:
		t.unknown()
	case key == keyOf(0, '$', 'q'):
		t.decrqss(arg)
	case key == keyOf(0, '+', 'q'):
		t.xtgettcap(arg)
	case key == keyOf(0, 0, 'q'):
		t.tally.images++ // sixels: as an xterm that is a VT420, we show none
	default:
		t.unknown()
	}
}

// apc consumes an application program command: kitty's images are counted.
func (t *Terminal) apc(b []byte) {
	if len(b) > 0 && b[0] == 'G' {
		t.tally.images++
	} else {
		t.unknown()
	}
}

// decrqss reports a setting: DECRQSS and DECRPSS, VT510 manual and xterm
// ctlseqs.
func (t *Terminal) decrqss(name string) {
	m := t.margins
	var s string
	switch name {
	case "m":
		s = t.pen.sgr() + "m"
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
		s = `64;1"p`
	case "t":
		s = fmt.Sprintf("%dt", t.size.Rows)
	case "$|":
		s = fmt.Sprintf("%d$|", t.size.Cols)
	case "*|":
		s = fmt.Sprintf("%d*|", t.size.Rows)
	case "*x":
		s = "1*x"
		if t.rectangles {
			s = "2*x"
		}
	default:
		t.reply("\x1bP0$r\x1b\\")
		return
	}
	t.reply("\x1bP1$r" + s + "\x1b\\")
}

// sgr returns the parameters of the SGR sequence that sets p from the default.
func (p Style) sgr() string {
	parts := []string{"0"}
	for _, a := range []struct {
		attr  Attrs
		param string
	}{{Bold, "1"}, {Dim, "2"}, {Italic, "3"}} {
		if p.Attrs&a.attr != 0 {
			parts = append(parts, a.param)
		}
	}
	switch p.Underline {
	case UnderlineNone:
	case UnderlineSingle:
		parts = append(parts, "4")
	default:
		parts = append(parts, fmt.Sprintf("4:%d", p.Underline))
	}
	for _, a := range []struct {
		attr  Attrs
		param string
	}{{Blink, "5"}, {Reverse, "7"}, {Hidden, "8"}, {Strike, "9"}, {Overline, "53"}} {
		if p.Attrs&a.attr != 0 {
			parts = append(parts, a.param)
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
	return strings.Join(parts, ";")
}

// colorParam returns the SGR parameter that sets c; base is 30, 40 or 50.
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

// capabilities is what XTGETTCAP tells: the terminal's name and what no
// terminfo entry of that name says.
var capabilities = map[string]string{
	"TN": "xterm-256color", "name": "xterm-256color",
	"Co": "256", "colors": "256",
	"RGB": "8/8/8",
	"Ms":  "\x1b]52;%p1%s;%p2%s\x07",
	"Se":  "\x1b[2 q", "Ss": "\x1b[%p1%d q",
	"Smulx":   "\x1b[4:%p1%dm",
	"Setulc":  "\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m",
	"setrgbf": "\x1b[38:2:%p1%d:%p2%d:%p3%dm",
	"setrgbb": "\x1b[48:2:%p1%d:%p2%d:%p3%dm",
}

// maxCapabilities bounds the questions in one XTGETTCAP.
const maxCapabilities = 64

// xtgettcap reports terminfo capabilities: XTGETTCAP, xterm ctlseqs. Names and
// values are in hexadecimal; the first unknown one ends the answer.
func (t *Terminal) xtgettcap(arg string) {
	for i, h := range strings.Split(arg, ";") {
		name, err := hex.DecodeString(h)
		value, ok := capabilities[string(name)]
		if err != nil || !ok || i == maxCapabilities {
			t.reply("\x1bP0+r\x1b\\")
			return
		}
		t.reply("\x1bP1+r" + h + "=" + strings.ToUpper(hex.EncodeToString([]byte(value))) + "\x1b\\")
	}
}
