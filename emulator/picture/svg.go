package picture

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator"
)

// svgCellWidth is the width of a cell in SVG user units.
const svgCellWidth = 10

// SVG writes the rows as an SVG. Text remains text and is positioned by cells. Characters that
// are drawn without a font, such as box-drawing characters, become paths and rectangles.
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
	fmt.Fprintf(b, `<title>%s</title>`+"\n", escape(snap.Title))
	// If the SVG is shown at a fractional scale, anti-aliased edges would be seams between cells.
	b.WriteString("<style>rect{shape-rendering:crispEdges}</style>\n")
	fmt.Fprintf(b, `<rect width="100%%" height="100%%" fill="%s"/>`+"\n", Background)
	p := &svgPainter{w: b, g: g, definitions: newDefinitions()}
	v.paint(p, g, pad, pad)
	p.flush()
	if p.err != nil {
		return p.err
	}
	b.WriteString("</svg>\n")
	return b.Flush()
}

// An svgPainter is a painter that writes SVG elements. Adjacent glyphs of the same style become
// one text element, the pending text, which flush writes. The element is stretched to the width
// of its cells, so that the cells have the same width in any font.
type svgPainter struct {
	w     *bufio.Writer
	g     grid
	x, y  int    // position of the pending text
	cells int    // width of the pending text in cells
	style string // attributes of the pending text
	text  strings.Builder
	definitions
}

func (p *svgPainter) image(x, y int, part patch) bool {
	p.flush()
	id := part.tile.Placement
	hasDef := p.define(part.Placement, func(url string) {
		fmt.Fprintf(p.w, `<defs><image id="i%d" width="%d" height="%d" preserveAspectRatio="none" href="%s"/></defs>`+"\n",
			id, part.Cols*p.g.w, part.Rows*p.g.h, url)
	})
	if hasDef {
		w, h := part.cols*p.g.w, part.rows*p.g.h
		fmt.Fprintf(p.w, `<svg x="%d" y="%d" width="%d" height="%d" viewBox="%d %d %d %d"><use href="#i%d"/></svg>`+"\n",
			x, y, w, h, int(part.tile.Col)*p.g.w, int(part.tile.Row)*p.g.h, w, h, id)
	}
	return hasDef
}

func (p *svgPainter) fill(x, y, w, h int, c RGB) {
	p.flush()
	fmt.Fprintf(p.w, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x, y, w, h, c)
}

func (p *svgPainter) draw(x, y int, path path, alpha float32, c RGB) {
	p.flush()
	opacity := ""
	if alpha != 1 {
		opacity = fmt.Sprintf(` opacity="%s"`, svgNumber(alpha))
	}
	if from, to, ok := path.rect(); ok {
		fmt.Fprintf(p.w, `<rect fill="%s"%s x="%s" y="%s" width="%s" height="%s"/>`+"\n", c, opacity,
			svgNumber(from.x+float32(x)), svgNumber(from.y+float32(y)), svgNumber(to.x-from.x), svgNumber(to.y-from.y))
		return
	}
	fmt.Fprintf(p.w, `<path fill="%s"%s d="%s"/>`+"\n", c, opacity, svgPath(path, float32(x), float32(y)))
}

func (p *svgPainter) glyph(x, y int, g glyph, c RGB) {
	style := fmt.Sprintf(`fill="%s"`, c)
	if g.bold {
		style += ` font-weight="bold"`
	}
	if g.italic {
		style += ` font-style="italic"`
	}
	if g.cols > 1 {
		style += ` lengthAdjust="spacingAndGlyphs"`
	}
	// A cluster that is wide or has several characters is a separate element.
	alone := g.cols > 1 || utf8.RuneCountInString(g.text) > 1
	if alone || style != p.style || y != p.y || x != p.x+p.cells*p.g.w {
		p.flush()
		p.style, p.x, p.y = style, x, y
	}
	p.cells += g.cols
	p.text.WriteString(escape(g.text))
	if alone {
		p.flush()
	}
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

// escape escapes text for SVG and HTML, and replaces characters that XML 1.0 does not allow. It
// does not use package html, which would add the names of 2,000 entities to the binary.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(cleanText(s))) // writing to a Builder cannot fail
	return b.String()
}

// svgPath returns the d attribute of a path, moved by (dx, dy).
func svgPath(p path, dx, dy float32) string {
	var b strings.Builder
	for i, s := range p {
		if s.op == opMove && i > 0 {
			b.WriteByte('Z')
		}
		b.WriteByte("MLQC"[s.op])
		for j, q := range s.p[:max(1, s.op)] {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(svgNumber(q.x+dx) + " " + svgNumber(q.y+dy))
		}
	}
	b.WriteByte('Z')
	return b.String()
}

// svgNumber formats a number with at most two decimals.
func svgNumber(f float32) string {
	s := strconv.FormatFloat(float64(f), 'f', 2, 32)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
