package picture

import "math"

// The weights of the arms of a box-drawing character, in addition to '1', light.
const (
	armNone   = '0'
	armHeavy  = '2'
	armDouble = '3'
)

// boxShapes returns the shapes of r, a box-drawing character (U+2500 to U+257F).
func (g grid) boxShapes(r rune) []path {
	switch {
	case r >= 0x2504 && r <= 0x250B:
		return g.dashes(boxArms(r), 3+int(r-0x2504)/4)
	case r >= 0x254C && r <= 0x254F:
		return g.dashes(boxArms(r), 2)
	case r >= 0x256D && r <= 0x2570:
		return g.arc(r)
	case r >= 0x2571 && r <= 0x2573:
		return g.diagonals(r)
	}
	return g.arms(boxArms(r))
}

// thickness returns the thickness in pixels of a line with the given weight. For a double line, it
// is that of each of its two lines.
func (g grid) thickness(weight byte) int {
	switch weight {
	case armNone:
		return 0
	case armHeavy:
		return 2*g.thin + g.thin%2
	default:
		return g.thin
	}
}

// arms returns lines that meet in the middle of the cell and end at its edges. weights are in the
// order up, right, down, left.
func (g grid) arms(weights [4]byte) []path {
	var out []path
	half := float32(g.thin) / 2
	for dir, weight := range weights {
		clockwise, counter, opposite := weights[(dir+1)%4], weights[(dir+3)%4], weights[(dir+2)%4]
		switch {
		case weight == armNone:
		case weight == armDouble:
			out = append(out,
				g.arm(dir, g.thin, g.thin, half*doubleStart(clockwise, counter)),
				g.arm(dir, g.thin, -g.thin, half*doubleStart(counter, clockwise)))
		case opposite == armNone && clockwise == armDouble && counter == armDouble:
			out = append(out, g.arm(dir, g.thin, 0, half))
		case opposite == armNone && (clockwise == armDouble || counter == armDouble):
			out = append(out, g.arm(dir, g.thin, 0, -3*half))
		default: // the arm covers the lines that it meets
			overlap := max(g.thin, g.thickness(clockwise), g.thickness(counter))
			out = append(out, g.arm(dir, g.thickness(weight), 0, -float32(overlap)/2))
		}
	}
	return out
}

// doubleStart returns where one of the two lines of a double arm begins, in halves of a line width
// from the middle. near and far are the weights of the crossing arms on the line's side and on the
// other side. If near is double, the line begins at the inner corner. If near is none and far is
// double, it begins at the outer corner. Otherwise it covers the line that it meets in the middle.
func doubleStart(near, far byte) float32 {
	switch {
	case near == armDouble:
		return 1
	case near == armNone && far == armDouble:
		return -3
	default:
		return -1
	}
}

// arm returns a rectangle in direction dir (0 up, 1 right, 2 down, 3 left) that ends at the
// edge of the cell. from is the distance in pixels between the middle of the cell and the
// start of the rectangle. offset moves the rectangle clockwise from the middle line.
func (g grid) arm(dir, thick, offset int, from float32) path {
	// All lines are centred on the thin line, whose position is in whole pixels, so that
	// lines of all weights meet.
	cx := float32((g.w-g.thin)/2) + float32(g.thin)/2
	cy := float32((g.h-g.thin)/2) + float32(g.thin)/2
	half, off := float32(thick)/2, float32(offset)
	var x0, y0, x1, y1 float32
	switch dir {
	case 0:
		x0, x1, y0, y1 = cx+off-half, cx+off+half, 0, cy-from
	case 1:
		x0, x1, y0, y1 = cx+from, float32(g.w), cy+off-half, cy+off+half
	case 2:
		x0, x1, y0, y1 = cx-off-half, cx-off+half, cy+from, float32(g.h)
	default:
		x0, x1, y0, y1 = 0, cx-from, cy-off-half, cy-off+half
	}
	return rectPath(x0, y0, x1, y1)
}

// dashes returns n dashes along the line from edge to edge that the weights of two arms describe.
func (g grid) dashes(weights [4]byte, n int) []path {
	var out []path
	vertical := weights[0] != armNone
	length, across, weight := g.w, g.h, weights[1]
	if vertical {
		length, across, weight = g.h, g.w, weights[0]
	}
	thick := g.thickness(weight)
	a0 := float32((across-g.thin)/2) + float32(g.thin-thick)/2
	a1 := a0 + float32(thick)
	for i := range n {
		period := float32(length) / float32(n)
		from := float32(i)*period + period*0.2
		to := from + period*0.6
		if vertical {
			out = append(out, rectPath(a0, from, a1, to))
		} else {
			out = append(out, rectPath(from, a0, to, a1))
		}
	}
	return out
}

// arc returns a rounded corner, U+256D to U+2570: the largest quarter ring that fits the
// cell, and straight lines from its ends to the edges.
func (g grid) arc(r rune) []path {
	thin := float32(g.thin)
	cx := float32((g.w-g.thin)/2) + thin/2
	cy := float32((g.h-g.thin)/2) + thin/2
	radius := min(cx, cy)
	vertical, horizontal, c, from := 0, 3, pt{cx - radius, cy - radius}, 0.0
	switch r {
	case 0x256D:
		vertical, horizontal, c, from = 2, 1, pt{cx + radius, cy + radius}, math.Pi
	case 0x256E:
		vertical, c, from = 2, pt{cx - radius, cy + radius}, 1.5*math.Pi
	case 0x2570:
		horizontal, c, from = 1, pt{cx + radius, cy - radius}, 0.5*math.Pi
	}
	outer, inner := radius+thin/2, radius-thin/2
	ring := append(arcPoints(c, outer, outer, from, math.Pi/2), arcPoints(c, inner, inner, from+math.Pi/2, -math.Pi/2)...)
	return []path{polyPath(ring...), g.arm(vertical, g.thin, 0, radius), g.arm(horizontal, g.thin, 0, radius)}
}

// diagonals returns the shapes of U+2571 to U+2573. The strokes are clipped at the
// corners of the cell, so that those of adjacent cells join.
func (g grid) diagonals(r rune) []path {
	w, h := float32(g.w), float32(g.h)
	// Half the horizontal width of a stroke with the thickness of a thin line.
	d := float32(g.thin) * float32(math.Hypot(float64(w), float64(h))) / h / 2
	e := d * h / w
	rising := polyPath(pt{w - d, 0}, pt{w, 0}, pt{w, e}, pt{d, h}, pt{0, h}, pt{0, h - e})
	falling := polyPath(pt{0, 0}, pt{d, 0}, pt{w, h - e}, pt{w, h}, pt{w - d, h}, pt{0, e})
	switch r {
	case 0x2571:
		return []path{rising}
	case 0x2572:
		return []path{falling}
	default:
		return []path{rising, falling}
	}
}
