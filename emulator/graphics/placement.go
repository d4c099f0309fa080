package graphics

import (
	"cmp"
	"fmt"
	"image"
	"unicode/utf8"
)

// A Placement is an image, or a part of it, and the size at which it is shown. It does not
// change after it has been added to a Store.
type Placement struct {
	Image           *Image
	Source          image.Rectangle // the part to show, in pixels of the image
	Dest            image.Rectangle // where Source is drawn, in pixels from the top left corner of the first cell
	Rows, Cols      int             // size in cells, enough for Dest
	Z               int             // z-index of kitty's protocol; it only selects placements to delete
	ID, PlacementID uint32          // image ID and placement ID of kitty's protocol, or 0
	Virtual         bool            // shown where the text has kitty's placeholder characters

	serial uint64 // order of arrival in the Store
}

// setSize sets p's size in cells from Dest. It returns an error if p has no cells or too many.
func (p *Placement) setSize() error {
	p.Cols = (p.Dest.Max.X + CellWidth - 1) / CellWidth
	p.Rows = (p.Dest.Max.Y + CellHeight - 1) / CellHeight
	if p.Cols < 1 || p.Rows < 1 || p.Cols > MaxCols || p.Rows > MaxRows {
		return fmt.Errorf("%w: %d rows of %d cells", ErrLimit, p.Rows, p.Cols)
	}
	return nil
}

// PlaceSixel returns the placement of m at its own size.
func PlaceSixel(m *Image) *Placement {
	p := &Placement{Image: m, Source: image.Rectangle{Max: m.size}, Dest: image.Rectangle{Max: m.size}}
	_ = p.setSize() // an image of MaxSide pixels fits into MaxRows and MaxCols
	return p
}

// Place returns the placement of m that the command describes.
func (c *Command) Place(m *Image) (*Placement, error) {
	p := &Placement{Image: m, Z: c.Z, PlacementID: c.Placement, Virtual: c.Virtual}
	if c.Parent {
		return nil, fmt.Errorf("%w: relative placements are not supported", ErrData)
	}
	if c.Cols > MaxCols || c.Rows > MaxRows || c.OffX >= CellWidth || c.OffY >= CellHeight {
		return nil, fmt.Errorf("%w: %d columns and %d rows with an offset of %d,%d pixels; want at most %d columns and %d rows, and an offset within the first cell",
			ErrLimit, c.Cols, c.Rows, c.OffX, c.OffY, MaxCols, MaxRows)
	}
	end := image.Pt(c.X+cmp.Or(c.W, m.size.X), c.Y+cmp.Or(c.H, m.size.Y))
	p.Source = image.Rect(c.X, c.Y, end.X, end.Y).Intersect(image.Rectangle{Max: m.size})
	if p.Source.Empty() {
		return nil, fmt.Errorf("%w: the part to show is outside the image", ErrData)
	}
	w, h := p.Source.Dx(), p.Source.Dy()
	box := image.Pt(c.Cols*CellWidth, c.Rows*CellHeight)
	switch { // as in kitty, if only columns or only rows are given, Source's proportions give the other
	case box.X == 0 && box.Y == 0:
		box = image.Pt(w+c.OffX, h+c.OffY)
	case box.Y == 0:
		box.Y = max(1, (box.X-c.OffX)*h/w) + c.OffY
	case box.X == 0:
		box.X = max(1, (box.Y-c.OffY)*w/h) + c.OffX
	}
	p.Dest = image.Rectangle{Min: image.Pt(c.OffX, c.OffY), Max: box}
	if err := p.setSize(); err != nil {
		return nil, err
	}
	if c.Virtual {
		p.Dest = Fit(w, h, image.Rect(0, 0, p.Cols*CellWidth, p.Rows*CellHeight))
	}
	return p, nil
}

// Fit returns the largest rectangle inside box with the proportions w×h. It is centred in box.
func Fit(w, h int, box image.Rectangle) image.Rectangle {
	bw, bh := box.Dx(), box.Dy()
	fw, fh := bw, max(1, bw*h/w)
	if fh > bh {
		fw, fh = max(1, bh*w/h), bh
	}
	at := box.Min.Add(image.Pt((bw-fw)/2, (bh-fh)/2))
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(fw, fh))}
}

// Place returns the placement of m that Width, Height and Stretch describe.
func (in Inline) Place(m *Image) (*Placement, error) {
	w, h := m.size.X, m.size.Y
	bw, bh := in.Width, in.Height
	switch {
	case bw == 0 && bh == 0:
		bw, bh = w, h
		if bw > in.screenWidth { // as in iTerm2, an image with automatic size is not wider than the screen
			bw, bh = in.screenWidth, max(1, h*in.screenWidth/w)
		}
	case bw == 0:
		bw = max(1, bh*w/h)
	case bh == 0:
		bh = max(1, bw*h/w)
	case !in.Stretch:
		p := Fit(w, h, image.Rect(0, 0, bw, bh))
		bw, bh = p.Dx(), p.Dy()
	}
	p := &Placement{Image: m, Source: image.Rectangle{Max: m.size}, Dest: image.Rect(0, 0, bw, bh)}
	return p, p.setSize()
}

// Label returns the character at row and col of the label that replaces the image in plain text,
// or "" if the label has no character there. The label is in the first row: [image 640×480], or a
// shorter form that fits.
func (p *Placement) Label(row, col int) string {
	if row > 0 {
		return ""
	}
	label := "▣"
	for _, s := range []string{"[img]", "[image]", fmt.Sprintf("[image %d×%d]", p.Image.size.X, p.Image.size.Y)} {
		if utf8.RuneCountInString(s) <= p.Cols {
			label = s
		}
	}
	for _, r := range label {
		if col == 0 {
			return string(r)
		}
		col--
	}
	return ""
}

// Serial returns a number that no other placement of the terminal has or has had. It is 0 before a
// Store adds p.
func (p *Placement) Serial() uint64 { return p.serial }
