package picture

import (
	"math"
	"unicode/utf8"
)

// minContrast is the minimum contrast between text and its background if the text has a default
// colour or one of the colours 0 to 15. The theme chooses the shades of these colours, and a
// program that writes cyan on blue expects a terminal where this is legible. Other colours, and
// text in the same colour as its background, are not changed.
const minContrast = 3.0

// legible returns c if it has minContrast on bg. Otherwise it mixes c with white if c is at least as
// light as bg, and with black if c is darker. If that is not enough, it tries the other one.
func legible(c, bg RGB) RGB {
	if contrast(c, bg) >= minContrast {
		return c
	}
	const black, white = 0x000000, 0xffffff
	ends := [2]RGB{white, black}
	if c.luminance() < bg.luminance() {
		ends = [2]RGB{black, white}
	}
	for _, end := range ends {
		for percent := uint32(5); percent <= 100; percent += 5 {
			if m := c.mix(end, percent); contrast(m, bg) >= minContrast {
				return m
			}
		}
	}
	return c
}

// contrast returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2, "contrast
// ratio").
func contrast(a, b RGB) float64 {
	la, lb := a.luminance(), b.luminance()
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// luminance returns the relative luminance of a colour, from 0 to 1 (WCAG 2.2, "relative
// luminance").
func (c RGB) luminance() float64 {
	channel := func(shift int) float64 {
		v := float64(c>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

// isBlock reports whether text is a block element, sextant or Powerline symbol, which fills part
// of its cell.
func isBlock(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size == len(text) &&
		(r >= 0x2580 && r <= 0x259F || r >= 0xE0B0 && r <= 0xE0BF || r >= 0x1FB00 && r <= 0x1FB3B)
}
