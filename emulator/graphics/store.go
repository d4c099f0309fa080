package graphics

import (
	"cmp"
	"maps"
	"slices"
)

// A Store stores a terminal's images and placements. It is not safe for concurrent use.
type Store struct {
	placements  map[uint16]*Placement // by number
	imageByID   map[uint32]*Image     // by kitty's image ID
	idByNumber  map[uint32]uint32     // image ID by kitty's image number
	usedNumbers map[uint16]bool       // numbers that cells may contain; they are not assigned again until a sweep
	lastNumber  uint16                // the number assigned last
	serial      uint64                // counts images and placements, for their order
	bytes       int                   // size of all images; may include removed images until the next sweep
	lastID      uint32                // the last ID that freeID returned
}

// NewStore returns an empty Store.
func NewStore() Store {
	return Store{placements: map[uint16]*Placement{}, imageByID: map[uint32]*Image{}, idByNumber: map[uint32]uint32{}, usedNumbers: map[uint16]bool{}}
}

// Used reports whether the Store has ever contained an image.
func (s *Store) Used() bool { return s.serial > 0 }

// Placements returns all placements by number, or nil if there are none.
func (s *Store) Placements() map[uint16]*Placement {
	if len(s.placements) == 0 {
		return nil
	}
	return maps.Clone(s.placements)
}

// Placement returns the placement with a number, or nil if there is none.
func (s *Store) Placement(n uint16) *Placement { return s.placements[n] }

// Add adds p and returns its number, with which cells refer to p. To make room, it may drop the
// oldest placements and the pixels of the oldest images. live returns the numbers that cells
// contain; Add calls live only to free numbers or memory. Add reports false if all numbers are in
// use.
func (s *Store) Add(p *Placement, live func() map[uint16]bool) (uint16, bool) {
	s.addImage(p.Image, live)
	if len(s.placements) >= maxPlaced {
		s.sweep(live())
		s.dropPlacements(len(s.placements) - maxPlaced*3/4)
	}
	n, ok := s.freeNumber()
	if !ok {
		s.sweep(live())
		if n, ok = s.freeNumber(); !ok {
			return 0, false
		}
	}
	s.serial++
	p.serial = s.serial
	s.placements[n], s.usedNumbers[n] = p, true
	return n, true
}

// freeNumber returns a number, never 0, that no cell contains. It reports false if there is none.
func (s *Store) freeNumber() (uint16, bool) {
	for range 1 << 16 {
		s.lastNumber++
		if s.lastNumber != 0 && !s.usedNumbers[s.lastNumber] {
			return s.lastNumber, true
		}
	}
	return 0, false
}

// sweep removes the placements whose numbers are not in live, frees those numbers, and counts the
// bytes again. Virtual placements stay, because no cell contains their numbers.
func (s *Store) sweep(live map[uint16]bool) {
	maps.DeleteFunc(s.placements, func(n uint16, p *Placement) bool { return !live[n] && !p.Virtual })
	s.usedNumbers = maps.Clone(live)
	for n := range s.placements {
		s.usedNumbers[n] = true
	}
	s.bytes = 0
	for _, m := range s.images() {
		s.bytes += len(m.data)
	}
}

// dropPlacements removes the n oldest placements, or none if n is negative. Cells with the
// numbers of removed placements show nothing.
func (s *Store) dropPlacements(n int) {
	oldest := slices.SortedFunc(maps.Keys(s.placements), func(a, b uint16) int {
		return cmp.Compare(s.placements[a].serial, s.placements[b].serial)
	})
	for _, k := range oldest[:max(n, 0)] {
		delete(s.placements, k)
	}
}

// images returns all stored images, oldest first.
func (s *Store) images() []*Image {
	seen := map[*Image]bool{}
	for _, p := range s.placements {
		seen[p.Image] = true
	}
	for _, m := range s.imageByID {
		seen[m] = true
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b *Image) int { return cmp.Compare(a.serial, b.serial) })
}

// addImage makes room for m and adds its size to s.bytes, unless m was added before.
func (s *Store) addImage(m *Image, live func() map[uint16]bool) {
	if m.serial != 0 {
		return
	}
	s.serial++
	m.serial = s.serial
	if s.bytes+len(m.data) > MaxTotal {
		s.sweep(live())
	}
	if s.bytes+len(m.data) > MaxTotal {
		for _, old := range s.images() {
			if s.bytes+len(m.data) <= MaxTotal*3/4 {
				break
			}
			s.drop(old)
		}
	}
	s.bytes += len(m.data)
}

// drop drops the pixels and the IDs of m. The placements of m stay, and show their labels.
func (s *Store) drop(m *Image) {
	s.bytes -= len(m.data)
	empty := *m
	empty.data = nil
	for n, p := range s.placements {
		if p.Image == m {
			q := *p
			q.Image = &empty
			s.placements[n] = &q
		}
	}
	maps.DeleteFunc(s.imageByID, func(_ uint32, old *Image) bool { return old == m })
}

// SetID stores m under image ID id of kitty's protocol, replacing the image with that ID, and under
// image number number unless number is 0. If only id is 0, SetID assigns an ID. It returns the ID.
// If both are 0, it does nothing and returns 0. live is as for Add.
func (s *Store) SetID(id, number uint32, m *Image, live func() map[uint16]bool) uint32 {
	if id == 0 && number == 0 {
		return 0
	}
	if id == 0 {
		id = s.freeID()
	}
	s.addImage(m, live)
	if len(s.imageByID) >= maxImages {
		s.dropOldestID()
	}
	s.imageByID[id] = m
	if number != 0 {
		s.idByNumber[number] = id
	}
	return id
}

// freeID returns an unused image ID.
func (s *Store) freeID() uint32 {
	for {
		s.lastID++
		if s.lastID != 0 && s.imageByID[s.lastID] == nil {
			return s.lastID
		}
	}
}

// dropOldestID removes the ID of the oldest image that has an ID.
func (s *Store) dropOldestID() {
	var id uint32
	for k, m := range s.imageByID {
		if old := s.imageByID[id]; old == nil || m.serial < old.serial {
			id = k
		}
	}
	s.RemoveID(id)
}

// RemoveID removes an image ID. The placements of the image stay.
func (s *Store) RemoveID(id uint32) {
	delete(s.imageByID, id)
	maps.DeleteFunc(s.idByNumber, func(_, to uint32) bool { return to == id })
}

// Reset removes all image IDs and virtual placements. Other placements stay, because
// cells may refer to them.
func (s *Store) Reset() {
	s.Remove(s.Select(func(p *Placement) bool { return p.Virtual }), false)
	clear(s.imageByID)
	clear(s.idByNumber)
}

// ByID returns the image with ID id or, if id is 0, the image with that number, and the image's
// ID. If there is none, the image is nil.
func (s *Store) ByID(id, number uint32) (*Image, uint32) {
	if id == 0 {
		id = s.idByNumber[number]
	}
	return s.imageByID[id], id
}

// Select returns the numbers of the placements for which want returns true.
func (s *Store) Select(want func(p *Placement) bool) []uint16 {
	var out []uint16
	for n, p := range s.placements {
		if want(p) {
			out = append(out, n)
		}
	}
	return out
}

// Remove removes placements. If free is set, it also removes the image IDs of these placements,
// except the IDs that other placements have.
func (s *Store) Remove(numbers []uint16, free bool) {
	ids := map[uint32]bool{}
	for _, n := range numbers {
		if p := s.placements[n]; p != nil {
			ids[p.ID] = true
		}
		delete(s.placements, n)
	}
	if !free {
		return
	}
	for _, p := range s.placements {
		delete(ids, p.ID)
	}
	for id := range ids {
		s.RemoveID(id)
	}
}

// VirtualPlacement returns the number of the oldest virtual placement with image ID id and placement ID
// pid, or 0 if there is none. A pid of 0 matches any.
func (s *Store) VirtualPlacement(id, pid uint32) uint16 {
	var best uint16
	for n, p := range s.placements {
		if p.Virtual && p.ID == id && (pid == 0 || p.PlacementID == pid) && (best == 0 || p.serial < s.placements[best].serial) {
			best = n
		}
	}
	return best
}
