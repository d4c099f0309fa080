package picture

import "github.com/glasstty/glasstty/emulator"

// lineShapes returns the underline of a cell that is cols columns wide.
func (g grid) lineShapes(s emulator.Style, cols int) []shape {
	w, t := float32(cols*g.w), float32(g.thin)
	y := float32(min(g.baseline+2*g.thin, g.h-2*g.thin))
	switch s.Underline {
	case emulator.UnderlineNone:
		return nil
	case emulator.UnderlineDouble:
		y = min(y, float32(g.h)-3*t)
		return solid(rectPath(0, y, w, y+t), rectPath(0, y+2*t, w, y+3*t))
	case emulator.UnderlineCurly:
		return g.curl(cols)
	case emulator.UnderlineDotted:
		return g.broken(cols, y, 4, 2)
	case emulator.UnderlineDashed:
		return g.broken(cols, y, 2, 3)
	default:
		return solid(rectPath(0, y, w, y+t))
	}
}

// broken returns an underline of n marks per column. Each mark takes fifths/5 of the
// distance between marks.
func (g grid) broken(cols int, y float32, n, fifths int) []shape {
	var out []shape
	pitch := float32(g.w) / float32(n)
	for i := range n * cols {
		x := float32(i)*pitch + pitch*float32(5-fifths)/10
		out = append(out, solid(rectPath(x, y, x+pitch*float32(fifths)/5, y+float32(g.thin)))...)
	}
	return out
}

// curl returns a wave with one period per column, so that adjacent cells join.
func (g grid) curl(cols int) []shape {
	t, h := float32(g.thin), float32(g.h)
	amp := max(1.5, t*1.2)
	mid := min(float32(g.baseline)+2*t+amp/2, h-amp-t/2)
	var out []shape
	for i := range cols {
		x, w := float32(i*g.w), float32(g.w)
		wave := func(y float32) path {
			return path{
				{op: opMove, p: [3]pt{{x, y}}},
				{op: opCubic, p: [3]pt{{x + w*0.18, y - 1.9*amp}, {x + w*0.32, y - 1.9*amp}, {x + w/2, y}}},
				{op: opCubic, p: [3]pt{{x + w*0.68, y + 1.9*amp}, {x + w*0.82, y + 1.9*amp}, {x + w, y}}},
			}
		}
		p := wave(mid - t*0.6)
		back := wave(mid + t*0.6)
		p = append(p, seg{op: opLine, p: [3]pt{back[2].p[2]}})
		p = append(p,
			seg{op: opCubic, p: [3]pt{back[2].p[1], back[2].p[0], back[1].p[2]}},
			seg{op: opCubic, p: [3]pt{back[1].p[1], back[1].p[0], back[0].p[0]}})
		out = append(out, solid(p)...)
	}
	return out
}

// overShapes returns the lines drawn over the text: strike and overline.
func (g grid) overShapes(s emulator.Style, cols int) []shape {
	w, t := float32(cols*g.w), float32(g.thin)
	var out []shape
	if s.Attrs&emulator.Strike != 0 {
		y := float32(g.baseline - g.h*21/100)
		out = append(out, solid(rectPath(0, y, w, y+t))...)
	}
	if s.Attrs&emulator.Overline != 0 {
		out = append(out, solid(rectPath(0, 0, w, t))...)
	}
	return out
}
