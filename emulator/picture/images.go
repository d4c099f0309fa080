package picture

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"image"
	"image/png"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/graphics"
)

// maxImagePixels is the maximum number of image pixels that are decoded and drawn for one picture, in
// total. It is also the maximum that Images caches. Images beyond it are shown as their labels.
const maxImagePixels = 64 << 20

// Images caches decoded images from one picture of a screen to the next, as in a video. The zero
// value is empty. Images is not safe for concurrent use.
type Images struct {
	decoded map[*graphics.Image]*image.RGBA // a nil value means that the image cannot be decoded
	cached  int                             // number of pixels of all images in decoded
	budget  int                             // pixels that the current picture may still use
}

// startPicture is called before each picture. It returns m, or a new cache if m is nil.
func (m *Images) startPicture() *Images {
	if m == nil {
		m = &Images{}
	}
	m.budget = maxImagePixels
	return m
}

// spend takes n pixels from the budget. If the budget is smaller, it returns false and takes none.
func (m *Images) spend(n int) bool {
	if n > m.budget {
		return false
	}
	m.budget -= n
	return true
}

// pixels returns src decoded, or nil if src is broken. It also returns nil if src is not in the
// cache and has more pixels than the budget allows.
func (m *Images) pixels(src *graphics.Image) *image.RGBA {
	img, ok := m.decoded[src]
	if ok {
		return img
	}
	n := src.Size().X * src.Size().Y
	if !m.spend(n) {
		return nil
	}
	img, err := src.Decode()
	if err != nil {
		img = nil
	}
	if m.decoded == nil || m.cached+n > maxImagePixels {
		m.decoded, m.cached = map[*graphics.Image]*image.RGBA{}, 0
	}
	m.decoded[src] = img
	m.cached += n
	return img
}

// A patch is a rectangle of cells that shows adjacent tiles of a placement.
type patch struct {
	row, col   int           // position of the first cell in the view
	rows, cols int           // size in cells
	tile       emulator.Tile // tile of the first cell
	*graphics.Placement
}

// patches returns the parts of images that the view shows, ordered by their first rows.
func (v *view) patches() []patch {
	if len(v.images) == 0 {
		return nil
	}
	var out []patch
	above := 0 // index of the first patch that may end in the row above
	for row, cells := range v.rows {
		rowStart := len(out) // index of the first patch of this row
		for col := 0; col < len(cells); {
			n := TileRun(cells[col:])
			if p := v.images[cells[col].Tile.Placement]; n > 0 && p != nil {
				next := patch{row, col, 1, n, cells[col].Tile, p}
				if !extendPatch(out[above:rowStart], next) {
					out = append(out, next)
				}
			}
			col += max(n, 1)
		}
		for above < len(out) && out[above].row+out[above].rows <= row {
			above++
		}
	}
	return out
}

// imageEnd returns the column after the last tile of a row.
func (v *view) imageEnd(row int) int {
	end := len(v.rows[row])
	for end > 0 && v.rows[row][end-1].Tile.Placement == 0 {
		end--
	}
	return end
}

// TileRun returns the number of leading cells that show adjacent tiles of one row of a placement.
// It returns 0 if the first cell, which must exist, shows no tile.
func TileRun(cells []emulator.Cell) int {
	first := cells[0].Tile
	if first.Placement == 0 {
		return 0
	}
	n := 1
	for n < len(cells) && cells[n].Tile == (emulator.Tile{
		Placement: first.Placement, Row: first.Row, Col: first.Col + uint16(n),
	}) {
		n++
	}
	return n
}

// extendPatch adds next, which has one row, to the patch that ends just above it, if next continues
// that patch: the same columns and the next row of the same placement. Otherwise it returns false.
func extendPatch(patches []patch, next patch) bool {
	for i := range patches {
		p := &patches[i]
		if p.row+p.rows == next.row && p.col == next.col && p.cols == next.cols &&
			p.tile.Placement == next.tile.Placement && p.tile.Col == next.tile.Col &&
			int(p.tile.Row)+p.rows == int(next.tile.Row) {
			p.rows++
			return true
		}
	}
	return false
}

// imageBox returns where the whole image is drawn, in pixels: Dest, scaled to the size of g's cells,
// with the placement's first cell at (x, y).
func imageBox(p *graphics.Placement, g grid, x, y int) image.Rectangle {
	d := p.Dest
	return image.Rect(
		x+d.Min.X*g.w/graphics.CellWidth, y+d.Min.Y*g.h/graphics.CellHeight,
		x+d.Max.X*g.w/graphics.CellWidth, y+d.Max.Y*g.h/graphics.CellHeight)
}

// maxImageCell is the maximum width in pixels of a cell in a PNG of a single image.
const maxImageCell = 2 * graphics.CellWidth

// maxImagePNG is the maximum number of pixels of a PNG of a single image.
const maxImagePNG = 4 << 20

// ImagePNG returns a placement as a PNG that fills the placement's cells, for a browser. The PNG is
// encoded from the decoded pixels, so bytes that a program sent never reach the browser unchecked. If
// the image is broken or too large, the result and the error are nil.
func ImagePNG(p *graphics.Placement) ([]byte, error) {
	return (*Images)(nil).startPicture().imagePNG(p)
}

// imagePNG is ImagePNG with a cache.
func (m *Images) imagePNG(p *graphics.Placement) ([]byte, error) {
	src := m.pixels(p.Image)
	if src == nil {
		return nil, nil
	}
	w := graphics.CellWidth
	if p.Source.Dx() > p.Dest.Dx() {
		w = maxImageCell
	}
	for w > 1 && p.Cols*p.Rows*2*w*w > maxImagePNG {
		w--
	}
	g := newGrid(w)
	img := image.NewRGBA(image.Rect(0, 0, p.Cols*g.w, p.Rows*g.h))
	if !m.spend(img.Rect.Dx() * img.Rect.Dy()) {
		return nil, nil
	}
	stretch(img, img.Rect, imageBox(p, g, 0, 0), src, p.Source)
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// definitions are the images that an SVG or HTML document defines once and then refers to.
type definitions struct {
	images *Images
	done   map[*graphics.Placement]bool // false if the image cannot be shown
	err    error
}

func newDefinitions() definitions {
	return definitions{images: (*Images)(nil).startPicture(), done: map[*graphics.Placement]bool{}}
}

// define calls write with the data URL of a placement, unless an earlier call has done so. If the
// image cannot be shown, define returns false and does not call write.
func (d *definitions) define(p *graphics.Placement, write func(url string)) bool {
	defined, ok := d.done[p]
	if !ok {
		data, err := d.images.imagePNG(p)
		defined, d.err = data != nil && err == nil, cmp.Or(d.err, err)
		if d.done[p] = defined; defined {
			write("data:image/png;base64," + base64.StdEncoding.EncodeToString(data))
		}
	}
	return defined
}
