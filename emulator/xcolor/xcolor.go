// Package xcolor parses colour specifications as Xlib's XParseColor does. Programs use
// them in OSC 4, 5 and 10 to 19 (XParseColor(3), "Color Names"):
//
//	rgb:h/h/h  #hhh             hexadecimal, one to four digits per channel
//	rgbi:f/f/f                  intensities from 0 to 1
//	CIEXYZ: CIEuvY: CIExyY: CIELab: CIELuv: TekHVC:    three numbers each
//	light blue, Gray42          X11 colour names, except numbered shades other than grays (such as red3)
//
// Intensities and device-independent colours are converted with the default monitor
// profile of Xlib (profile.go). The chroma of a colour outside the monitor's gamut is
// reduced until the colour is inside it.
package xcolor

import (
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
)

// Parse returns the colour that spec describes as 0xRRGGBB. ok is false if spec is invalid or
// has a form that this package does not know.
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
	return toRGB(strings.ToLower(space), v)
}

// maxValue is the maximum absolute value of a number in a specification. No colour space needs
// larger numbers.
const maxValue = 1000

// parseHash parses the digits after #. They give the most significant bits of each 16-bit channel.
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

// parseHex parses the three channels of an rgb: specification. The largest number with the given
// number of digits is full intensity.
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

// byName looks up an X11 colour name, ignoring case and spaces.
func byName(name string) (rgb uint32, ok bool) {
	name = strings.ReplaceAll(strings.ToLower(name), " ", "")
	name = strings.ReplaceAll(name, "grey", "gray")
	if percent, ok := strings.CutPrefix(name, "gray"); ok && percent != "" {
		n, err := strconv.ParseUint(percent, 10, 8)
		if err != nil || n > 100 {
			return 0, false
		}
		level := uint32(n*255+50) / 100
		return level<<16 | level<<8 | level, true
	}
	if rgb, ok := x11Names[name]; ok {
		return rgb, true
	}
	c, ok := colornames.Map[name]
	return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B), ok
}

// x11Names lists the names that CSS (colornames.Map) lacks or defines differently.
var x11Names = map[string]uint32{
	"gray": 0xBEBEBE, "green": 0x00FF00, "maroon": 0xB03060, "purple": 0xA020F0, "navyblue": 0x000080,
	"violetred": 0xD02090, "lightslateblue": 0x8470FF, "lightgoldenrod": 0xEEDD82,
}
