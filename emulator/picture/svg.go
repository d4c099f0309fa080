package picture

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/graphics"
)

// svgCellWidth is the width of a cell in the user units of an SVG.
const svgCellWidth = 10

// SVG writes a picture in which text is text, placed cell by cell, and
// box-drawing characters are paths.
func SVG(w io.Writer, snap *emulator.Snapshot, o Options) error {
	v, err := newView(snap, o)
	if err != nil {
		return err
	}
	g := newGrid(svgCellWidth)
	pad := g.w
	width, height := v.cols*g.w+2*pad, len(v.rows)*g.h+2*pad
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" `+
		`font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="%.2f" xml:space="preserve">`+"\n",
		width, height, width, height, fontSize(g))
	fmt.Fprintf(b, `<title>%s</title>`+"\n", svgText(snap.Title))
	// At a fractional scale smoothed edges would show as seams between cells.
	b.WriteString("<style>rect{shape-rendering:crispEdges}</style>\n")
	fmt.Fprintf(b, `<rect width="100%%" height="100%%" fill="%s"/>`+"\n", Background)
	p := &svgPainter{w: b, g: g, images: (*Images)(nil).begin(), known: map[*graphics.Placement]bool{}}
	v.paint(p, g, pad, pad)
	p.flush()
	if p.err != nil {
		return p.err
	}
	b.WriteString("</svg>\n")
	return b.Flush()
}

// An svgPainter writes elements. Glyphs of one style that touch become one text
// element, stretched over its cells so that any font keeps to the grid.
type svgPainter struct {
	w     *bufio.Writer
	g     grid
	x, y  int    // where the pending text begins
	cells int    // how many it has
	style string // its attributes
	text  strings.Builder

	images *Images
	known  map[*graphics.Placement]bool // whether the image could be written, as a symbol
	err    error
}

func (p *svgPainter) image(x, y int, part patch) bool {
	p.flush()
	id := part.tile.Placement
	known, ok := p.known[part.Placement]
	if !ok {
		url, err := p.images.dataURL(part.Placement)
		known, p.err = url != "", cmp.Or(p.err, err)
		p.known[part.Placement] = known
		if known {
			fmt.Fprintf(p.w, `<defs><image id="i%d" width="%d" height="%d" preserveAspectRatio="none" href="%s"/></defs>`+"\n",
				id, part.Cols*p.g.w, part.Rows*p.g.h, url)
		}
	}
	if known {
		w, h := part.cols*p.g.w, part.rows*p.g.h
		fmt.Fprintf(p.w, `<svg x="%d" y="%d" width="%d" height="%d" viewBox="%d %d %d %d"><use href="#i%d"/></svg>`+"\n",
			x, y, w, h, int(part.tile.Col)*p.g.w, int(part.tile.Row)*p.g.h, w, h, id)
	}
	return known
}

func (p *svgPainter) fill(x, y, w, h int, c RGB) {
	p.flush()
	fmt.Fprintf(p.w, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x, y, w, h, c)
}

func (p *svgPainter) draw(x, y int, s shape, c RGB) {
	p.flush()
	opacity := ""
	if s.alpha != 1 {
		opacity = fmt.Sprintf(` opacity="%s"`, svgNumber(s.alpha))
	}
	if from, to, ok := s.path.rect(); ok {
		fmt.Fprintf(p.w, `<rect fill="%s"%s x="%s" y="%s" width="%s" height="%s"/>`+"\n", c, opacity,
			svgNumber(from.x+float32(x)), svgNumber(from.y+float32(y)), svgNumber(to.x-from.x), svgNumber(to.y-from.y))
		return
	}
	fmt.Fprintf(p.w, `<path fill="%s"%s d="%s"/>`+"\n", c, opacity, svgPath(s.path, float32(x), float32(y)))
}

func (p *svgPainter) glyph(x, y int, g glyph, c RGB) {
	style := fmt.Sprintf(`fill="%s"`, c)
	if g.bold {
		style += ` font-weight="bold"`
	}
	if g.italic {
		style += ` font-style="italic"`
	}
	// A cluster of several characters is an element of its own, and a wide one,
	// which is fitted into its columns.
	if runes := []rune(g.text); len(runes) > 1 || g.cols > 1 {
		p.flush()
		fmt.Fprintf(p.w, `<text %s x="%d" y="%d"`, style, x, y+p.g.baseline)
		if g.cols > 1 {
			fmt.Fprintf(p.w, ` textLength="%d" lengthAdjust="spacingAndGlyphs"`, g.cols*p.g.w)
		}
		fmt.Fprintf(p.w, `>%s</text>`+"\n", svgText(g.text))
		return
	}
	if style != p.style || y != p.y || x != p.x+p.cells*p.g.w {
		p.flush()
		p.style, p.x, p.y = style, x, y
	}
	p.cells++
	p.text.WriteString(svgText(g.text))
}

// flush writes the pending text.
func (p *svgPainter) flush() {
	if p.cells == 0 {
		return
	}
	fmt.Fprintf(p.w, `<text %s x="%d" y="%d"`, p.style, p.x, p.y+p.g.baseline)
	if p.cells > 1 {
		fmt.Fprintf(p.w, ` textLength="%d"`, p.cells*p.g.w)
	}
	fmt.Fprintf(p.w, ">%s</text>\n", p.text.String())
	p.cells = 0
	p.text.Reset()
}

// svgText escapes text and replaces what XML 1.0 does not allow.
func svgText(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, cleanText(s)))
}

// svgPath returns the d attribute of a path moved by (dx, dy).
func svgPath(p path, dx, dy float32) string {
	var b strings.Builder
	points := func(ps ...pt) {
		for i, q := range ps {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(svgNumber(q.x+dx) + " " + svgNumber(q.y+dy))
		}
	}
	for i, s := range p {
		switch s.op {
		case opMove:
			if i > 0 {
				b.WriteByte('Z')
			}
			b.WriteByte('M')
			points(s.p[0])
		case opLine:
			b.WriteByte('L')
			points(s.p[0])
		case opQuad:
			b.WriteByte('Q')
			points(s.p[0], s.p[1])
		case opCubic:
			b.WriteByte('C')
			points(s.p[0], s.p[1], s.p[2])
		}
	}
	b.WriteByte('Z')
	return b.String()
}

// svgNumber writes a number with at most two decimals.
func svgNumber(f float32) string {
	s := strconv.FormatFloat(float64(f), 'f', 2, 32)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
