package emulator

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/emulator/xcolor"
)

// A palette holds the colours that a program changed, by index: the 256 of SGR,
// then those of OSC 5 and those of OSC 10 to 19.
type palette map[int]uint32

// The indexes of a palette behind the colours of SGR (xterm ctlseqs, OSC 5 and
// OSC 10).
const (
	specialColor  = 256 // bold, underline, blink, reverse and italic text
	dynamicColor  = specialColor + 5
	paletteColors = dynamicColor + 10
)

// The dynamic colours, by their OSC commands, that are not the foreground's where
// nobody has set them.
const (
	oscForeground          = 10
	oscBackground          = 11
	oscPointerBackground   = 14
	oscTektronixBackground = 16
	oscHighlightText       = 19
)

// ansiPalette is xterm's 16 colours.
var ansiPalette = [16]uint32{
	0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
	0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
}

// rgb returns colour n as 24 bits.
func (t *Terminal) rgb(n int) uint32 {
	if c, ok := t.palette[n]; ok {
		return c
	}
	text, ground := uint32(0xE5E5E5), uint32(0x000000)
	if t.opt.Light {
		text, ground = 0x000000, 0xFFFFFF
	}
	if n < specialColor {
		return XTermRGB(uint8(n))
	}
	switch n - dynamicColor + oscForeground {
	case oscBackground, oscPointerBackground, oscTektronixBackground, oscHighlightText:
		return ground
	}
	return text
}

// XTermRGB returns a colour of xterm's palette as 24 bits: 16 to 231 are a cube of six
// levels a channel, 232 to 255 greys (xterm, 256colres.pl).
func XTermRGB(i uint8) uint32 {
	levels := [6]uint32{0, 95, 135, 175, 215, 255}
	switch {
	case i < 16:
		return ansiPalette[i]
	case i < 232:
		i -= 16
		return levels[i/36]<<16 | levels[i/6%6]<<8 | levels[i%6]
	default:
		grey := uint32(i-232)*10 + 8
		return grey<<16 | grey<<8 | grey
	}
}

// setColors is OSC 4 and 5 (xterm ctlseqs): pairs of an index and a colour. OSC 4
// reaches the colours of OSC 5 behind its own.
func (t *Terminal) setColors(code int, arg string, bell bool) {
	first := colorsOf(code)
	parts := strings.Split(arg, ";")
	for i := 0; i+1 < len(parts); i += 2 {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 0 || n >= dynamicColor-first {
			t.unknown()
			continue
		}
		t.setColor(first+n, fmt.Sprintf("%d;%d", code, n), parts[i+1], bell)
	}
}

// colorsOf returns the first index that OSC 4, 5, 104 and 105 count from.
func colorsOf(code int) int {
	if code%100 == 5 {
		return specialColor
	}
	return 0
}

// resetColors is OSC 104 and 105: the entries named, or all of them.
func (t *Terminal) resetColors(code int, arg string) {
	first, end := colorsOf(code), dynamicColor
	if first == 0 {
		end = specialColor
	}
	if arg == "" {
		maps.DeleteFunc(t.palette, func(n int, _ uint32) bool { return n >= first && n < end })
		return
	}
	for _, s := range strings.Split(arg, ";") {
		if n, err := strconv.Atoi(s); err == nil && n >= 0 && first+n < dynamicColor {
			delete(t.palette, first+n)
		}
	}
}

// setDynamicColors is OSC 10 to 19: one colour for the command, and further ones
// for the commands that follow it.
func (t *Terminal) setDynamicColors(code int, arg string, bell bool) {
	for _, spec := range strings.Split(arg, ";") {
		n := dynamicColor + code - oscForeground
		if n == paletteColors {
			return
		}
		t.setColor(n, strconv.Itoa(code), spec, bell)
		code++
	}
}

// resetDynamicColor is OSC 110 to 119.
func (t *Terminal) resetDynamicColor(code int) {
	delete(t.palette, dynamicColor+code-100-oscForeground)
}

// setColor sets colour n, or reports it when spec is a question mark.
func (t *Terminal) setColor(n int, name, spec string, bell bool) {
	if spec == "?" {
		c := t.rgb(n)
		end := "\x1b\\"
		if bell {
			end = "\a"
		}
		t.reply(fmt.Sprintf("\x1b]%s;rgb:%04x/%04x/%04x%s", name,
			c>>16&0xFF*0x101, c>>8&0xFF*0x101, c&0xFF*0x101, end))
		return
	}
	c, ok := xcolor.Parse(spec)
	if !ok {
		t.unknown()
		return
	}
	if t.palette == nil {
		t.palette = palette{} // bounded by paletteColors
	}
	t.palette[n] = c
}

// maxPalettes is how many palettes XTPUSHCOLORS keeps, as in xterm.
const maxPalettes = 10

// A paletteStack is what XTPUSHCOLORS keeps. As in xterm no reset clears it.
type paletteStack struct {
	kept map[int]palette // by place, from 1
	top  int             // the place that was pushed last
	most int             // what a push that named no place last made of top
}

// pushColors is XTPUSHCOLORS, xterm ctlseqs: the palette goes on top of the
// stack, or to the places named.
func (t *Terminal) pushColors(p *params) {
	s := &t.palettes
	keep := func(place int) {
		if s.kept == nil {
			s.kept = map[int]palette{}
		}
		s.kept[place] = maps.Clone(t.palette)
		s.top = place
	}
	if p.get(0, 0) == 0 {
		keep(min(s.top+1, maxPalettes))
		s.most = s.top
		return
	}
	for i := range p.n {
		if n := p.get(i, 0); n > 0 && n <= maxPalettes {
			keep(n)
		}
	}
}

// popColors is XTPOPCOLORS: the palette on top, or at the places named.
func (t *Terminal) popColors(p *params) {
	s := &t.palettes
	for i := range max(1, p.n) {
		n := p.get(i, 0)
		if n == 0 {
			n = s.top
		}
		if kept, ok := s.kept[n]; ok {
			t.palette = maps.Clone(kept)
			s.top = n - 1
		}
	}
}

// reportColors is XTREPORTCOLORS.
func (t *Terminal) reportColors(*params) {
	t.reply(fmt.Sprintf("\x1b[?%d;%d#Q", t.palettes.top, t.palettes.most))
}
