package picture

import (
	"fmt"

	"github.com/glasstty/glasstty/emulator"
)

// RGB is a colour with 8 bits per channel, 0xRRGGBB.
type RGB uint32

// String returns the colour in CSS notation, such as "#1e2127".
func (c RGB) String() string { return fmt.Sprintf("#%06x", uint32(c)) }

// mix returns a mixture of c and other, of which percent is other: 0 gives c, and 100 gives other.
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

// palette holds colours 0 to 15; colours 16 to 255 are xterm's. Colours 1 to 6 are dark enough
// as backgrounds of white text, as programs assume, and light enough as text on Background.
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

// A ResolvedStyle is a style as it is drawn: the effects of bold, dim and reverse on its colours have
// been applied. Text with the attribute Hidden is not drawn. ResolvedStyles can be compared with ==.
type ResolvedStyle struct {
	FG, BG    RGB
	Line      RGB // colour of underlines; in HTML, of all lines
	Underline emulator.Underline
	Attrs     emulator.Attrs // a subset of resolvedAttrs
	Link      string         // in a Span, a URI that is safe to open, or ""
}

// resolvedAttrs are the attributes that ResolvedStyle.Attrs may contain.
const resolvedAttrs = emulator.Bold | emulator.Italic | emulator.Blink | emulator.Strike | emulator.Overline

// resolve returns a style as it is drawn. block reports whether the cell's text is a block element
// (see isBlock). Such text keeps its colour even if it has little contrast, because it continues
// backgrounds of other cells.
func resolve(s emulator.Style, block bool) ResolvedStyle {
	if s.Attrs&emulator.Bold != 0 && s.FG.Kind() == emulator.ColorIndexed && s.FG.Index() < 8 {
		s.FG = emulator.Indexed(s.FG.Index() + 8) // as with xterm's resource boldColors, which is on by default
	}
	out := ResolvedStyle{
		FG: toRGB(s.FG, Foreground), BG: toRGB(s.BG, Background),
		Underline: s.Underline, Attrs: s.Attrs & resolvedAttrs,
	}
	textColor := s.FG
	if s.Attrs&emulator.Reverse != 0 {
		out.FG, out.BG = out.BG, out.FG
		textColor = s.BG
	}
	if !block && textColor.Kind() != emulator.ColorRGB && textColor.Index() < 16 && s.FG != s.BG {
		out.FG = legible(out.FG, out.BG)
	}
	if s.Attrs&emulator.Dim != 0 {
		out.FG = out.FG.mix(out.BG, dimPercent)
	}
	out.Line = toRGB(s.UnderlineColor, out.FG)
	return out
}

// background returns the background colour of a style as it is drawn.
func background(s emulator.Style) RGB { return resolve(s, true).BG }
