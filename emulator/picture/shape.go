package picture

import "math"

// A pt is a point in pixels from the top left of a cell.
type pt struct{ x, y float32 }

// A pathOp is the kind of a path segment.
type pathOp uint8

const (
	opMove  pathOp = iota // end the current outline and begin another one at p[0]
	opLine                // to p[0]
	opQuad                // with control point p[0] to p[1]
	opCubic               // with control points p[0] and p[1] to p[2]
)

// A seg is a segment of a path.
type seg struct {
	op pathOp
	p  [3]pt
}

// A path is a list of closed outlines, whose inside is filled by the nonzero rule.
type path []seg

// rectPath returns a rectangle.
func rectPath(x0, y0, x1, y1 float32) path {
	return polyPath(pt{x0, y0}, pt{x1, y0}, pt{x1, y1}, pt{x0, y1})
}

// rect returns two opposite corners of a path made by rectPath. ok is false for other
// paths.
func (p path) rect() (from, to pt, ok bool) {
	if len(p) != 4 {
		return pt{}, pt{}, false
	}
	for _, s := range p[1:] {
		if s.op != opLine {
			return pt{}, pt{}, false
		}
	}
	a, b, c, d := p[0].p[0], p[1].p[0], p[2].p[0], p[3].p[0]
	return a, c, a.y == b.y && b.x == c.x && c.y == d.y && d.x == a.x
}

// polyPath returns a polygon.
func polyPath(points ...pt) path {
	out := path{{op: opMove, p: [3]pt{points[0]}}}
	for _, p := range points[1:] {
		out = append(out, seg{op: opLine, p: [3]pt{p}})
	}
	return out
}

// arcPoints returns points on an ellipse around c with radii rx and ry. They begin at the angle from
// (0 is on the right) and go clockwise by the angle sweep, or counterclockwise if it is negative. The
// lines between the points are less than 2 percent of the radius from the ellipse.
func arcPoints(c pt, rx, ry float32, from, sweep float64) []pt {
	out := make([]pt, 17)
	for i := range out {
		sin, cos := math.Sincos(from + sweep*float64(i)/float64(len(out)-1))
		out[i] = pt{c.x + rx*float32(cos), c.y + ry*float32(sin)}
	}
	return out
}

// A grid is the size of cells and lines in pixels. They are whole numbers, so that the
// edges of adjacent cells are sharp and meet.
type grid struct {
	w, h     int // size of a cell
	thin     int // thickness of a light line
	baseline int // distance of the text's baseline from the top of a cell
}

// newGrid returns the grid with cells that are w pixels wide.
func newGrid(w int) grid {
	return grid{w: w, h: 2 * w, thin: max(1, (w+4)/9), baseline: (2*w*787 + 500) / 1000}
}

// shapesOf returns the shapes of a character that is drawn without a font, and their opacity
// from 0 to 1. It returns nil for other characters and for the blank braille pattern.
func (g grid) shapesOf(r rune) (shapes []path, alpha float32) {
	switch {
	case r >= 0x2500 && r <= 0x257F:
		return g.boxShapes(r), 1
	case r >= 0x2591 && r <= 0x2593: // shades of 25, 50 and 75 percent
		return []path{g.cellPart(0, 0, 8, 8)}, float32(r-0x2590) / 4
	case r >= 0x2580 && r <= 0x259F:
		return g.blockShapes(r), 1
	case r >= 0x2800 && r <= 0x28FF:
		return g.brailleShapes(r), 1
	case r >= 0xE0B0 && r <= 0xE0BF:
		return g.powerlineShapes(r), 1
	case r >= 0x1FB00 && r <= 0x1FB3B:
		return g.sextantShapes(r), 1
	}
	return nil, 1
}
