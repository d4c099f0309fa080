package graphics

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
)

// A Command is one escape code of the kitty graphics protocol, or the parts of a
// chunked one put together. The fields are named after what the protocol's document
// calls them, with their key behind.
type Command struct {
	Action    byte   // a: t T p d q, default t; f a c for animations
	Delete    byte   // d: what to delete, default a
	Format    int    // f: 24, 32 or 100, default 32
	Medium    byte   // t: d f t s, default d
	Deflated  bool   // o=z
	More      bool   // m=1: chunks follow
	Quiet     int    // q: 1 no OK, 2 no errors either
	ID        uint32 // i
	Number    uint32 // I
	Placement uint32 // p

	Width, Height int  // s, v: pixels of the data
	X, Y, W, H    int  // x, y, w, h: the part to be shown, or the cell or range to delete
	OffX, OffY    int  // X, Y: pixels from the first cell's corner
	Cols, Rows    int  // c, r
	Z             int  // z
	Stay          bool // C=1: the cursor does not move
	Virtual       bool // U=1: to be shown by placeholders
	Parent        bool // P, Q: relative to another placement

	Payload []byte // decoded

	chunk  bool // there is no other key than m, q and a, as in all chunks but the first
	marked bool // m is there, as in all chunks
}

// maxKey bounds the numbers of a Command, so that sums of them do not overflow.
const maxKey = 1 << 32

// ParseCommand reads what comes after the G of the application program command. The
// error wraps ErrData; the Command then has what is needed to answer.
func ParseCommand(b []byte) (Command, error) {
	control, payload, _ := bytes.Cut(b, []byte{';'})
	c := Command{Action: 't', Delete: 'a', Format: 32, Medium: 'd', chunk: true}
	var wrong error
	for _, pair := range bytes.Split(control, []byte{','}) {
		if len(pair) == 0 {
			continue
		}
		if len(pair) < 3 || pair[1] != '=' || !c.set(pair[0], pair[2:]) {
			wrong = fmt.Errorf("%w: key %.20q", ErrData, pair)
		}
		c.chunk = c.chunk && bytes.IndexByte([]byte("mqa"), pair[0]) >= 0
	}
	if wrong != nil {
		return c, wrong
	}
	var err error
	c.Payload, err = decodeBase64(payload)
	return c, err
}

// decodeBase64 decodes data with or without padding.
func decodeBase64(b []byte) ([]byte, error) {
	b = bytes.TrimRight(b, "=")
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(b)))
	n, err := base64.RawStdEncoding.Decode(out, b)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrData, err)
	}
	return out[:n], nil
}

// set sets one key. It reports false for a value that the key cannot have. Keys that
// are not known are ignored.
func (c *Command) set(key byte, value []byte) bool {
	switch key {
	case 'a', 'd', 't', 'o':
		if len(value) != 1 {
			return false
		}
		switch key {
		case 'a':
			c.Action = value[0]
		case 'd':
			c.Delete = value[0]
		case 't':
			c.Medium = value[0]
		case 'o':
			c.Deflated = value[0] == 'z'
			return c.Deflated
		}
		return true
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n >= maxKey || n <= -maxKey || n < 0 && key != 'z' && key != 'H' && key != 'V' {
		return false
	}
	switch key {
	case 'i':
		c.ID = uint32(n)
	case 'I':
		c.Number = uint32(n)
	case 'p':
		c.Placement = uint32(n)
	case 'm':
		c.More, c.marked = n == 1, true
	case 'C':
		c.Stay = n == 1
	case 'U':
		c.Virtual = n == 1
	case 'P', 'Q':
		c.Parent = true
	default:
		if field := c.number(key); field != nil {
			*field = int(n)
		}
	}
	return true
}

// number returns the field of a key that is a plain number.
func (c *Command) number(key byte) *int {
	switch key {
	case 'f':
		return &c.Format
	case 'q':
		return &c.Quiet
	case 's':
		return &c.Width
	case 'v':
		return &c.Height
	case 'x':
		return &c.X
	case 'y':
		return &c.Y
	case 'w':
		return &c.W
	case 'h':
		return &c.H
	case 'X':
		return &c.OffX
	case 'Y':
		return &c.OffY
	case 'c':
		return &c.Cols
	case 'r':
		return &c.Rows
	case 'z':
		return &c.Z
	}
	return nil
}

// Image returns the image that a complete transmission carries.
func (c *Command) Image() (*Image, error) {
	if c.Medium != 'd' {
		return nil, fmt.Errorf("%w %q; only d, in the escape code itself, is accepted", ErrMedium, c.Medium)
	}
	switch c.Format {
	case 24:
		return newRaw(c.Payload, formatRGB, c.Width, c.Height, c.Deflated)
	case 32:
		return newRaw(c.Payload, formatRGBA, c.Width, c.Height, c.Deflated)
	case 100:
		if !c.Deflated {
			return NewFile(c.Payload)
		}
		packed := Image{data: c.Payload, deflated: true}
		data, err := packed.inflated(MaxBytes)
		if err != nil {
			return nil, err
		}
		return NewFile(data)
	}
	return nil, fmt.Errorf("%w: format %d; there are 24, 32 and 100", ErrData, c.Format)
}

// An Upload puts the chunks of a Command together.
type Upload struct {
	First Command
	On    bool
	Wrong string // why the rest of the chunks is ignored, "" while it is not
}

// Add takes a Command. It reports true with the whole Command when that is complete.
// The error is for the whole Command too. A Command that is not a chunk ends an upload
// that a program has left.
func (u *Upload) Add(c Command, err error) (Command, bool, error) {
	if u.On && !u.goesOn(c) {
		u.Cancel()
	}
	if !u.On {
		if !c.More {
			return c, true, err
		}
		*u = Upload{First: c, On: true}
		u.First.More, u.First.Payload = false, nil
	}
	switch {
	case u.Wrong != "":
	case err != nil:
		u.Wrong = err.Error()
	case len(u.First.Payload)+len(c.Payload) > MaxBytes:
		u.Wrong = fmt.Sprintf("more than %d bytes", MaxBytes)
	default:
		u.First.Payload = append(u.First.Payload, c.Payload...)
	}
	if u.Wrong != "" {
		u.First.Payload = nil
	}
	if c.Quiet > 0 {
		u.First.Quiet = c.Quiet
	}
	if c.More {
		return c, false, nil
	}
	done := *u
	u.Cancel()
	if done.Wrong != "" {
		return done.First, true, fmt.Errorf("%w: %s", ErrData, done.Wrong)
	}
	return done.First, true, nil
}

// goesOn reports whether c is a chunk of the upload. Some programs (ranger) repeat all
// keys in each.
func (u *Upload) goesOn(c Command) bool {
	f := &u.First
	return c.chunk || c.marked && c.Action == f.Action && c.ID == f.ID && c.Number == f.Number
}

// Cancel forgets an upload that is not complete.
func (u *Upload) Cancel() { *u = Upload{} }
