package live

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/graphics"
	"github.com/glasstty/glasstty/emulator/picture"
)

// A FrameImage is a part of an image in one row.
type FrameImage struct {
	Col, Cols int    // first column in the row, and number of columns
	Source    string // URL of the whole image, relative to the page
	TileRow   int    // position of the part in the image, in cells
	TileCol   int
	OfRows    int // size of the whole image, in cells
	OfCols    int
}

// MarshalJSON writes the fields as a list, in the order of their declaration.
func (i FrameImage) MarshalJSON() ([]byte, error) {
	return json.Marshal([7]any{i.Col, i.Cols, i.Source, i.TileRow, i.TileCol, i.OfRows, i.OfCols})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (i *FrameImage) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[7]any{&i.Col, &i.Cols, &i.Source, &i.TileRow, &i.TileCol, &i.OfRows, &i.OfCols})
}

// An imageSet holds the images on a session's screen and makes their URLs.
type imageSet struct {
	id, at string                         // the session's ID, and a moment of its recording or "" for now
	images map[uint16]*graphics.Placement // by emulator.Tile.Placement
}

// inRow returns the parts of images in a row.
func (s imageSet) inRow(row emulator.Row) []FrameImage {
	if len(s.images) == 0 {
		return nil
	}
	var out []FrameImage
	for col := 0; col < len(row.Cells); {
		n := picture.TileRun(row.Cells[col:])
		tile := row.Cells[col].Tile
		if p := s.images[tile.Placement]; n > 0 && p != nil {
			out = append(out, FrameImage{col, n, s.source(tile.Placement, p), int(tile.Row), int(tile.Col), p.Rows, p.Cols})
		}
		col += max(n, 1)
	}
	return out
}

// source returns the URL of the image of placement n. The URL contains the placement's serial number,
// because other placements may get the number n later.
func (s imageSet) source(n uint16, p *graphics.Placement) string {
	q := url.Values{"id": {s.id}, "n": {strconv.Itoa(int(n))}, "v": {strconv.FormatUint(p.Serial(), 10)}}
	if s.at != "" {
		q.Set("t", s.at)
	}
	return "image?" + q.Encode()
}

// image serves an image as a PNG: ?id=&n=&v=, for placement n with the serial number v. &t= is as in screenAt.
func (s *Server) image(w http.ResponseWriter, r *http.Request, _ Visitor) {
	q := r.URL.Query()
	t, err := s.opt.Manager.Session(q.Get("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	snap := t.Snapshot(0)
	if at := q.Get("t"); at != "" {
		if snap, _, err = t.SnapshotAt(at, 0); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	n, err := strconv.ParseUint(q.Get("n"), 10, 16)
	p := snap.Images[uint16(n)]
	if err != nil || p == nil || strconv.FormatUint(p.Serial(), 10) != q.Get("v") {
		http.Error(w, "the session does not have this image, or no longer", http.StatusNotFound)
		return
	}
	data, err := picture.ImagePNG(p)
	if err != nil || data == nil {
		http.Error(w, "the image is broken", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "private, max-age=3600")
	_, _ = w.Write(data) // an error means that the browser has disconnected
}
