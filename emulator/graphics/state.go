package graphics

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
)

// A record is a Store in its saved form, without the images' data, which follow it.
type record struct {
	Images []imageRecord
	Placed map[uint16]placementRecord
	Named  map[uint32]int // into Images
	Number map[uint32]uint32
	Used   []uint64
	Last   uint16
	Serial uint64
	LastID uint32
}

type imageRecord struct {
	Format   format
	Deflated bool
	Size     image.Point
	Serial   uint64
	Bytes    int // -1 when the pixels were dropped
}

type placementRecord struct {
	Placement
	Image  int
	Serial uint64
}

// State returns the Store as bytes, from which Restore makes its equal.
func (s *Store) State() []byte {
	images := s.images()
	index := map[*Image]int{}
	r := record{Placed: map[uint16]placementRecord{}, Named: map[uint32]int{}, Number: s.number,
		Used: s.used[:], Last: s.last, Serial: s.serial, LastID: s.lastID}
	for i, m := range images {
		index[m] = i
		n := len(m.data)
		if m.data == nil {
			n = -1
		}
		r.Images = append(r.Images, imageRecord{m.format, m.deflated, m.size, m.serial, n})
	}
	for n, p := range s.placed {
		r.Placed[n] = placementRecord{*p, index[p.Image], p.serial}
	}
	for id, m := range s.named {
		r.Named[id] = index[m]
	}
	head, err := json.Marshal(r)
	if err != nil {
		panic(err) // numbers and maps of them
	}
	out := binary.AppendUvarint(nil, uint64(len(head)))
	out = append(out, head...)
	for _, m := range images {
		out = append(out, m.data...)
	}
	return out
}

// Restore makes s what State has described. The error wraps ErrData; s is then empty.
func (s *Store) Restore(state []byte) error {
	*s = Store{}
	size, n := binary.Uvarint(state)
	if n <= 0 || size > uint64(len(state)-n) {
		return fmt.Errorf("%w: a state of %d bytes", ErrData, len(state))
	}
	var r record
	if err := json.Unmarshal(state[n:n+int(size)], &r); err != nil {
		return fmt.Errorf("%w: %v", ErrData, err)
	}
	images, err := r.images(state[n+int(size):])
	if err != nil {
		return err
	}
	placed := make(map[uint16]*Placement, len(r.Placed))
	for n, p := range r.Placed {
		q := p.Placement
		if p.Image < 0 || p.Image >= len(images) {
			return fmt.Errorf("%w: image %d of %d", ErrData, p.Image, len(images))
		}
		q.Image, q.serial = images[p.Image], p.Serial
		if q.Rows < 1 || q.Rows > MaxRows || q.Cols < 1 || q.Cols > MaxCols {
			return fmt.Errorf("%w: %d rows of %d cells", ErrData, q.Rows, q.Cols)
		}
		q.setLabel()
		placed[n] = &q
	}
	named := make(map[uint32]*Image, len(r.Named))
	for id, i := range r.Named {
		if i < 0 || i >= len(images) {
			return fmt.Errorf("%w: image %d of %d", ErrData, i, len(images))
		}
		named[id] = images[i]
	}
	*s = Store{placed: placed, named: named, number: r.Number, last: r.Last, serial: r.Serial, lastID: r.LastID}
	copy(s.used[:], r.Used)
	s.count()
	return nil
}

// images gives the records their data.
func (r *record) images(data []byte) ([]*Image, error) {
	var out []*Image
	for _, rec := range r.Images {
		m := &Image{format: rec.Format, deflated: rec.Deflated, size: rec.Size, serial: rec.Serial}
		if err := bounded(m.size.X, m.size.Y); err != nil || m.format >= formats {
			return nil, fmt.Errorf("%w: format %d, %v", ErrData, m.format, err)
		}
		if rec.Bytes > len(data) || rec.Bytes < -1 {
			return nil, fmt.Errorf("%w: %d bytes of %d", ErrData, rec.Bytes, len(data))
		}
		if rec.Bytes >= 0 {
			m.data = append([]byte{}, data[:rec.Bytes]...)
			data = data[rec.Bytes:]
		}
		out = append(out, m)
	}
	return out, nil
}
