package picture

import (
	"math"
	"unicode/utf8"
)

// minContrast is the least contrast between text in a colour that the program
// only named and what is behind it. Which blue "blue" is, is the theme's choice;
// a program that writes cyan on blue relies on a terminal where both are strong.
// Colours that the program has given by value are never touched.
const minContrast = 3.0

// legible returns c, moved towards white or black until it stands out from bg:
// first in the direction in which it differs from bg already.
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

// contrast returns the contrast ratio of two colours, 1 to 21 (WCAG 2.2,
// "contrast ratio").
func contrast(a, b RGB) float64 {
	la, lb := a.luminance(), b.luminance()
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// luminance returns the relative luminance of a colour, 0 to 1 (WCAG 2.2,
// "relative luminance").
func (c RGB) luminance() float64 {
	part := func(shift int) float64 {
		v := float64(c>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}

// ink returns the colour of a cell's text. Blocks and Powerline symbols meet
// backgrounds of other cells in one colour and so keep theirs.
func (l look) ink(text string) RGB {
	if isBlock(text) {
		return l.block
	}
	return l.fg
}

// isBlock reports whether text is a character that fills part of its cell.
func isBlock(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size == len(text) &&
		(r >= 0x2580 && r <= 0x259F || r >= 0xE0B0 && r <= 0xE0BF || r >= 0x1FB00 && r <= 0x1FB3B)
}
