package graphics

import (
	"fmt"
	"image"
	"strings"
	"unicode/utf8"
)

// A Placement is an image, or a part of it, at a size in cells. It is immutable.
type Placement struct {
	Image      *Image          `json:"-"`
	Source     image.Rectangle // the part that is shown, in the image's pixels
	Dest       image.Rectangle // where, in pixels from the first cell's corner
	Rows, Cols int             // the cells that Dest touches
	Z          int
	ID, PID    uint32 // the image and the placement as kitty's protocol names them; 0 for none
	Virtual    bool   // shown by placeholders

	label  []string // see Label, a character a cell
	serial uint64   // the order of arrival, by the Store
}

// place completes p from its Dest. It reports false when p has too many cells.
func (p *Placement) place() bool {
	p.Cols = (p.Dest.Max.X + CellWidth - 1) / CellWidth
	p.Rows = (p.Dest.Max.Y + CellHeight - 1) / CellHeight
	return p.Cols >= 1 && p.Rows >= 1 && p.Cols <= MaxCols && p.Rows <= MaxRows
}

// PlaceSixel returns the placement of m at its own size.
func PlaceSixel(m *Image) *Placement {
	p := &Placement{Image: m, Source: image.Rectangle{Max: m.size}, Dest: image.Rectangle{Max: m.size}}
	p.place() // MaxSide is within MaxRows and MaxCols
	return p
}

// Place returns the placement of m that c asks for.
func (c *Command) Place(m *Image) (*Placement, error) {
	p := &Placement{Image: m, Z: c.Z, PID: c.Placement, Virtual: c.Virtual}
	if c.Parent {
		return nil, fmt.Errorf("%w: relative placements are not supported", ErrData)
	}
	if c.Cols > MaxCols || c.Rows > MaxRows || c.OffX >= CellWidth || c.OffY >= CellHeight {
		return nil, fmt.Errorf("%w: %d rows of %d cells; at most %d of %d, and an offset inside the first cell",
			ErrLimit, c.Rows, c.Cols, MaxRows, MaxCols)
	}
	all := image.Rectangle{Max: m.size}
	p.Source = all
	if c.W > 0 || c.H > 0 || c.X > 0 || c.Y > 0 {
		w, h := c.W, c.H
		if w == 0 {
			w = m.size.X
		}
		if h == 0 {
			h = m.size.Y
		}
		p.Source = image.Rect(c.X, c.Y, c.X+w, c.Y+h).Intersect(all)
	}
	if p.Source.Empty() {
		return nil, fmt.Errorf("%w: nothing of the image is within the part that is asked for", ErrData)
	}
	w, h := p.Source.Dx(), p.Source.Dy()
	box := image.Pt(c.Cols*CellWidth, c.Rows*CellHeight)
	switch {
	case box.X == 0 && box.Y == 0:
		box = image.Pt(w+c.OffX, h+c.OffY)
	case box.Y == 0:
		box.Y = max(1, (box.X-c.OffX)*h/w) + c.OffY
	case box.X == 0:
		box.X = max(1, (box.Y-c.OffY)*w/h) + c.OffX
	}
	p.Dest = image.Rectangle{Min: image.Pt(c.OffX, c.OffY), Max: box}
	if !p.place() {
		return nil, fmt.Errorf("%w: %d rows of %d cells", ErrLimit, p.Rows, p.Cols)
	}
	if c.Virtual {
		p.Dest = fit(w, h, image.Rect(0, 0, p.Cols*CellWidth, p.Rows*CellHeight))
	}
	return p, nil
}

// fit returns the largest rectangle of the shape w×h in the middle of box.
func fit(w, h int, box image.Rectangle) image.Rectangle {
	bw, bh := box.Dx(), box.Dy()
	fw, fh := bw, max(1, bw*h/w)
	if fh > bh {
		fw, fh = max(1, bh*w/h), bh
	}
	at := box.Min.Add(image.Pt((bw-fw)/2, (bh-fh)/2))
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(fw, fh))}
}

// Place returns the placement of m that in asks for, on a screen of so many cells.
func (in Inline) Place(m *Image, rows, cols int) (*Placement, error) {
	w, h := m.size.X, m.size.Y
	bw := in.Width.pixels(CellWidth, cols)
	bh := in.Height.pixels(CellHeight, rows)
	switch {
	case bw == 0 && bh == 0:
		bw, bh = w, h
		if room := cols * CellWidth; bw > room { // as iTerm2 does
			bw, bh = room, max(1, h*room/w)
		}
	case bw == 0:
		bw = max(1, bh*w/h)
	case bh == 0:
		bh = max(1, bw*h/w)
	case !in.Stretch:
		p := fit(w, h, image.Rect(0, 0, bw, bh))
		bw, bh = p.Dx(), p.Dy()
	}
	p := &Placement{Image: m, Source: image.Rectangle{Max: m.size}, Dest: image.Rect(0, 0, bw, bh)}
	if !p.place() {
		return nil, fmt.Errorf("%w: %d rows of %d cells", ErrLimit, p.Rows, p.Cols)
	}
	return p, nil
}

// pixels returns e in pixels of a screen of n cells of a size, 0 for auto.
func (e Extent) pixels(cell, n int) int {
	switch e.Unit {
	case ExtentCells:
		return e.N * cell
	case ExtentPixels:
		return e.N
	case ExtentPercent:
		return max(1, e.N*n*cell/100)
	}
	return 0
}

// Label returns what stands for the image where only text is shown: one character of
// [image 640×480], or of a shorter form that fits, for each of the first row's cells.
func (p *Placement) Label(row, col int) string {
	if row > 0 || col >= len(p.label) {
		return ""
	}
	return p.label[col]
}

// Serial returns a number that no other placement of the terminal has had.
func (p *Placement) Serial() uint64 { return p.serial }

// setLabel makes the label.
func (p *Placement) setLabel() {
	size := fmt.Sprintf("%d×%d", p.Image.size.X, p.Image.size.Y)
	text := "▣"
	for _, s := range []string{"[img]", "[image]", "[image " + size + "]"} {
		if utf8.RuneCountInString(s) <= p.Cols {
			text = s
		}
	}
	p.label = strings.Split(text, "")
}
