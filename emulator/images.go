package emulator

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/emulator/graphics"
)

// sixel shows a sixel image: DECSIXEL, VT330/VT340 programmer reference, chapter 14.
// As in xterm the cursor goes to the last row of the image, in the column where it
// began, or behind it while ?8452 is set. While ?80 (DECSDM) is set the image is in
// the top left corner, nothing scrolls and the cursor stays.
func (t *Terminal) sixel(data []byte) {
	m, err := graphics.NewSixel(data, t.parser.params.get(1, 0) == 1)
	if err != nil {
		t.refuse()
		return
	}
	p := graphics.PlaceSixel(m)
	n, ok := t.pictures().Add(p, t.liveTiles)
	switch {
	case !ok:
		t.refuse()
	case t.modes.has(modeSixelDisplay):
		t.stamp(n, p, 0, 0)
	default:
		col := t.col
		t.place(n, p)
		if !t.modes.has(modeSixelRight) {
			t.col = col
		}
	}
}

// refuse counts an image that is not shown.
func (t *Terminal) refuse() { t.tally.images++ }

// place shows placement n from the cursor on, scrolling as text would, and leaves the
// cursor in its last row, behind it.
func (t *Terminal) place(n uint16, p *graphics.Placement) {
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

// stamp shows placement n at a place, as much of it as fits below and to the right.
func (t *Terminal) stamp(n uint16, p *graphics.Placement, row, col int) {
	for i := range min(p.Rows, t.size.Rows-row) {
		t.putTiles(n, i, p.Cols, row+i, col)
	}
}

// inlineImage shows an iTerm2 inline image: OSC 1337 ; File=arguments:base64.
func (t *Terminal) inlineImage(arg string) {
	head, payload, ok := strings.Cut(arg, ":")
	if !ok {
		t.refuse()
		return
	}
	t.showInline(head, []byte(payload))
}

// showInline shows the image in payload.
func (t *Terminal) showInline(head string, payload []byte) {
	in, err := graphics.ParseInline(head)
	if err != nil || !in.Shown { // files are not saved
		t.refuse()
		return
	}
	m, err := graphics.InlineImage(payload)
	if err != nil {
		t.refuse()
		return
	}
	p, err := in.Place(m, t.size.Rows, t.size.Cols)
	if err != nil {
		t.refuse()
		return
	}
	n, ok := t.pictures().Add(p, t.liveTiles)
	switch {
	case !ok:
		t.refuse()
	case in.Stay:
		t.stamp(n, p, t.row, t.col)
	default:
		t.place(n, p)
	}
}

// parts are the pieces of an inline image that comes as MultipartFile, FilePart and
// FileEnd.
type parts struct {
	On   bool
	Head string
	Data []byte // base64
	Over bool   // there were too many
}

func (t *Terminal) beginParts(head string) {
	t.pictures().parts = parts{On: true, Head: cut(head, maxText)}
}

func (t *Terminal) addPart(data string) {
	p := &t.pictures().parts
	switch {
	case !p.On:
		t.unknown()
	case p.Over || len(p.Data)+len(data) > graphics.MaxString:
		p.Over, p.Data = true, nil
	default:
		p.Data = append(p.Data, data...)
	}
}

func (t *Terminal) endParts() {
	p := t.pictures().parts
	t.images.parts = parts{}
	if !p.On || p.Over {
		t.refuse()
		return
	}
	t.showInline(p.Head, p.Data)
}

// kittyImage runs an escape code of the kitty graphics protocol, given what comes
// after its G.
func (t *Terminal) kittyImage(b []byte) {
	c, err := graphics.ParseCommand(b)
	s := t.pictures()
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
	if err != nil {
		t.refuse()
	}
	t.answerImage(&c, err)
}

// forget is what RIS does: kitty's images lose their names.
func (s *images) forget() {
	s.Reset()
	s.upload, s.parts = graphics.Upload{}, parts{}
}

// errNoImage is the answer to a command for an image that is not there.
var errNoImage = errors.New("ENOENT:there is no such image")

// runImage does what a complete command says.
func (t *Terminal) runImage(c *graphics.Command) error {
	s := t.images
	switch c.Action {
	case 'q':
		_, err := c.Image()
		return err
	case 't', 'T':
		m, err := c.Image()
		if err != nil {
			return err
		}
		if c.ID != 0 { // what had the id is gone, wherever it is shown
			t.removeImages(s.Select(func(_ uint16, p *graphics.Placement) bool { return p.ID == c.ID }), true)
		}
		c.ID = s.Name(c.ID, c.Number, m, t.liveTiles)
		if c.Action == 'T' {
			return t.putImage(c, m)
		}
		return nil
	case 'p':
		m, id := s.Named(c.ID, c.Number)
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

// putImage shows an image as c says.
func (t *Terminal) putImage(c *graphics.Command, m *graphics.Image) error {
	s := t.images
	p, err := c.Place(m)
	if err != nil {
		return err
	}
	p.ID = c.ID
	if p.PID != 0 { // the placement is moved
		t.removeImages(s.Select(func(_ uint16, o *graphics.Placement) bool { return o.ID == p.ID && o.PID == p.PID }), false)
	}
	n, ok := s.Add(p, t.liveTiles)
	switch {
	case !ok:
		return graphics.ErrLimit
	case c.Virtual:
		t.redraw() // placeholders may be there already
	case c.Stay:
		t.stamp(n, p, t.row, t.col)
	default:
		t.place(n, p)
	}
	return nil
}

// removeImages forgets placements, and with free those of their images that are not
// shown any more.
func (t *Terminal) removeImages(numbers []uint16, free bool) {
	if len(numbers) > 0 {
		t.removeTiles(numbers)
		t.images.Remove(numbers, free)
	}
}

// deleteImages is a=d: the kind says which placements, and in upper case that images
// without any are forgotten too.
func (t *Terminal) deleteImages(c *graphics.Command) {
	s := t.images
	kind, free := c.Delete|0x20, c.Delete&0x20 == 0
	shown := func(want func(row, col int) bool) []uint16 { return t.tilesIn(want) }
	of := func(want func(p *graphics.Placement) bool) []uint16 {
		return s.Select(func(_ uint16, p *graphics.Placement) bool { return want(p) })
	}
	var numbers []uint16
	switch kind {
	case 'a':
		numbers = shown(func(int, int) bool { return true })
	case 'i', 'n':
		id := c.ID
		if kind == 'n' {
			_, id = s.Named(0, c.Number)
		}
		numbers = of(func(p *graphics.Placement) bool {
			return id != 0 && p.ID == id && (c.Placement == 0 || p.PID == c.Placement)
		})
		if free && len(numbers) == 0 {
			s.Unname(id)
		}
	case 'c':
		numbers = shown(func(row, col int) bool { return row == t.row && col == t.col })
	case 'p', 'q':
		numbers = shown(func(row, col int) bool { return row == c.Y-1 && col == c.X-1 })
		if kind == 'q' {
			numbers = slices.DeleteFunc(numbers, func(n uint16) bool { p := s.Placement(n); return p == nil || p.Z != c.Z })
		}
	case 'r':
		numbers = of(func(p *graphics.Placement) bool { return p.ID != 0 && int(p.ID) >= c.X && int(p.ID) <= c.Y })
	case 'x':
		numbers = shown(func(_, col int) bool { return col == c.X-1 })
	case 'y':
		numbers = shown(func(row, _ int) bool { return row == c.Y-1 })
	case 'z':
		numbers = of(func(p *graphics.Placement) bool { return p.ID != 0 && p.Z == c.Z })
	default: // f: frames of animations, which are not kept
		t.unknown()
	}
	t.removeImages(numbers, free)
}

// answerImage tells the program how its command ended, unless it does not want to
// know or has given nothing to call the image by.
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
	switch {
	case errors.Is(err, errNoImage):
		text = err.Error()
	case errors.Is(err, graphics.ErrMedium): // which tells programs to send the data
		text = "EBADF:" + printable(err.Error())
	case errors.Is(err, graphics.ErrLimit):
		text = "EFBIG:" + printable(err.Error())
	case err != nil:
		text = "EINVAL:" + printable(err.Error())
	}
	t.reply("\x1b_G" + head + ";" + text + "\x1b\\")
}

// printable replaces what is not printable ASCII: an answer must not be more than
// text to the program that reads it.
func printable(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '?'
		}
	}
	return string(b)
}
