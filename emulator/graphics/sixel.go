package graphics

import (
	"fmt"
	"image"
	"image/color"
)

// NewSixel returns the image of a sixel string: the data between the final q of its device control
// string and ST. Undrawn pixels are transparent. There is one exception: if transparent is not set
// (parameter 2 of the string is not 1), undrawn pixels inside the size that DECGRA declares get the
// colour of register 0.
//
// As in xterm, pixels are square regardless of the aspect ratio, each image has its own
// colour registers, and defining a colour does not select it. Unlike in xterm, redefining
// a register does not change pixels already drawn, so an image may have more colours than
// registers.
func NewSixel(data []byte, transparent bool) (*Image, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes of sixels; the maximum is %d", ErrLimit, len(data), MaxBytes)
	}
	s := sixels{RGBA: &image.RGBA{}}
	s.scan(data)
	if s.columns > MaxPixels {
		return nil, fmt.Errorf("%w: more than %d columns of sixels drawn", ErrLimit, MaxPixels)
	}
	if err := checkSize(s.w, s.h); err != nil {
		return nil, err
	}
	m := &Image{format: formatSixelOpaque, size: image.Pt(s.w, s.h), data: append([]byte(nil), data...)}
	if transparent {
		m.format = formatSixel
	}
	return m, nil
}

// sixels is the state of drawing a sixel string on an image. If the image has no pixels, scan draws
// nothing and only computes w, h and columns.
type sixels struct {
	*image.RGBA
	w, h      int             // smallest size with all drawn pixels and the declared size
	columns   int             // number of columns drawn
	declared  image.Rectangle // the sizes given by DECGRA, clipped to the image
	register  int             // index of the current register
	registers [SixelRegisters]color.RGBA
}

// SixelRegisters is the number of colour registers, as in xterm.
const SixelRegisters = 1024

// scan parses and draws a sixel string (VT330/VT340 programmer reference, chapter 14). It
// ignores undefined characters and limits numbers to MaxSide+1.
func (s *sixels) scan(data []byte) {
	x, y := 0, 0
	for i := 0; i < len(data); {
		c := data[i]
		i++
		switch {
		case c >= '?' && c <= '~':
			s.run(x, y, c-'?', 1)
			x = min(x+1, MaxSide+1)
		case c == '!': // DECGRI
			var n [1]int
			i += sixelParams(data[i:], n[:])
			if i == len(data) || data[i] < '?' || data[i] > '~' {
				continue
			}
			s.run(x, y, data[i]-'?', min(n[0], MaxSide+2-x))
			x = min(x+n[0], MaxSide+1)
			i++
		case c == '$': // DECGCR
			x = 0
		case c == '-': // DECGNL
			x, y = 0, min(y+6, MaxSide+1)
		case c == '"': // DECGRA: aspect ratio and size
			var n [4]int
			i += sixelParams(data[i:], n[:])
			s.w, s.h = max(s.w, n[2]), max(s.h, n[3])
			s.declared = s.declared.Union(image.Rect(0, 0, n[2], n[3])).Intersect(s.Rect)
		case c == '#': // DECGCI
			var n [5]int
			length := sixelParams(data[i:], n[:])
			i += length
			switch {
			case length > 0 && n[1] == 1:
				s.registers[n[0]%SixelRegisters] = hls(n[2], n[3], n[4])
			case length > 0 && n[1] == 2:
				s.registers[n[0]%SixelRegisters] = percent(n[2], n[3], n[4])
			default:
				s.register = n[0] % SixelRegisters
			}
		}
	}
}

// sixelParams parses decimal numbers separated by semicolons into n, and ignores those beyond
// len(n). It returns how many bytes of data they take.
func sixelParams(data []byte, n []int) int {
	k := 0
	for i, c := range data {
		switch {
		case c >= '0' && c <= '9':
			if k < len(n) {
				n[k] = min(10*n[k]+int(c-'0'), MaxSide+1)
			}
		case c == ';':
			k++
		default:
			return i
		}
	}
	return len(data)
}

// run draws n equal columns of six pixels at (x, y). Bit 0 is the top pixel; pixels whose bits
// are clear stay as they are.
func (s *sixels) run(x, y int, bits byte, n int) {
	if bits == 0 {
		return
	}
	s.columns += n
	s.w = max(s.w, x+n)
	n = min(n, s.Rect.Max.X-x)
	rgb := s.registers[s.register]
	for ; bits != 0; bits, y = bits>>1, y+1 {
		s.h = max(s.h, y+1)
		if bits&1 == 0 || n <= 0 || y >= s.Rect.Max.Y {
			continue
		}
		row := s.Pix[s.PixOffset(x, y) : s.PixOffset(x+n-1, y)+4]
		for i := 0; i < len(row); i += 4 {
			row[i], row[i+1], row[i+2], row[i+3] = rgb.R, rgb.G, rgb.B, 0xff
		}
	}
}

// decodeSixel draws m, whose size NewSixel has computed.
func (m *Image) decodeSixel() *image.RGBA {
	s := &sixels{RGBA: image.NewRGBA(image.Rectangle{Max: m.size})}
	for i, c := range vt340Colors {
		s.registers[i] = percent(c[0], c[1], c[2])
	}
	for i := len(vt340Colors); i < SixelRegisters; i++ {
		s.registers[i].A = 0xff
	}
	s.register = firstRegister
	s.scan(m.data)
	if m.format == formatSixelOpaque { // as in xterm, only undrawn pixels of the declared size are filled
		background := &image.RGBA{Pix: s.Pix, Stride: s.Stride, Rect: s.declared}
		for y := range background.Rect.Dy() {
			for x := range background.Rect.Dx() {
				if background.RGBAAt(x, y).A == 0 {
					background.SetRGBA(x, y, s.registers[0])
				}
			}
		}
	}
	return s.RGBA
}

// firstRegister is the colour register before the first selection, as in xterm.
const firstRegister = 3

// vt340Colors holds the initial values of the first colour registers in percent (VT340
// text programming manual, "default color map").
var vt340Colors = [16][3]int{
	{0, 0, 0}, {20, 20, 80}, {80, 13, 13}, {20, 80, 20}, {80, 20, 80}, {20, 80, 80}, {80, 80, 20}, {53, 53, 53},
	{26, 26, 26}, {33, 33, 60}, {60, 26, 26}, {33, 60, 33}, {60, 33, 60}, {33, 60, 60}, {60, 60, 33}, {80, 80, 80},
}

// percent returns the colour with components in percent.
func percent(r, g, b int) color.RGBA {
	component := func(p int) uint8 { return uint8(min(p, 100) * 0xffff / 100 >> 8) }
	return color.RGBA{component(r), component(g), component(b), 0xff}
}

// hls returns the colour with hue h in degrees (0 is blue), and lightness l and saturation s in
// percent.
func hls(h, l, s int) color.RGBA {
	light, chroma := float64(min(l, 100))/100, float64(min(s, 100))/100
	if light > 0.5 {
		chroma *= 2 - 2*light
	} else {
		chroma *= 2 * light
	}
	component := func(turn int) int {
		deg := (h + turn) % 360
		var share float64 // of the chroma
		switch {
		case deg < 60:
			share = float64(deg) / 60
		case deg < 180:
			share = 1
		case deg < 240:
			share = float64(240-deg) / 60
		}
		return int((light-chroma/2+chroma*share)*100 + 0.5)
	}
	return percent(component(0), component(240), component(120))
}
