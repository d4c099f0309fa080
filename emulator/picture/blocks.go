package picture

import "math"

// part returns n/of of size, rounded so that parts of one cell meet.
func part(size, n, of int) float32 {
	return float32((size*n + of/2) / of)
}

// cellPart returns the rectangle of a cell from eighths x0,y0 to x1,y1.
func (g grid) cellPart(x0, y0, x1, y1 int) path {
	return rectPath(part(g.w, x0, 8), part(g.h, y0, 8), part(g.w, x1, 8), part(g.h, y1, 8))
}

// blockShapes draws U+2580 to U+259F, the block elements.
func (g grid) blockShapes(r rune) []shape {
	switch {
	case r == 0x2580: // upper half
		return solid(g.cellPart(0, 0, 8, 4))
	case r <= 0x2588: // lower eighths and the full block
		return solid(g.cellPart(0, 8-int(r-0x2580), 8, 8))
	case r <= 0x258F: // left eighths, from seven down
		return solid(g.cellPart(0, 0, 8-int(r-0x2588), 8))
	case r == 0x2590: // right half
		return solid(g.cellPart(4, 0, 8, 8))
	case r <= 0x2593: // shades of 25, 50 and 75 percent
		return []shape{{path: g.cellPart(0, 0, 8, 8), alpha: float32(r-0x2590) / 4}}
	case r == 0x2594: // upper eighth
		return solid(g.cellPart(0, 0, 8, 1))
	case r == 0x2595: // right eighth
		return solid(g.cellPart(7, 0, 8, 8))
	}
	return g.quadrants(r)
}

// quadrants draws U+2596 to U+259F.
func (g grid) quadrants(r rune) []shape {
	const upLeft, upRight, downLeft, downRight = 1, 2, 4, 8
	set := [...]int{
		downLeft, downRight, upLeft, upLeft | downLeft | downRight, upLeft | downRight,
		upLeft | upRight | downLeft, upLeft | upRight | downRight, upRight, upRight | downLeft,
		upRight | downLeft | downRight,
	}[r-0x2596]
	var out []shape
	for i := range 4 {
		if set&(1<<i) != 0 {
			x, y := i%2*4, i/2*4
			out = append(out, solid(g.cellPart(x, y, x+4, y+4))...)
		}
	}
	return out
}

// sextantShapes draws U+1FB00 to U+1FB3B: the subsets of six blocks in the order
// of their bits, without the empty and full ones and the two half blocks, which
// are characters already.
func (g grid) sextantShapes(r rune) []shape {
	const leftHalf, rightHalf = 0b010101, 0b101010
	set := int(r-0x1FB00) + 1
	if set >= leftHalf {
		set++
	}
	if set >= rightHalf {
		set++
	}
	var out []shape
	for i := range 6 {
		if set&(1<<i) != 0 {
			x, y := i%2, i/2
			out = append(out, solid(rectPath(part(g.w, x, 2), part(g.h, y, 3), part(g.w, x+1, 2), part(g.h, y+1, 3)))...)
		}
	}
	return out
}

// brailleShapes draws U+2800 to U+28FF: dots 1 to 3 and 7 on the left, 4 to 6 and
// 8 on the right. Dots are on an even grid over neighbouring cells.
func (g grid) brailleShapes(r rune) []shape {
	rows, cols := [8]int{0, 1, 2, 0, 1, 2, 3, 3}, [8]int{0, 0, 0, 1, 1, 1, 0, 1}
	radius := float32(g.w) * 0.16
	var out []shape
	for i := range 8 {
		if r&(1<<i) != 0 {
			c := pt{float32(g.w) * (0.25 + 0.5*float32(cols[i])), float32(g.h) * (0.125 + 0.25*float32(rows[i]))}
			out = append(out, solid(circlePath(c, radius))...)
		}
	}
	return out
}

// powerlineShapes draws U+E0B0 to U+E0BF, which status lines use: arrows, half
// circles and slants, filled and as lines.
func (g grid) powerlineShapes(r rune) []shape {
	w, h, t := float32(g.w), float32(g.h), float32(g.thin)
	mid := h / 2
	var p path
	switch r {
	case 0xE0B0:
		p = polyPath(pt{0, 0}, pt{w, mid}, pt{0, h})
	case 0xE0B1:
		p = polyPath(pt{0, 0}, pt{t * 1.4, 0}, pt{w, mid}, pt{t * 1.4, h}, pt{0, h}, pt{w - t*1.4, mid})
	case 0xE0B2:
		p = polyPath(pt{w, 0}, pt{0, mid}, pt{w, h})
	case 0xE0B3:
		p = polyPath(pt{w, 0}, pt{w - t*1.4, 0}, pt{0, mid}, pt{w - t*1.4, h}, pt{w, h}, pt{t * 1.4, mid})
	case 0xE0B4:
		p = g.halfEllipse(false)
	case 0xE0B6:
		p = g.halfEllipse(true)
	case 0xE0B5, 0xE0B7:
		p = g.halfEllipseLine(r == 0xE0B7)
	case 0xE0B8:
		p = polyPath(pt{0, 0}, pt{w, h}, pt{0, h})
	case 0xE0BA:
		p = polyPath(pt{w, 0}, pt{w, h}, pt{0, h})
	case 0xE0BC:
		p = polyPath(pt{0, 0}, pt{w, 0}, pt{0, h})
	case 0xE0BE:
		p = polyPath(pt{0, 0}, pt{w, 0}, pt{w, h})
	case 0xE0B9, 0xE0BF:
		return g.diagonals(0x2572)
	default: // E0BB, E0BD
		return g.diagonals(0x2571)
	}
	return solid(p)
}

// halfEllipse returns a half ellipse as large as the cell, its straight side on
// the left or, mirrored, on the right.
func (g grid) halfEllipse(mirrored bool) path {
	w, cy := float32(g.w), float32(g.h)/2
	p := append(path{{op: opMove, p: [3]pt{{0, 0}}}}, halfEllipseSegs(w, cy, cy, 1)...)
	if mirrored {
		return mirrorX(p, w/2)
	}
	return p
}

// halfEllipseLine draws the outline of halfEllipse as a light line: out along
// its edge and back inside it.
func (g grid) halfEllipseLine(mirrored bool) path {
	w, cy, t := float32(g.w), float32(g.h)/2, float32(g.thin)
	p := append(path{{op: opMove, p: [3]pt{{0, 0}}}}, halfEllipseSegs(w, cy, cy, 1)...)
	p = append(p, seg{op: opLine, p: [3]pt{{0, 2*cy - t}}})
	p = append(p, halfEllipseSegs(w-t, cy-t, cy, -1)...)
	if mirrored {
		return mirrorX(p, w/2)
	}
	return p
}

// halfEllipseSegs returns the right half of an ellipse with radii rx and ry
// around (0, cy), from its top down (dir 1) or from its bottom up (dir -1).
func halfEllipseSegs(rx, ry, cy, dir float32) path {
	const k = 4 * (math.Sqrt2 - 1) / 3
	return path{
		{op: opCubic, p: [3]pt{{rx * k, cy - dir*ry}, {rx, cy - dir*ry*k}, {rx, cy}}},
		{op: opCubic, p: [3]pt{{rx, cy + dir*ry*k}, {rx * k, cy + dir*ry}, {0, cy + dir*ry}}},
	}
}

// mirrorX mirrors a path at the upright line x = axis.
func mirrorX(p path, axis float32) path {
	out := make(path, len(p))
	for i, s := range p {
		out[i] = s
		for j := range s.p {
			out[i].p[j].x = 2*axis - s.p[j].x
		}
	}
	return out
}
