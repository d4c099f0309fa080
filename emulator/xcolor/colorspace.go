package xcolor

import "math"

// A triple is a colour as three numbers, in any colour space.
type triple [3]float64

// toRGB converts a colour in the named space to 0xRRGGBB. ok is false if the space is unknown,
// or if an intensity of rgbi is out of range.
func toRGB(space string, v triple) (rgb uint32, ok bool) {
	if space == "rgbi" {
		return monitorRGB(v), v.inRange(0)
	}
	xyz, ok := toXYZ(space, v)
	if !ok {
		return 0, false
	}
	if rgbi := xyzToRGB.times(xyz); rgbi.inRange(gamutSlack) {
		return monitorRGB(rgbi), true
	}
	return monitorRGB(reduceChroma(xyz)), true
}

// gamutSlack is how far a converted intensity may be outside the range 0 to 1.
const gamutSlack = 1e-3

func (v triple) inRange(slack float64) bool {
	return min(v[0], v[1], v[2]) >= -slack && max(v[0], v[1], v[2]) <= 1+slack
}

// monitorRGB converts intensities to 0xRRGGBB with the monitor's profile.
func monitorRGB(rgbi triple) (rgb uint32) {
	for i, x := range rgbi {
		rgb = rgb<<8 | profile[i].level(x)
	}
	return rgb
}

// toXYZ converts a colour to CIE XYZ as Xlib does. Unlike the standard, Xlib multiplies the last
// two numbers of CIELab and CIELuv by 100, and its dark CIELab colours are too light. ok is false
// if the space is unknown.
func toXYZ(space string, v triple) (xyz triple, ok bool) {
	switch space {
	case "ciexyz":
		return v, true
	case "cieuvy":
		return fromUVY(v[0], v[1], v[2]), true
	case "ciexyy":
		return fromXYY(v[0], v[1], v[2]), true
	case "cielab":
		l := (v[0] + 16) / 116
		if y := l * l * l; y >= darkY {
			return triple{white[0] * cube(l+v[1]/5), y, white[2] * cube(l-v[2]/2)}, true
		}
		y := v[0] / 9.03292
		return triple{white[0] * (y + v[1]/3893.5), y, white[2] * (y - v[2]/1557.4)}, true
	case "cieluv":
		if v[0] <= 0 {
			return triple{}, true
		}
		u, w := chromaticity(white)
		return fromUVY(u+v[1]/(0.13*v[0]), w+v[2]/(0.13*v[0]), luminance(v[0])), true
	case "tekhvc":
		return fromHVC(v), true
	}
	return triple{}, false
}

func cube(x float64) float64 { return x * x * x }

// darkY is the Y, and darkL the lightness, below which lightness is linear in Y (CIE 1976).
const (
	darkY = 0.008856
	darkL = 7.99953624
)

// luminance converts a lightness, from 0 to 100, to Y, from 0 to 1. lightness is its inverse
// (CIE 1976).
func luminance(l float64) float64 {
	if l < darkL {
		return l / 903.29
	}
	return cube((l + 16) / 116)
}

func lightness(y float64) float64 {
	if y < darkY {
		return y * 903.29
	}
	return 116*math.Cbrt(y) - 16
}

// chromaticity returns the CIE 1976 u' and v' of a colour.
func chromaticity(xyz triple) (u, v float64) {
	d := xyz[0] + 15*xyz[1] + 3*xyz[2]
	if d == 0 {
		return 0, 0
	}
	return 4 * xyz[0] / d, 9 * xyz[1] / d
}

func fromUVY(u, v, y float64) triple {
	d := 6*u - 16*v + 12
	if d == 0 {
		return triple{}
	}
	return fromXYY(9*u/d, 4*v/d, y)
}

func fromXYY(x, y, lum float64) triple {
	if y == 0 {
		return triple{}
	}
	return triple{x * lum / y, lum, (1 - x - y) * lum / y}
}

// chromaScale is the factor of Tektronix's TekHVC that makes equal differences of chroma look
// equal.
const chromaScale = 7.50725

// hueOrigin is the angle in radians at which the hue is 0 (TekHVC's "best red"), measured
// around white in the u'v' plane.
var hueOrigin = func() float64 {
	u, v := chromaticity(white)
	return math.Atan2(0.4931-v, 0.7127-u)
}()

// fromHVC converts TekHVC (hue in degrees, value, chroma) to XYZ; toHVC is its inverse.
func fromHVC(hvc triple) triple {
	switch value := hvc[1]; {
	case value <= 0:
		return triple{}
	case value >= 100:
		return white
	default:
		u, v := chromaticity(white)
		sin, cos := math.Sincos(hvc[0]*math.Pi/180 + hueOrigin)
		c := hvc[2] / (value * chromaScale)
		return fromUVY(u+cos*c, v+sin*c, luminance(value))
	}
}

func toHVC(xyz triple) triple {
	value := lightness(xyz[1])
	u, v := chromaticity(xyz)
	u0, v0 := chromaticity(white)
	return triple{
		(math.Atan2(v-v0, u-u0) - hueOrigin) * 180 / math.Pi,
		value,
		value * chromaScale * math.Hypot(u-u0, v-v0),
	}
}

// reduceChroma returns the intensities of xyz after lowering its TekHVC chroma until the monitor
// can show it. Hue and value stay.
func reduceChroma(xyz triple) triple {
	hvc := toHVC(xyz)
	best := xyzToRGB.times(fromHVC(triple{hvc[0], hvc[1], 0}))
	lo, hi := 0.0, hvc[2]
	for range 50 {
		hvc[2] = (lo + hi) / 2
		if rgbi := xyzToRGB.times(fromHVC(hvc)); rgbi.inRange(0) {
			lo, best = hvc[2], rgbi
		} else {
			hi = hvc[2]
		}
	}
	return best
}
