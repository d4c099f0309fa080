package picture

import (
	"fmt"

	"github.com/glasstty/glasstty/emulator"
)

// RGB is a colour with 8 bits per channel, 0xRRGGBB.
type RGB uint32

// String returns the colour in CSS notation, such as "#1e2127".
func (c RGB) String() string { return fmt.Sprintf("#%06x", uint32(c)) }

// mix returns c mixed with percent of other.
func (c RGB) mix(other RGB, percent uint32) RGB {
	var out RGB
	for shift := 0; shift <= 16; shift += 8 {
		a, b := uint32(c>>shift)&0xff, uint32(other>>shift)&0xff
		out |= RGB((a*(100-percent)+b*percent+50)/100) << shift
	}
	return out
}

// The default colours: light text on a dark background.
const (
	Foreground  RGB = 0xd7dae0
	Background  RGB = 0x16191f
	cursorColor RGB = 0xe8eaed
)

// palette holds colours 0 to 15; colours 16 to 255 are xterm's. Colours 1 to 6 are dark
// enough for white text on them, as programs assume, and light enough for text.
var palette = [16]RGB{
	0x23272f, 0xe05561, 0x58ad50, 0xcf9f40, 0x4580e2, 0xb065d2, 0x2aa3b1, 0xd7dae0,
	0x757e90, 0xff7480, 0x8fd470, 0xf3d075, 0x78aeff, 0xd994f2, 0x63d8e0, 0xffffff,
}

// toRGB returns c as RGB, or def if it is the default colour.
func toRGB(c emulator.Color, def RGB) RGB {
	switch c.Kind() {
	case emulator.ColorRGB:
		r, g, b := c.RGB()
		return RGB(r)<<16 | RGB(g)<<8 | RGB(b)
	case emulator.ColorIndexed:
		if i := c.Index(); int(i) < len(palette) {
			return palette[i]
		}
		return RGB(emulator.XTermRGB(c.Index()))
	default:
		return def
	}
}

// dimPercent is the percentage of the background mixed into dim text (SGR 2).
const dimPercent = 45

// A look is a style with resolved colours, to which reverse and dim have been applied.
type look struct {
	fg, bg RGB
	line   RGB // colour of underlines
	block  RGB // colour of block elements and Powerline symbols, see textColor
	hidden bool
}

// resolve returns the look of a style.
func resolve(s emulator.Style) look {
	if s.Attrs&emulator.Bold != 0 && s.FG.Kind() == emulator.ColorIndexed && s.FG.Index() < 8 {
		s.FG = emulator.Indexed(s.FG.Index() + 8) // as with xterm's resource boldColors, which is on by default
	}
	l := look{fg: toRGB(s.FG, Foreground), bg: toRGB(s.BG, Background), hidden: s.Attrs&emulator.Hidden != 0}
	textColor := s.FG
	if s.Attrs&emulator.Reverse != 0 {
		l.fg, l.bg = l.bg, l.fg
		textColor = s.BG
	}
	l.block = l.fg
	if textColor.Kind() != emulator.ColorRGB && textColor.Index() < 16 && s.FG != s.BG {
		l.fg = legible(l.fg, l.bg)
	}
	if s.Attrs&emulator.Dim != 0 {
		l.fg = l.fg.mix(l.bg, dimPercent)
		l.block = l.block.mix(l.bg, dimPercent)
	}
	l.line = toRGB(s.UnderlineColor, l.fg)
	return l
}
