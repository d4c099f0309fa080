package emulator

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/emulator/xcolor"
)

// A palette holds the colours that a program has changed, as 0xRRGGBB, by index: the 256 colours
// of SGR, then those of OSC 5, then those of OSC 10 to 19.
type palette map[int]uint32

// Palette indexes after the 256 colours of SGR (xterm ctlseqs, OSC 5 and OSC 10).
const (
	specialColor  = 256               // first of the foregrounds of bold, underlined, blinking, reverse and italic text
	dynamicColor  = specialColor + 5  // first of the colours of OSC 10 to 19
	paletteColors = dynamicColor + 10 // number of entries
)

// OSC commands of dynamic colours. The last four of this list default to the background colour,
// all other dynamic colours to the foreground colour.
const (
	oscForeground          = 10
	oscBackground          = 11
	oscPointerBackground   = 14
	oscTektronixBackground = 16
	oscHighlightText       = 19
)

// ansiPalette holds xterm's 16 ANSI colours.
var ansiPalette = [16]uint32{
	0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
	0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
}

// rgb returns the colour with palette index n as 0xRRGGBB.
func (t *Terminal) rgb(n int) uint32 {
	if c, ok := t.palette[n]; ok {
		return c
	}
	foreground, background := uint32(0xE5E5E5), uint32(0x000000)
	if t.opt.Light {
		foreground, background = 0x000000, 0xFFFFFF
	}
	if n < specialColor {
		return XTermRGB(uint8(n))
	}
	switch n - dynamicColor + oscForeground {
	case oscBackground, oscPointerBackground, oscTektronixBackground, oscHighlightText:
		return background
	}
	return foreground
}

// XTermRGB returns colour i of xterm's 256-colour palette as 0xRRGGBB. Colours 16 to 231
// are a cube with six levels per channel, 232 to 255 are greys (xterm, 256colres.pl).
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

// setColors is OSC 4 and 5 (xterm ctlseqs): arg holds pairs of an index and a colour. In OSC 4, the
// indexes from 256 on are the colours of OSC 5.
func (t *Terminal) setColors(code int, arg string, bell bool) {
	first := firstColor(code)
	parts := strings.Split(arg, ";")
	for i := 0; i+1 < len(parts); i += 2 {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 0 || n >= dynamicColor-first {
			continue
		}
		t.setColor(first+n, fmt.Sprintf("%d;%d", code, n), parts[i+1], bell)
	}
}

// firstColor returns the palette index of the first colour of OSC 4, 5, 104 or 105.
func firstColor(code int) int {
	if code%100 == 5 {
		return specialColor
	}
	return 0
}

// reset is OSC 104 and 105: it resets the colours whose indexes arg lists. If arg is empty, OSC
// 104 resets the 256 colours of SGR, and OSC 105 those of OSC 5.
func (p palette) reset(code int, arg string) {
	first, end := firstColor(code), dynamicColor
	if first == 0 {
		end = specialColor
	}
	if arg == "" {
		maps.DeleteFunc(p, func(n int, _ uint32) bool { return n >= first && n < end })
		return
	}
	for _, s := range strings.Split(arg, ";") {
		if n, err := strconv.Atoi(s); err == nil && n >= 0 && first+n < dynamicColor {
			delete(p, first+n)
		}
	}
}

// setDynamicColors is OSC 10 to 19. The first colour in arg sets the colour of OSC code, the
// second one that of OSC code+1, and so on up to OSC 19.
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

// setColor sets palette entry n to spec, or reports it if spec is a question mark. Invalid specs are
// ignored. A report begins with name, such as "4;1", and ends with BEL if bell is set, else with ST.
func (t *Terminal) setColor(n int, name, spec string, bell bool) {
	if spec == "?" {
		c := t.rgb(n)
		t.replyOSC(fmt.Sprintf("%s;rgb:%04x/%04x/%04x", name, c>>16&0xFF*0x101, c>>8&0xFF*0x101, c&0xFF*0x101), bell)
		return
	}
	c, ok := xcolor.Parse(spec)
	if !ok {
		return
	}
	t.palette[n] = c // n is less than paletteColors, so the map stays small
}

// maxPalettes is the size of the stack of XTPUSHCOLORS, as in xterm.
const maxPalettes = 10

// A paletteStack is the stack of XTPUSHCOLORS. As in xterm, no reset clears it.
type paletteStack struct {
	slots map[int]palette // by slot number, from 1
	top   int             // slot of the last push, or the slot below that of the last pop; 0 if there is none
	count int             // value of top after the last push without a slot number
}

// push is XTPUSHCOLORS, xterm ctlseqs: it stores the current palette in the slots that p lists or,
// without a list, on top of the stack. If the stack is full, it replaces the top.
func (s *paletteStack) push(p *params, current palette) {
	push := func(slot int) {
		s.slots[slot] = maps.Clone(current)
		s.top = slot
	}
	if p.get(0, 0) == 0 {
		push(min(s.top+1, maxPalettes))
		s.count = s.top
		return
	}
	for i := range p.n {
		if n := p.get(i, 0); n > 0 && n <= maxPalettes {
			push(n)
		}
	}
}

// pop is XTPOPCOLORS: it sets current to the palette on top of the stack or, if p lists slots, to
// the palette of each listed slot in turn. Empty slots are ignored.
func (s *paletteStack) pop(p *params, current *palette) {
	for i := range max(1, p.n) {
		n := p.get(i, 0)
		if n == 0 {
			n = s.top
		}
		if saved, ok := s.slots[n]; ok {
			*current = maps.Clone(saved)
			s.top = n - 1
		}
	}
}

// reportColors is XTREPORTCOLORS: it reports the fields top and count of the stack.
func (t *Terminal) reportColors(*params) {
	t.reply(fmt.Sprintf("\x1b[?%d;%d#Q", t.palettes.top, t.palettes.count))
}
