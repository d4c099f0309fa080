package picture

import (
	"math"
	"slices"

	"github.com/glasstty/glasstty/emulator"
)

// underlineShapes returns the underline of a cell that is cols columns wide.
func (g grid) underlineShapes(s emulator.Style, cols int) []path {
	w, t := float32(cols*g.w), float32(g.thin)
	y := float32(min(g.baseline+2*g.thin, g.h-2*g.thin))
	switch s.Underline {
	case emulator.UnderlineNone:
		return nil
	case emulator.UnderlineDouble:
		y = min(y, float32(g.h)-3*t)
		return []path{rectPath(0, y, w, y+t), rectPath(0, y+2*t, w, y+3*t)}
	case emulator.UnderlineCurly:
		return g.wavyLine(cols)
	case emulator.UnderlineDotted:
		return g.dashedLine(cols, y, 4, 2)
	case emulator.UnderlineDashed:
		return g.dashedLine(cols, y, 2, 3)
	default:
		return []path{rectPath(0, y, w, y+t)}
	}
}

// dashedLine returns an underline of n dashes or dots per column. Each of them takes fifths/5 of
// the distance from the start of one to the start of the next.
func (g grid) dashedLine(cols int, y float32, n, fifths int) []path {
	var out []path
	pitch := float32(g.w) / float32(n)
	for i := range n * cols {
		x := float32(i)*pitch + pitch*float32(5-fifths)/10
		out = append(out, rectPath(x, y, x+pitch*float32(fifths)/5, y+float32(g.thin)))
	}
	return out
}

// wavyLine returns a wave with one period per column, so that adjacent cells join.
func (g grid) wavyLine(cols int) []path {
	t, h := float32(g.thin), float32(g.h)
	amp := max(1.5, t*1.2)
	mid := min(float32(g.baseline)+2*t+amp/2, h-amp-t/2)
	const steps = 16 // per column
	var above, below []pt
	for i := range steps*cols + 1 {
		x := float32(i*g.w) / steps
		y := mid - 1.4*amp*float32(math.Sin(2*math.Pi*float64(i)/steps))
		above, below = append(above, pt{x, y - t*0.6}), append(below, pt{x, y + t*0.6})
	}
	slices.Reverse(below)
	return []path{polyPath(append(above, below...)...)}
}

// overTextShapes returns the lines drawn over the text: strike and overline.
func (g grid) overTextShapes(s emulator.Style, cols int) []path {
	w, t := float32(cols*g.w), float32(g.thin)
	var out []path
	if s.Attrs&emulator.Strike != 0 {
		y := float32(g.baseline - g.h*21/100)
		out = append(out, rectPath(0, y, w, y+t))
	}
	if s.Attrs&emulator.Overline != 0 {
		out = append(out, rectPath(0, 0, w, t))
	}
	return out
}
