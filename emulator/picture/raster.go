package picture

import (
	"bytes"
	"image"
	"image/draw"
	_ "image/jpeg" // some bitmap fonts contain JPEG
	_ "image/png"  // most bitmap fonts contain PNG
	"math"
	"unicode"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"

	"github.com/glasstty/glasstty/emulator/graphics"
)

// A drawnGlyph is a cluster that is ready to draw: an outline or, if img is not nil, a
// coloured image.
type drawnGlyph struct {
	path path
	img  *image.RGBA
	at   image.Rectangle // position of img, relative to the cell's top left
}

// maxClusterRunes is the maximum number of characters of a cluster that are drawn. The clusters
// of a Terminal are not longer.
const maxClusterRunes = 32

// layOut finds a font for a cluster and lays the cluster out in its columns. If there is no font,
// the result is a box.
func (f *Fonts) layOut(g grid, gl glyph, shaper *shaping.HarfbuzzShaper) drawnGlyph {
	runes := []rune(gl.text)
	runes = runes[:min(len(runes), maxClusterRunes)]
	f.mu.Lock()
	defer f.mu.Unlock()
	face := f.faceLocked(runes[0], gl, isEmoji(runes, gl.cols))
	if face == nil {
		return drawnGlyph{path: g.missingGlyph(gl.cols)}
	}
	out := shaper.Shape(shaping.Input{
		Text: runes, RunEnd: len(runes), Direction: di.DirectionLTR, Face: face,
		Script: language.LookupScript(runes[0]), Language: language.NewLanguage("en"),
		Size: fixed.Int26_6(math.Round(fontSize(g) * 64)),
	})
	return g.assemble(face, out, gl.cols, isMarked(runes))
}

// isMarked reports whether a cluster is one character with combining marks.
func isMarked(runes []rune) bool {
	for _, r := range runes[1:] {
		if !unicode.In(r, unicode.Mn, unicode.Me) {
			return false
		}
	}
	return len(runes) > 1
}

// isEmoji reports whether a cluster is drawn in colour. The first VS16 or VS15 in it decides: VS16
// means true, VS15 false. Without them, a wide character of the emoji blocks is drawn in colour.
func isEmoji(runes []rune, cols int) bool {
	for _, r := range runes {
		switch r {
		case 0xFE0F:
			return true
		case 0xFE0E:
			return false
		}
	}
	r := runes[0]
	return cols == 2 && (r >= 0x1F000 && r <= 0x1FAFF || r >= 0x231A && r <= 0x2BFF)
}

// assemble combines shaped glyphs into one drawing, which is centred in cols columns, and shrunk if
// it is too wide. marked reports whether the cluster is a letter with combining marks.
func (g grid) assemble(face *font.Face, out shaping.Output, cols int, marked bool) drawnGlyph {
	em := float32(fontSize(g)) / float32(face.Upem())
	advance := float32(out.Advance) / 64
	if marked {
		// Some fonts give combining marks a width; count only the width of the letter.
		advance = float32(out.Glyphs[0].Advance) / 64
	}
	room := float32(cols * g.w)
	scale := float32(1)
	if advance > room*1.01 {
		scale = room / advance
	}
	pen := (room - advance*scale) / 2
	var drawn drawnGlyph
	base := pen
	for i, gl := range out.Glyphs {
		unplaced := gl.XOffset == 0 && gl.YOffset == 0
		x := pen + float32(gl.XOffset)/64*scale
		if marked && i > 0 && (gl.Advance != 0 || unplaced) {
			x = base // the font does not position this mark, so put it over the letter
		}
		y := float32(g.baseline) - float32(gl.YOffset)/64*scale
		pen += float32(gl.Advance) / 64 * scale
		if bm, ok := face.GlyphDataBitmap(gl.GlyphID); ok {
			if img, _, err := image.Decode(bytes.NewReader(bm.Data)); err == nil {
				rgba := image.NewRGBA(img.Bounds())
				draw.Draw(rgba, rgba.Rect, img, rgba.Rect.Min, draw.Src)
				return drawnGlyph{img: rgba, at: graphics.Fit(max(1, rgba.Rect.Dx()), max(1, rgba.Rect.Dy()), image.Rect(0, 0, cols*g.w, g.h))}
			}
		}
		if o, ok := face.GlyphDataOutline(gl.GlyphID); ok {
			drawn.path = append(drawn.path, outlinePath(o, x, y, em*scale)...)
		}
	}
	return drawn
}

// outlinePath converts a font's outline, whose y axis points up, to a path with its origin at (x, y).
func outlinePath(o font.GlyphOutline, x, y, scale float32) path {
	out := make(path, 0, len(o.Segments))
	ops := map[opentype.SegmentOp]pathOp{
		opentype.SegmentOpMoveTo: opMove, opentype.SegmentOpLineTo: opLine,
		opentype.SegmentOpQuadTo: opQuad, opentype.SegmentOpCubeTo: opCubic,
	}
	for _, s := range o.Segments {
		step := seg{op: ops[s.Op]}
		for i, a := range s.ArgsSlice() {
			step.p[i] = pt{x + a.X*scale, y - a.Y*scale}
		}
		out = append(out, step)
	}
	return out
}

// missingGlyph returns a box, which is drawn for a character without a font.
func (g grid) missingGlyph(cols int) path {
	w, t := float32(cols*g.w), float32(g.thin)
	x0, x1 := t*1.5, w-t*1.5
	y0, y1 := float32(g.h)*0.2, float32(g.baseline)
	outer := rectPath(x0, y0, x1, y1)
	inner := polyPath(pt{x0 + t, y0 + t}, pt{x0 + t, y1 - t}, pt{x1 - t, y1 - t}, pt{x1 - t, y0 + t})
	return append(outer, inner...)
}
