package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"

	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/vector"

	"github.com/glasstty/glasstty/emulator"
)

// DefaultCellWidth is the default width of a cell in a PNG, in pixels. With this width, vision
// models process a picture of 80 columns without downscaling it.
const DefaultCellWidth = 16

// MaxPixels is the maximum number of pixels of a PNG.
const MaxPixels = 16 << 20

// minCellWidth and maxCellWidth are limits on the width of a cell in a PNG. Below the
// minimum, text is illegible.
const (
	minCellWidth = 6
	maxCellWidth = 64
)

// PNG writes the rows as a PNG.
func PNG(w io.Writer, snap *emulator.Snapshot, o Options) error {
	img, err := Image(snap, o)
	if err != nil {
		return err
	}
	return png.Encode(w, img)
}

// Image returns the picture that PNG writes.
func Image(snap *emulator.Snapshot, o Options) (*image.RGBA, error) {
	v, err := newView(snap, o)
	if err != nil {
		return nil, err
	}
	v.reveal, v.markInvisible = false, v.reveal // a code does not fit into a cell
	g, err := pngGrid(len(v.rows), v.cols, o.CellWidth)
	if err != nil {
		return nil, err
	}
	fonts := o.Fonts
	if fonts == nil {
		fonts = &Fonts{tried: true} // built-in only
	}
	size := image.Rect(0, 0, v.cols*g.w+2*g.w, len(v.rows)*g.h+2*g.w)
	p := &pngPainter{img: image.NewRGBA(size), g: g, fonts: fonts, glyphs: map[glyph]drawnGlyph{}, images: o.Images.startPicture()}
	draw.Draw(p.img, size, image.NewUniform(Background.opaque()), image.Point{}, draw.Src)
	v.paint(p, g, g.w, g.w)
	return p.img, nil
}

// pngGrid returns the grid for a PNG. Cells have the width want (0 means the default), clamped to
// the limits, or the largest smaller width that MaxPixels allows.
func pngGrid(rows, cols, want int) (grid, error) {
	if want == 0 {
		want = DefaultCellWidth
	}
	for w := min(max(want, minCellWidth), maxCellWidth); w >= minCellWidth; w-- {
		if (cols+2)*w*(rows+1)*2*w <= MaxPixels {
			return newGrid(w), nil
		}
	}
	return grid{}, fmt.Errorf("%w: %d rows of %d columns; choose a region of at most %d cells",
		ErrTooLarge, rows, cols, MaxPixels/(2*minCellWidth*minCellWidth)*9/10)
}

// opaque returns c as an opaque colour of package image/color.
func (c RGB) opaque() color.RGBA {
	return color.RGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 255}
}

// A pngPainter is a painter that draws on an image.
type pngPainter struct {
	img    *image.RGBA
	g      grid
	fonts  *Fonts
	shaper shaping.HarfbuzzShaper
	raster vector.Rasterizer
	mask   *image.Alpha         // output buffer of raster
	glyphs map[glyph]drawnGlyph // cache; at most one entry per cell of the picture
	images *Images
}

func (p *pngPainter) image(x, y int, part patch) bool {
	src := p.images.pixels(part.Image)
	clip := image.Rect(x, y, x+part.cols*p.g.w, y+part.rows*p.g.h)
	// The budget counts pixels of the source, of which this patch draws a part.
	n := part.Source.Dx() * part.Source.Dy() / (part.Rows * part.Cols) * (part.rows * part.cols)
	if src == nil || !p.images.spend(n) {
		return false
	}
	whole := imageBox(part.Placement, p.g, x-int(part.tile.Col)*p.g.w, y-int(part.tile.Row)*p.g.h)
	stretch(p.img, clip, whole, src, part.Source)
	return true
}

func (p *pngPainter) fill(x, y, w, h int, c RGB) {
	draw.Draw(p.img, image.Rect(x, y, x+w, y+h), image.NewUniform(c.opaque()), image.Point{}, draw.Src)
}

func (p *pngPainter) glyph(x, y int, gl glyph, c RGB) {
	d, ok := p.glyphs[gl]
	if !ok {
		d = p.fonts.layOut(p.g, gl, &p.shaper)
		p.glyphs[gl] = d
	}
	if d.img != nil {
		at := d.at.Add(image.Pt(x, y))
		stretch(p.img, at, at, d.img, d.img.Rect)
		return
	}
	p.draw(x, y, d.path, 1, c)
}

// overhang is how far a path may extend beyond its cell, in cells, as an accent or the tail of an
// italic letter does. draw cuts off what extends further.
const overhang = 1

// draw draws with anti-aliasing.
func (p *pngPainter) draw(x, y int, path path, alpha float32, c RGB) {
	if len(path) == 0 {
		return
	}
	// The rasterizer covers only two columns, for a wide cell, and the overhang around them.
	ox, oy := overhang*p.g.w, overhang*p.g.h
	w, h := 2*ox+2*p.g.w, 2*oy+p.g.h
	p.raster.Reset(w, h)
	p.raster.DrawOp = draw.Src
	addPath(&p.raster, path, float32(ox), float32(oy))
	src := c.opaque()
	src.A = uint8(alpha*255 + 0.5)
	for _, ch := range []*uint8{&src.R, &src.G, &src.B} { // color.RGBA is alpha-premultiplied
		*ch = uint8(float32(*ch)*alpha + 0.5)
	}
	dst := image.Rect(0, 0, w, h).Add(image.Pt(x-ox, y-oy))
	clipped := dst.Intersect(p.img.Bounds())
	if p.mask == nil {
		p.mask = image.NewAlpha(image.Rect(0, 0, w, h))
	}
	p.raster.Draw(p.mask, p.mask.Bounds(), image.Opaque, image.Point{})
	draw.DrawMask(p.img, clipped, image.NewUniform(src), image.Point{}, p.mask, clipped.Min.Sub(dst.Min), draw.Over)
}

// addPath adds a path, moved by (dx, dy), to a rasterizer.
func addPath(r *vector.Rasterizer, p path, dx, dy float32) {
	for i, s := range p {
		switch s.op {
		case opMove:
			if i > 0 {
				r.ClosePath()
			}
			r.MoveTo(s.p[0].x+dx, s.p[0].y+dy)
		case opLine:
			r.LineTo(s.p[0].x+dx, s.p[0].y+dy)
		case opQuad:
			r.QuadTo(s.p[0].x+dx, s.p[0].y+dy, s.p[1].x+dx, s.p[1].y+dy)
		case opCubic:
			r.CubeTo(s.p[0].x+dx, s.p[0].y+dy, s.p[1].x+dx, s.p[1].y+dy, s.p[2].x+dx, s.p[2].y+dy)
		}
	}
	r.ClosePath()
}
