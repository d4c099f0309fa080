package emulator

import (
	"fmt"
	"strconv"
	"strings"
)

// A palette holds the colours that a program changed, by index; 256, 257 and
// 258 are the default foreground, background and cursor.
type palette struct {
	changed map[int]uint32
}

// The indexes of the dynamic colours in a palette.
const (
	paletteFG = 256 + iota
	paletteBG
	paletteCursor
)

// ansiPalette is xterm's 16 colours.
var ansiPalette = [16]uint32{
	0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
	0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
}

// rgb returns colour n as 24 bits.
func (p *palette) rgb(n int) uint32 {
	if c, ok := p.changed[n]; ok {
		return c
	}
	switch {
	case n == paletteFG || n == paletteCursor:
		return 0xE5E5E5
	case n == paletteBG:
		return 0x000000
	case n < 16:
		return ansiPalette[n]
	case n < 232: // a cube of six levels each
		level := func(i int) uint32 {
			if i == 0 {
				return 0
			}
			return uint32(55 + 40*i)
		}
		n -= 16
		return level(n/36)<<16 | level(n/6%6)<<8 | level(n%6)
	}
	g := uint32(8 + 10*(n-232))
	return g<<16 | g<<8 | g
}

func (p *palette) set(n int, c uint32) {
	if p.changed == nil {
		p.changed = map[int]uint32{} // bounded by the 259 indexes
	}
	p.changed[n] = c
}

// color runs the OSC commands of the palette: 4 and 104 for its entries, 10 to
// 12 and 110 to 112 for the dynamic colours (xterm ctlseqs).
func (t *Terminal) color(code int, arg string, bell bool) {
	switch {
	case code == 4:
		parts := strings.Split(arg, ";")
		for i := 0; i+1 < len(parts); i += 2 {
			n, err := strconv.Atoi(parts[i])
			if err != nil || n < 0 || n > 255 {
				t.unknown()
				continue
			}
			t.setColor(n, fmt.Sprintf("4;%d", n), parts[i+1], bell)
		}
	case code <= 12: // further colours go on with the next code
		for i, spec := range strings.Split(arg, ";") {
			if code+i <= 12 {
				t.setColor(paletteFG+code+i-10, strconv.Itoa(code+i), spec, bell)
			}
		}
	case code == 104:
		t.resetColors(arg)
	default:
		delete(t.palette.changed, paletteFG+code-110)
	}
}

// resetColors is OSC 104: the entries named, or all of them.
func (t *Terminal) resetColors(arg string) {
	for n := range t.palette.changed {
		if n < paletteFG && arg == "" {
			delete(t.palette.changed, n)
		}
	}
	for _, s := range strings.Split(arg, ";") {
		if n, err := strconv.Atoi(s); err == nil && n >= 0 && n < paletteFG {
			delete(t.palette.changed, n)
		}
	}
}

// setColor sets colour n, or reports it when spec is a question mark.
func (t *Terminal) setColor(n int, name, spec string, bell bool) {
	if spec == "?" {
		c := t.palette.rgb(n)
		end := "\x1b\\"
		if bell {
			end = "\a"
		}
		t.reply(fmt.Sprintf("\x1b]%s;rgb:%04x/%04x/%04x%s", name,
			c>>16&0xFF*0x101, c>>8&0xFF*0x101, c&0xFF*0x101, end))
		return
	}
	if c, ok := parseColor(spec); ok {
		t.palette.set(n, c)
	} else {
		t.unknown()
	}
}

// parseColor reads rgb:r/g/b and #rgb as XParseColor does, with one to four
// hexadecimal digits each; names of colours are not known.
func parseColor(s string) (uint32, bool) {
	var parts []string
	hash := false
	if rest, ok := strings.CutPrefix(s, "rgb:"); ok {
		parts = strings.Split(rest, "/")
	} else if rest, ok := strings.CutPrefix(s, "#"); ok && len(rest)%3 == 0 {
		n := len(rest) / 3
		hash = true
		parts = []string{rest[:n], rest[n : 2*n], rest[2*n:]}
	}
	if len(parts) != 3 {
		return 0, false
	}
	var c uint32
	for _, p := range parts {
		v, err := strconv.ParseUint(p, 16, 16)
		if err != nil || len(p) > 4 {
			return 0, false
		}
		bits := uint(4 * len(p))
		if hash { // # gives the most significant bits
			v = v << (16 - bits) >> 8
		} else {
			v = v * 255 / (1<<bits - 1)
		}
		c = c<<8 | uint32(v)
	}
	return c, true
}
