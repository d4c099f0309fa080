package picture

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/graphics"
)

// maxImagePixels bounds the pixels that are decoded, and those that are drawn, of the
// images of one picture. Images beyond it are shown by their label.
const maxImagePixels = 64 << 20

// Images keeps images decoded from one picture to the next, as a film needs it. The
// zero value is empty. It is not safe for concurrent use.
type Images struct {
	decoded map[*graphics.Image]*image.RGBA // nil for what cannot be decoded
	kept    int                             // pixels
	budget  int
}

// begin is called before each picture.
func (m *Images) begin() *Images {
	if m == nil {
		m = &Images{}
	}
	m.budget = maxImagePixels
	return m
}

// pixels returns a decoded image, nil when it is broken or there are too many.
func (m *Images) pixels(src *graphics.Image) *image.RGBA {
	img, ok := m.decoded[src]
	if ok {
		return img
	}
	n := src.Size().X * src.Size().Y
	if m.budget -= n; m.budget < 0 {
		return nil
	}
	img, err := src.Decode()
	if err != nil {
		img = nil
	}
	if m.decoded == nil || m.kept+n > maxImagePixels {
		m.decoded, m.kept = map[*graphics.Image]*image.RGBA{}, 0
	}
	m.decoded[src] = img
	m.kept += n
	return img
}

// A patch is a rectangle of cells that shows neighbouring tiles of one placement.
type patch struct {
	row, col   int // in the view
	rows, cols int
	tile       emulator.Tile // of its first cell
	*graphics.Placement
}

// patches returns what the view shows of images, from top to bottom.
func (v *view) patches() []patch {
	if len(v.images) == 0 {
		return nil
	}
	var out []patch
	above := 0 // the patches that end in the row above begin here
	for row, cells := range v.rows {
		begun := len(out)
		for col := 0; col < len(cells); {
			n := TileRun(cells[col:])
			if p := v.images[cells[col].Tile.Placement]; n > 0 && p != nil {
				next := patch{row, col, 1, n, cells[col].Tile, p}
				if !grow(out[above:begun], next) {
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

// imageEnd returns the column after the last cell of a row that shows an image.
func (v *view) imageEnd(row int) int {
	end := len(v.rows[row])
	for end > 0 && v.rows[row][end-1].Tile.Placement == 0 {
		end--
	}
	return end
}

// TileRun returns how many cells show neighbouring tiles of one row of a placement.
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

// grow adds a row of tiles to the patch that it continues. It reports false when there
// is none.
func grow(patches []patch, next patch) bool {
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

// box returns where the whole image lies when the placement's first cell is at (x, y)
// and cells are as in g.
func box(p *graphics.Placement, g grid, x, y int) image.Rectangle {
	d := p.Dest
	return image.Rect(
		x+d.Min.X*g.w/graphics.CellWidth, y+d.Min.Y*g.h/graphics.CellHeight,
		x+d.Max.X*g.w/graphics.CellWidth, y+d.Max.Y*g.h/graphics.CellHeight)
}

// maxImageCell is the width of a cell in the PNG of a single image, at most.
const maxImageCell = 2 * graphics.CellWidth

// maxAlone bounds the pixels of such a PNG.
const maxAlone = 4 << 20

// ImagePNG returns a placement as a PNG of its own that fills its cells, for what
// draws them with the help of a browser. It is made from the pixels: what a program
// has sent goes no further. It returns nil when the image is broken.
func ImagePNG(p *graphics.Placement) ([]byte, error) {
	return (*Images)(nil).begin().alone(p)
}

// alone is ImagePNG.
func (m *Images) alone(p *graphics.Placement) ([]byte, error) {
	src := m.pixels(p.Image)
	if src == nil {
		return nil, nil
	}
	w := graphics.CellWidth
	if p.Source.Dx() > p.Dest.Dx() {
		w = maxImageCell
	}
	for w > 1 && p.Cols*p.Rows*2*w*w > maxAlone {
		w--
	}
	g := newGrid(w)
	img := image.NewRGBA(image.Rect(0, 0, p.Cols*g.w, p.Rows*g.h))
	if m.budget -= img.Rect.Dx() * img.Rect.Dy(); m.budget < 0 {
		return nil, nil
	}
	stretch(img, img.Rect, box(p, g, 0, 0), src, p.Source)
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// dataURL returns a placement as a URL that has it, "" when the image is broken.
func (m *Images) dataURL(p *graphics.Placement) (string, error) {
	data, err := m.alone(p)
	if data == nil || err != nil {
		return "", err
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data), nil
}
