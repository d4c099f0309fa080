package picture

import "math"

// fraction returns size*n/of, rounded to a whole number so that adjacent parts of a cell meet.
func fraction(size, n, of int) float32 {
	return float32((size*n + of/2) / of)
}

// cellPart returns the rectangle from (x0, y0) to (x1, y1) of a cell, in eighths of its
// size.
func (g grid) cellPart(x0, y0, x1, y1 int) path {
	return rectPath(fraction(g.w, x0, 8), fraction(g.h, y0, 8), fraction(g.w, x1, 8), fraction(g.h, y1, 8))
}

// blockShapes returns the shapes of U+2580 to U+259F, the block elements, except the shades.
func (g grid) blockShapes(r rune) []path {
	switch {
	case r == 0x2580: // upper half
		return []path{g.cellPart(0, 0, 8, 4)}
	case r <= 0x2588: // lower eighths and the full block
		return []path{g.cellPart(0, 8-int(r-0x2580), 8, 8)}
	case r <= 0x258F: // left eighths, from seven down
		return []path{g.cellPart(0, 0, 8-int(r-0x2588), 8)}
	case r == 0x2590: // right half
		return []path{g.cellPart(4, 0, 8, 8)}
	case r == 0x2594: // upper eighth
		return []path{g.cellPart(0, 0, 8, 1)}
	case r == 0x2595: // right eighth
		return []path{g.cellPart(7, 0, 8, 8)}
	}
	return g.quadrants(r)
}

// quadrants returns the shapes of U+2596 to U+259F.
func (g grid) quadrants(r rune) []path {
	const upLeft, upRight, downLeft, downRight = 1, 2, 4, 8
	return g.mosaic(2, [...]int{
		downLeft, downRight, upLeft, upLeft | downLeft | downRight, upLeft | downRight,
		upLeft | upRight | downLeft, upLeft | upRight | downRight, upRight, upRight | downLeft,
		upRight | downLeft | downRight,
	}[r-0x2596])
}

// mosaic divides a cell into blocks, in two columns and the given number of rows, and returns the
// blocks whose bits are set in set. The bits are in reading order: bit 0 is the top left block.
func (g grid) mosaic(rows, set int) []path {
	var out []path
	for i := range 2 * rows {
		if set&(1<<i) != 0 {
			x, y := i%2, i/2
			out = append(out, rectPath(fraction(g.w, x, 2), fraction(g.h, y, rows), fraction(g.w, x+1, 2), fraction(g.h, y+1, rows)))
		}
	}
	return out
}

// sextantShapes returns the shapes of U+1FB00 to U+1FB3B: the subsets of six blocks, in the order
// of their bits. The empty set, the full set and the two halves are not in this range, because
// Unicode has older characters for them.
func (g grid) sextantShapes(r rune) []path {
	const leftHalf, rightHalf = 0b010101, 0b101010
	set := int(r-0x1FB00) + 1
	if set >= leftHalf {
		set++
	}
	if set >= rightHalf {
		set++
	}
	return g.mosaic(3, set)
}

// brailleShapes returns the shapes of U+2800 to U+28FF: dots 1 to 3 and 7 on the left, 4
// to 6 and 8 on the right. The dots of adjacent cells form an even grid.
func (g grid) brailleShapes(r rune) []path {
	rows, cols := [8]int{0, 1, 2, 0, 1, 2, 3, 3}, [8]int{0, 0, 0, 1, 1, 1, 0, 1}
	radius := float32(g.w) * 0.16
	var out []path
	for i := range 8 {
		if r&(1<<i) != 0 {
			c := pt{float32(g.w) * (0.25 + 0.5*float32(cols[i])), float32(g.h) * (0.125 + 0.25*float32(rows[i]))}
			out = append(out, polyPath(arcPoints(c, radius, radius, 0, 2*math.Pi)...))
		}
	}
	return out
}

// powerlineShapes returns the shapes of U+E0B0 to U+E0BF, which are used in status lines:
// arrows, half circles and slants, filled and as outlines.
func (g grid) powerlineShapes(r rune) []path {
	w, h, thick := float32(g.w), float32(g.h), 1.4*float32(g.thin)
	mid := h / 2
	polygons := map[rune][]pt{
		0xE0B0: {{0, 0}, {w, mid}, {0, h}},
		0xE0B1: {{0, 0}, {thick, 0}, {w, mid}, {thick, h}, {0, h}, {w - thick, mid}},
		0xE0B2: {{w, 0}, {0, mid}, {w, h}},
		0xE0B3: {{w, 0}, {w - thick, 0}, {0, mid}, {w - thick, h}, {w, h}, {thick, mid}},
		0xE0B8: {{0, 0}, {w, h}, {0, h}},
		0xE0BA: {{w, 0}, {w, h}, {0, h}},
		0xE0BC: {{0, 0}, {w, 0}, {0, h}},
		0xE0BE: {{0, 0}, {w, 0}, {w, h}},
	}
	switch r {
	case 0xE0B4, 0xE0B5, 0xE0B6, 0xE0B7:
		return []path{g.halfEllipse(r%2 == 1, r >= 0xE0B6)}
	case 0xE0B9, 0xE0BF:
		return g.diagonals(0x2572)
	case 0xE0BB, 0xE0BD:
		return g.diagonals(0x2571)
	}
	return []path{polyPath(polygons[r]...)}
}

// halfEllipse returns a half ellipse as large as the cell or, if outline is set, its curved edge as
// a light line. The straight side is on the left, or on the right if mirrored is set.
func (g grid) halfEllipse(outline, mirrored bool) path {
	w, t, c := float32(g.w), float32(g.thin), pt{0, float32(g.h) / 2}
	points := arcPoints(c, w, c.y, -math.Pi/2, math.Pi)
	if outline { // the path follows the edge and returns inside it
		points = append(points, arcPoints(c, w-t, c.y-t, math.Pi/2, -math.Pi)...)
	}
	if mirrored {
		for i := range points {
			points[i].x = w - points[i].x
		}
	}
	return polyPath(points...)
}
