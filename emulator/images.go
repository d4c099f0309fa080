package emulator

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/emulator/graphics"
)

// sixel shows a sixel image: DECSIXEL, VT330/VT340 programmer reference, chapter 14. As
// in xterm, the cursor moves to the last row of the image, in the column where the image
// begins, or to the right of the image while ?8452 is set. While ?80 (DECSDM) is set, the
// image is shown in the top left corner, nothing scrolls and the cursor does not move.
func (t *Terminal) sixel(data []byte) {
	m, err := graphics.NewSixel(data, t.parser.params.get(1, 0) == 1)
	if err != nil {
		return
	}
	p, col := graphics.PlaceSixel(m), t.col
	if t.modes.has(modeSixelDisplay) {
		_ = t.addImage(p, Point{}, true)
		return
	}
	if t.addImage(p, t.Cursor().Point, false) == nil && !t.modes.has(modeSixelRight) {
		t.col = col
	}
}

// addImage stores p and, unless p is virtual, shows it. If cursorStays is set, the top left corner
// is at, nothing scrolls, and p is clipped to the grid. Otherwise showImage shows p at the cursor,
// and at is not used. The error is ErrLimit if all placement numbers are in use.
func (t *Terminal) addImage(p *graphics.Placement, at Point, cursorStays bool) error {
	t.beforeImage()
	t.cluster = ""
	n, ok := t.images.Add(p, t.livePlacements)
	switch {
	case !ok:
		return graphics.ErrLimit
	case p.Virtual:
		t.markImagesChanged() // the placeholder characters that show p may be on the screen already
	case cursorStays:
		for i := range min(p.Rows, t.size.Rows-at.Row) {
			t.putTiles(n, i, p.Cols, at.Row+i, at.Col)
		}
	default:
		t.showImage(n, p)
	}
	return nil
}

// beforeImage is called before an image is stored. Before the first image, it marks the screens
// as changed: after the first image, placeholder characters on the screens are shown as tiles.
func (t *Terminal) beforeImage() {
	if !t.images.Used() {
		t.markImagesChanged()
	}
}

// showImage shows placement n at the cursor, scrolling as text would. It leaves the cursor in the
// last row that the image has on the screen, to the right of the image or at the right margin.
func (t *Terminal) showImage(n uint16, p *graphics.Placement) {
	t.wrap = false
	for i := range p.Rows {
		t.putTiles(n, i, p.Cols, t.row, t.col)
		if i == p.Rows-1 {
			break
		}
		if t.row == t.size.Rows-1 && t.row != t.margins.bottom {
			break // below the margins nothing scrolls
		}
		t.index()
	}
	t.col = min(t.col+p.Cols, t.rightLimit())
}

// inlineImage shows an iTerm2 inline image: OSC 1337 ; File=arguments:base64.
func (t *Terminal) inlineImage(arg string) {
	head, payload, ok := strings.Cut(arg, ":")
	in, err := graphics.ParseInline(head, t.size.Rows, t.size.Cols)
	if !ok || err != nil || !in.Shown { // a file that is not to be shown is a download, which is ignored
		return
	}
	m, err := graphics.InlineImage([]byte(payload))
	if err != nil {
		return
	}
	if p, err := in.Place(m); err == nil {
		_ = t.addImage(p, t.Cursor().Point, in.CursorStays)
	}
}

// addPart adds a part (FilePart) of an inline image that began with MultipartFile. It drops the
// whole image if it becomes too long, and ignores a part without a beginning.
func (s *images) addPart(data string) {
	if n := len(s.parts); n > 0 && n+len(data) <= graphics.MaxString {
		s.parts = append(s.parts, data...)
	} else {
		s.parts = nil
	}
}

// kittyImage runs a command of the kitty graphics protocol. b is the payload of the APC after its G.
func (t *Terminal) kittyImage(b []byte) {
	c, err := graphics.ParseCommand(b)
	s := &t.images
	if c.Action == 'd' {
		s.upload.Cancel()
	} else {
		whole, done, failed := s.upload.Add(c, err)
		if !done {
			return
		}
		c, err = whole, failed
	}
	if err == nil {
		err = t.runImage(&c)
	}
	t.answerImage(&c, err)
}

// reset is the part of RIS for images: it removes kitty's image IDs, virtual placements and
// incomplete transfers.
func (s *images) reset() {
	s.Reset()
	s.upload, s.parts = graphics.Upload{}, nil
}

// errNoImage is the reply to a command for an unknown image.
var errNoImage = errors.New("ENOENT:there is no such image")

// runImage runs a complete command. It sets c.ID to the image's ID, for the reply.
func (t *Terminal) runImage(c *graphics.Command) error {
	s := &t.images
	switch c.Action {
	case 'q':
		_, err := c.Image()
		return err
	case 't', 'T':
		m, err := c.Image()
		if err != nil {
			return err
		}
		if c.ID != 0 { // a new image replaces the one with the same ID and removes its placements
			t.removeImages(s.Select(func(p *graphics.Placement) bool { return p.ID == c.ID }), true)
		}
		t.beforeImage()
		c.ID = s.SetID(c.ID, c.Number, m, t.livePlacements)
		if c.Action == 'T' {
			return t.putImage(c, m)
		}
		return nil
	case 'p':
		m, id := s.ByID(c.ID, c.Number)
		if m == nil {
			return errNoImage
		}
		c.ID = id
		return t.putImage(c, m)
	case 'd':
		t.deleteImages(c)
		return nil
	}
	return fmt.Errorf("%w: action %q is not supported", graphics.ErrData, c.Action)
}

// putImage shows image m as c describes.
func (t *Terminal) putImage(c *graphics.Command, m *graphics.Image) error {
	s := &t.images
	p, err := c.Place(m)
	if err != nil {
		return err
	}
	p.ID = c.ID
	if p.PlacementID != 0 { // a placement with the same ID is moved
		t.removeImages(s.Select(func(o *graphics.Placement) bool { return o.ID == p.ID && o.PlacementID == p.PlacementID }), false)
	}
	return t.addImage(p, t.Cursor().Point, c.CursorStays)
}

// removeImages removes placements. If free is set, it also frees their images that
// have no other placement.
func (t *Terminal) removeImages(numbers []uint16, free bool) {
	if len(numbers) > 0 {
		t.removeTiles(numbers)
		t.images.Remove(numbers, free)
	}
}

// deleteImages is the action a=d of kitty's protocol. The letter of key d selects the placements
// to remove. If it is upper case, images that are left without placements are freed too.
func (t *Terminal) deleteImages(c *graphics.Command) {
	s := &t.images
	kind, free := c.Delete|0x20, c.Delete&0x20 == 0
	var numbers []uint16
	switch kind {
	case 'a':
		numbers = t.placementsIn(func(int, int) bool { return true })
	case 'i', 'n':
		id := c.ID
		if kind == 'n' {
			_, id = s.ByID(0, c.Number)
		}
		numbers = s.Select(func(p *graphics.Placement) bool {
			return id != 0 && p.ID == id && (c.Placement == 0 || p.PlacementID == c.Placement)
		})
		if free && len(numbers) == 0 {
			s.RemoveID(id)
		}
	case 'c':
		numbers = t.placementsIn(func(row, col int) bool { return row == t.row && col == t.col })
	case 'p', 'q':
		numbers = t.placementsIn(func(row, col int) bool { return row == c.Y-1 && col == c.X-1 })
		if kind == 'q' {
			numbers = slices.DeleteFunc(numbers, func(n uint16) bool { p := s.Placement(n); return p == nil || p.Z != c.Z })
		}
	case 'r':
		numbers = s.Select(func(p *graphics.Placement) bool { return p.ID != 0 && int(p.ID) >= c.X && int(p.ID) <= c.Y })
	case 'x':
		numbers = t.placementsIn(func(_, col int) bool { return col == c.X-1 })
	case 'y':
		numbers = t.placementsIn(func(row, _ int) bool { return row == c.Y-1 })
	case 'z':
		numbers = s.Select(func(p *graphics.Placement) bool { return p.ID != 0 && p.Z == c.Z })
	}
	t.removeImages(numbers, free)
}

// answerImage reports the result of a command to the program, unless the command deletes
// images, the program has disabled replies, or the command has neither an image ID nor a number.
func (t *Terminal) answerImage(c *graphics.Command, err error) {
	if c.Action == 'd' || c.ID == 0 && c.Number == 0 || err == nil && c.Quiet > 0 || c.Quiet > 1 {
		return
	}
	head := fmt.Sprintf("i=%d", c.ID)
	if c.Number != 0 {
		head += fmt.Sprintf(",I=%d", c.Number)
	}
	if c.Placement != 0 {
		head += fmt.Sprintf(",p=%d", c.Placement)
	}
	text := "OK"
	switch { // replies become input, so none contains text that the program has sent
	case errors.Is(err, errNoImage):
		text = errNoImage.Error()
	case errors.Is(err, graphics.ErrMedium): // makes programs send the data instead
		text = "EBADF:" + graphics.ErrMedium.Error()
	case errors.Is(err, graphics.ErrLimit):
		text = "EFBIG:" + graphics.ErrLimit.Error()
	case err != nil:
		text = "EINVAL:" + graphics.ErrData.Error()
	}
	t.reply("\x1b_G" + head + ";" + text + "\x1b\\")
}
