package graphics

import (
	"fmt"
	"image"
	"image/color"
)

// NewSixel returns the image of a sixel string: what comes between the final q of
// its device control string and ST. Transparent says that pixels that are not drawn
// stay as they are (parameter 2 of the string is 1). As in xterm, pixels are square
// whatever the aspect ratio asked for, each image has colour registers of its own, and
// to define a colour does not choose it. Unlike in xterm, a register that is defined
// again leaves what was drawn: so images may have more colours than registers.
func NewSixel(data []byte, transparent bool) (*Image, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes of sixels, at most %d", ErrLimit, len(data), MaxBytes)
	}
	var s sixelSize
	scanSixel(data, &s)
	if s.inked > MaxPixels {
		return nil, fmt.Errorf("%w: pixels are drawn again and again", ErrLimit)
	}
	if err := bounded(s.w, s.h); err != nil {
		return nil, err
	}
	m := &Image{format: formatSixelOpaque, size: image.Pt(s.w, s.h), data: append([]byte(nil), data...)}
	if transparent {
		m.format = formatSixel
	}
	return m, nil
}

// A sixelSink takes what a sixel string says, coordinates in pixels.
type sixelSink interface {
	raster(w, h int)
	define(register int, c color.RGBA)
	choose(register int)
	// run draws n columns of six pixels, each where its bit is set.
	run(x, y int, bits byte, n int)
}

// scanSixel goes through a sixel string (VT330/VT340 programmer reference, chapter
// 14). Characters that it does not define are ignored, and numbers that are too
// large count as MaxSide+1.
func scanSixel(data []byte, to sixelSink) {
	x, y := 0, 0
	for i := 0; i < len(data); {
		c := data[i]
		i++
		switch {
		case c >= '?' && c <= '~':
			to.run(x, y, c-'?', 1)
			x = min(x+1, MaxSide+1)
		case c == '!': // DECGRI
			var n [1]int
			i += sixelParams(data[i:], n[:])
			if i == len(data) || data[i] < '?' || data[i] > '~' {
				continue
			}
			to.run(x, y, data[i]-'?', min(n[0], MaxSide+2-x))
			x = min(x+n[0], MaxSide+1)
			i++
		case c == '$': // DECGCR
			x = 0
		case c == '-': // DECGNL
			x, y = 0, min(y+6, MaxSide+1)
		case c == '"': // DECGRA: aspect ratio, then size
			var n [4]int
			i += sixelParams(data[i:], n[:])
			to.raster(n[2], n[3])
		case c == '#': // DECGCI
			var n [5]int
			got := sixelParams(data[i:], n[:])
			i += got
			switch {
			case got > 0 && n[1] == 1:
				to.define(n[0], hls(n[2], n[3], n[4]))
			case got > 0 && n[1] == 2:
				to.define(n[0], percent(n[2], n[3], n[4]))
			default:
				to.choose(n[0])
			}
		}
	}
}

// sixelParams reads numbers separated by semicolons into n, and returns how many
// bytes they take. Further ones are skipped.
func sixelParams(data []byte, n []int) int {
	at := 0
	for i, c := range data {
		switch {
		case c >= '0' && c <= '9':
			if at < len(n) {
				n[at] = min(10*n[at]+int(c-'0'), MaxSide+1)
			}
		case c == ';':
			at++
		default:
			return i
		}
	}
	return len(data)
}

// A sixelSize finds the size of an image, and how many columns are drawn.
type sixelSize struct{ w, h, inked int }

func (s *sixelSize) raster(w, h int)        { s.w, s.h = max(s.w, w), max(s.h, h) }
func (s *sixelSize) define(int, color.RGBA) {}
func (s *sixelSize) choose(int)             {}
func (s *sixelSize) run(x, y int, bits byte, n int) {
	if bits == 0 {
		return
	}
	s.inked += n
	for ; bits != 0; bits >>= 1 {
		y++
	}
	s.w, s.h = max(s.w, x+n), max(s.h, y)
}

// A sixelCanvas draws.
type sixelCanvas struct {
	*image.RGBA
	declared  image.Rectangle
	ink       int // a register
	registers [SixelRegisters]color.RGBA
}

// SixelRegisters is how many colours an image may have, as in xterm.
const SixelRegisters = 1024

func (s *sixelCanvas) raster(w, h int) {
	s.declared = s.declared.Union(image.Rect(0, 0, w, h)).Intersect(s.Rect)
}

func (s *sixelCanvas) define(register int, c color.RGBA) {
	s.registers[register%SixelRegisters] = c
}

func (s *sixelCanvas) choose(register int) { s.ink = register % SixelRegisters }

func (s *sixelCanvas) run(x, y int, bits byte, n int) {
	n = min(n, s.Rect.Max.X-x)
	ink := s.registers[s.ink]
	for ; bits != 0 && n > 0; bits, y = bits>>1, y+1 {
		if bits&1 == 0 || y >= s.Rect.Max.Y {
			continue
		}
		row := s.Pix[s.PixOffset(x, y) : s.PixOffset(x+n-1, y)+4]
		for i := 0; i < len(row); i += 4 {
			row[i], row[i+1], row[i+2], row[i+3] = ink.R, ink.G, ink.B, 0xff
		}
	}
}

// decodeSixel draws m, whose size NewSixel has found.
func (m *Image) decodeSixel() *image.RGBA {
	s := &sixelCanvas{RGBA: image.NewRGBA(image.Rectangle{Max: m.size})}
	for i, c := range vt340Colors {
		s.registers[i] = percent(c[0], c[1], c[2])
	}
	for i := len(vt340Colors); i < SixelRegisters; i++ {
		s.registers[i].A = 0xff
	}
	s.choose(firstRegister)
	scanSixel(m.data, s)
	if m.format == formatSixelOpaque { // of the size that the image has declared, as in xterm
		ground := &image.RGBA{Pix: s.Pix, Stride: s.Stride, Rect: s.declared}
		for y := range ground.Rect.Dy() {
			for x := range ground.Rect.Dx() {
				if ground.RGBAAt(x, y).A == 0 {
					ground.SetRGBA(x, y, s.registers[0])
				}
			}
		}
	}
	return s.RGBA
}

// firstRegister is the colour of what is drawn before a colour is chosen, as in xterm.
const firstRegister = 3

// vt340Colors are the first colour registers, in percent (VT340 text programming
// manual, "default color map").
var vt340Colors = [16][3]int{
	{0, 0, 0}, {20, 20, 80}, {80, 13, 13}, {20, 80, 20}, {80, 20, 80}, {20, 80, 80}, {80, 80, 20}, {53, 53, 53},
	{26, 26, 26}, {33, 33, 60}, {60, 26, 26}, {33, 60, 33}, {60, 33, 60}, {33, 60, 60}, {60, 60, 33}, {80, 80, 80},
}

// percent returns the colour of primaries in percent.
func percent(r, g, b int) color.RGBA {
	part := func(p int) uint8 { return uint8(min(p, 100) * 0xffff / 100 >> 8) }
	return color.RGBA{part(r), part(g), part(b), 0xff}
}

// hls returns the colour of a hue in degrees, of which 0 is blue, and lightness and
// saturation in percent.
func hls(h, l, s int) color.RGBA {
	light, chroma := float64(min(l, 100))/100, float64(min(s, 100))/100
	if light > 0.5 {
		chroma *= 2 - 2*light
	} else {
		chroma *= 2 * light
	}
	part := func(turn int) int {
		deg := (h + turn) % 360
		var up float64 // how much of the chroma this primary has
		switch {
		case deg < 60:
			up = float64(deg) / 60
		case deg < 180:
			up = 1
		case deg < 240:
			up = float64(240-deg) / 60
		}
		return int((light-chroma/2+chroma*up)*100 + 0.5)
	}
	return percent(part(0), part(240), part(120))
}
