package graphics

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"strconv"
)

// A Command is a command of the kitty graphics protocol, or one chunk of a command, which an
// Upload joins with the other chunks. The comments name the protocol's keys.
type Command struct {
	Action    byte   // a: 't' transmit (default), 'T' transmit and show, 'p' show, 'd' delete, 'q' query; 'f', 'a', 'c' animations
	Delete    byte   // d: selects the placements to delete, default a
	Format    int    // f: 24, 32 or 100, default 32
	Medium    byte   // t: d (data in the command, the default), f or t (file), s (shared memory)
	Deflated  bool   // o=z: the data is compressed with zlib
	More      bool   // m=1: chunks follow
	Quiet     int    // q: 1 suppresses OK replies, 2 also errors
	ID        uint32 // i: image ID, or 0
	Number    uint32 // I: image number, or 0
	Placement uint32 // p: placement ID, or 0

	Width, Height int  // s, v: size of the data in pixels
	X, Y, W, H    int  // x, y, w, h: the part to show, or the cell or range to delete
	OffX, OffY    int  // X, Y: offset from the first cell's corner in pixels
	Cols, Rows    int  // c, r: size in cells
	Z             int  // z: accepted, but not used for drawing
	CursorStays   bool // C=1: the cursor does not move
	Virtual       bool // U=1: shown where the text has placeholder characters
	Parent        bool // P, Q: relative to another placement, which Place refuses

	Payload []byte // the data, decoded from base64

	onlyChunkKeys bool // the only keys are m, q and a, as in all chunks except the first
	hasMore       bool // key m is present, as in all chunks
}

// maxNumber is greater than the absolute value of any number in a Command, so that sums of
// these numbers do not overflow.
const maxNumber = 1 << 32

// ParseCommand parses the content of an application program command after its G. The error wraps
// ErrData; if there is one, the Command has the keys that were valid, for a reply.
func ParseCommand(b []byte) (Command, error) {
	control, payload, _ := bytes.Cut(b, []byte{';'})
	c := Command{Action: 't', Delete: 'a', Format: 32, Medium: 'd', onlyChunkKeys: true}
	var wrong error
	for _, pair := range bytes.Split(control, []byte{','}) {
		if len(pair) == 0 {
			continue
		}
		if len(pair) < 3 || pair[1] != '=' || !c.set(pair[0], pair[2:]) {
			wrong = fmt.Errorf("%w: key %.20q", ErrData, pair)
		}
		c.onlyChunkKeys = c.onlyChunkKeys && bytes.IndexByte([]byte("mqa"), pair[0]) >= 0
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

// set sets one key. It reports false for a value that is not valid for the key. An unknown key
// is ignored if its value is a number.
func (c *Command) set(key byte, value []byte) bool {
	letters := map[byte]*byte{'a': &c.Action, 'd': &c.Delete, 't': &c.Medium}
	if field := letters[key]; field != nil {
		if len(value) == 1 {
			*field = value[0]
		}
		return len(value) == 1
	}
	if key == 'o' {
		c.Deflated = string(value) == "z"
		return c.Deflated
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n >= maxNumber || n <= -maxNumber || n < 0 && key != 'z' && key != 'H' && key != 'V' {
		return false
	}
	numbers := map[byte]*int{
		'f': &c.Format, 'q': &c.Quiet, 's': &c.Width, 'v': &c.Height, 'x': &c.X, 'y': &c.Y, 'w': &c.W, 'h': &c.H,
		'X': &c.OffX, 'Y': &c.OffY, 'c': &c.Cols, 'r': &c.Rows, 'z': &c.Z,
	}
	ids := map[byte]*uint32{'i': &c.ID, 'I': &c.Number, 'p': &c.Placement}
	flags := map[byte]*bool{'m': &c.More, 'C': &c.CursorStays, 'U': &c.Virtual}
	switch {
	case numbers[key] != nil:
		*numbers[key] = int(n)
	case ids[key] != nil:
		*ids[key] = uint32(n)
	case flags[key] != nil:
		*flags[key] = n == 1
		c.hasMore = c.hasMore || key == 'm'
	case key == 'P', key == 'Q':
		c.Parent = true
	}
	return true
}

// Image returns the image of a complete transmission.
func (c *Command) Image() (*Image, error) {
	if c.Medium != 'd' {
		return nil, ErrMedium
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
		file := Image{data: c.Payload, deflated: true}
		data, err := file.inflated(MaxBytes)
		if err != nil {
			return nil, err
		}
		return NewFile(data)
	}
	return nil, fmt.Errorf("%w: format %d; want 24, 32 or 100", ErrData, c.Format)
}

// An Upload joins the chunks of a Command.
type Upload struct {
	First  Command // the first chunk, with the payloads of all chunks so far; without payload if Err is set
	Active bool    // more chunks follow
	Err    string  // why the chunks are invalid, or ""
}

// Add adds c and err, the results of ParseCommand. If c is the last chunk, or needs none, Add returns
// the whole Command, true, and the error of any chunk. Otherwise it returns false. A Command that is
// not the next chunk cancels an active upload, because the program has abandoned the upload.
func (u *Upload) Add(c Command, err error) (Command, bool, error) {
	if u.Active && !u.isNextChunk(c) {
		u.Cancel()
	}
	if !u.Active {
		if !c.More {
			return c, true, err
		}
		*u = Upload{First: c, Active: true}
		u.First.More, u.First.Payload = false, nil
	}
	switch {
	case u.Err != "":
	case err != nil:
		u.Err = err.Error()
	case len(u.First.Payload)+len(c.Payload) > MaxBytes:
		u.Err = fmt.Sprintf("more than %d bytes", MaxBytes)
	default:
		u.First.Payload = append(u.First.Payload, c.Payload...)
	}
	if u.Err != "" {
		u.First.Payload = nil
	}
	u.First.Quiet = cmp.Or(c.Quiet, u.First.Quiet)
	if c.More {
		return c, false, nil
	}
	done := *u
	u.Cancel()
	if done.Err != "" {
		return done.First, true, fmt.Errorf("%w: %s", ErrData, done.Err)
	}
	return done.First, true, nil
}

// isNextChunk reports whether c is a further chunk of the upload. Such a chunk has only the keys m, q
// and a; but some programs (ranger) repeat all keys in each chunk.
func (u *Upload) isNextChunk(c Command) bool {
	f := &u.First
	return c.onlyChunkKeys || c.hasMore && c.Action == f.Action && c.ID == f.ID && c.Number == f.Number
}

// Cancel drops an incomplete upload.
func (u *Upload) Cancel() { *u = Upload{} }
