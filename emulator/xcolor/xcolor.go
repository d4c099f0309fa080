// Package xcolor reads colour specifications as Xlib's XParseColor does, which is
// how programs name colours in OSC 4, 5 and 10 to 19 (XParseColor(3), "Color
// Names"):
//
//	rgb:h/h/h  #hhh             hexadecimal, one to four digits a channel
//	rgbi:f/f/f                  intensities from 0 to 1
//	CIEXYZ: CIEuvY: CIExyY: CIELab: CIELuv: TekHVC:    three numbers each
//	light blue, Gray42          X's names, but for the numbered shades of others
//
// Intensities become voltages by the profile of the monitor that Xlib assumes
// where nobody has measured the real one (profile.go), and a colour that this
// monitor cannot show loses chroma until it can.
package xcolor

import (
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
)

// Parse returns the colour that spec names as 0xRRGGBB. It reports false for what
// XParseColor would not take.
func Parse(spec string) (rgb uint32, ok bool) {
	if hex, ok := strings.CutPrefix(spec, "#"); ok {
		return parseHash(hex)
	}
	space, rest, ok := strings.Cut(spec, ":")
	if !ok {
		return byName(spec)
	}
	parts := strings.Split(rest, "/")
	if len(parts) != 3 {
		return 0, false
	}
	if strings.EqualFold(space, "rgb") {
		return parseHex(parts)
	}
	var v triple
	for i, p := range parts {
		f, err := strconv.ParseFloat(p, 64)
		if err != nil || f != f || f > maxValue || f < -maxValue {
			return 0, false
		}
		v[i] = f
	}
	return device(strings.ToLower(space), v)
}

// maxValue bounds the numbers of a specification: no colour space has larger ones.
const maxValue = 1000

// parseHash reads what follows #: the digits are the most significant bits.
func parseHash(hex string) (rgb uint32, ok bool) {
	n := len(hex) / 3
	if n < 1 || n > 4 || len(hex) != 3*n {
		return 0, false
	}
	for i := 0; i < len(hex); i += n {
		v, err := strconv.ParseUint(hex[i:i+n], 16, 16)
		if err != nil {
			return 0, false
		}
		rgb = rgb<<8 | uint32(v<<(16-4*n)>>8)
	}
	return rgb, true
}

// parseHex reads the channels of rgb:, each a fraction of its largest value.
func parseHex(parts []string) (rgb uint32, ok bool) {
	for _, p := range parts {
		v, err := strconv.ParseUint(p, 16, 16)
		if err != nil || len(p) > 4 {
			return 0, false
		}
		rgb = rgb<<8 | uint32(v*255/(1<<(4*len(p))-1))
	}
	return rgb, true
}

// byName finds a name of X's, in any case and with blanks or without.
func byName(name string) (rgb uint32, ok bool) {
	name = strings.ReplaceAll(strings.ToLower(name), " ", "")
	name = strings.ReplaceAll(name, "grey", "gray")
	if percent, found := strings.CutPrefix(name, "gray"); found && percent != "" {
		n, err := strconv.ParseUint(percent, 10, 8)
		if err != nil || n > 100 {
			return 0, false
		}
		level := uint32(n*255+50) / 100
		return level<<16 | level<<8 | level, true
	}
	switch name { // where CSS has another colour or no such name
	case "gray":
		return 0xBEBEBE, true
	case "green":
		return 0x00FF00, true
	case "maroon":
		return 0xB03060, true
	case "purple":
		return 0xA020F0, true
	case "navyblue":
		return 0x000080, true
	case "violetred":
		return 0xD02090, true
	case "lightslateblue":
		return 0x8470FF, true
	case "lightgoldenrod":
		return 0xEEDD82, true
	}
	c, ok := colornames.Map[name]
	return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B), ok
}
