package graphics

import (
	"cmp"
	"maps"
	"slices"
)

// A Store has a terminal's images and placements. Its zero value is empty. It is not
// safe for concurrent use.
type Store struct {
	placed map[uint16]*Placement // by number; a copy is made before a change once it was given away
	given  bool
	named  map[uint32]*Image    // by kitty's image id
	number map[uint32]uint32    // kitty's image number to the newest id with it
	used   [1 << 16 / 64]uint64 // numbers that cells may have
	last   uint16               // the number that was given out last
	serial uint64
	bytes  int    // of all images, no longer needed ones included
	lastID uint32 // the image id that was chosen last, for a program that leaves it to the terminal
}

// Placements returns all placements by their number, nil for none. The map does not
// change.
func (s *Store) Placements() map[uint16]*Placement {
	if len(s.placed) == 0 {
		return nil
	}
	s.given = true
	return s.placed
}

// Placement returns the placement with a number, nil for none.
func (s *Store) Placement(n uint16) *Placement { return s.placed[n] }

// own makes placed ours to change.
func (s *Store) own() {
	if s.given || s.placed == nil {
		s.placed = maps.Clone(s.placed)
		if s.placed == nil {
			s.placed = map[uint16]*Placement{}
		}
		s.given = false
	}
}

// Add takes p and returns its number, by which cells name it. Add calls live for the
// numbers that cells still have when there is no room. Add reports
// false when every number is in use.
func (s *Store) Add(p *Placement, live func() map[uint16]bool) (uint16, bool) {
	s.keep(p.Image, live)
	if len(s.placed) >= maxPlaced {
		s.sweep(live())
		s.dropPlacements(len(s.placed) - maxPlaced*3/4)
	}
	n, ok := s.free()
	if !ok {
		s.sweep(live())
		if n, ok = s.free(); !ok {
			return 0, false
		}
	}
	s.own()
	p.setLabel()
	s.serial++
	p.serial = s.serial
	s.placed[n] = p
	s.used[n/64] |= 1 << (n % 64)
	s.last = n
	return n, true
}

// free returns a number that no cell has. 0 is none.
func (s *Store) free() (uint16, bool) {
	for range 1 << 16 {
		s.last++
		if s.last != 0 && s.used[s.last/64]&(1<<(s.last%64)) == 0 {
			return s.last, true
		}
	}
	return 0, false
}

// sweep forgets the placements whose numbers no cell has. Virtual ones live as long
// as their image.
func (s *Store) sweep(live map[uint16]bool) {
	s.own()
	for n, p := range s.placed {
		if !live[n] && !p.Virtual {
			delete(s.placed, n)
		}
	}
	s.used = [len(s.used)]uint64{}
	for n := range live {
		s.used[n/64] |= 1 << (n % 64)
	}
	for n := range s.placed {
		s.used[n/64] |= 1 << (n % 64)
	}
	s.count()
}

// dropPlacements forgets the n oldest placements. Cells may still have their
// numbers, and show nothing.
func (s *Store) dropPlacements(n int) {
	if n <= 0 {
		return
	}
	oldest := slices.SortedFunc(maps.Keys(s.placed), func(a, b uint16) int {
		return cmp.Compare(s.placed[a].serial, s.placed[b].serial)
	})
	s.own()
	for _, k := range oldest[:n] {
		delete(s.placed, k)
	}
}

// images returns all images that are kept, oldest first.
func (s *Store) images() []*Image {
	seen := map[*Image]bool{}
	for _, p := range s.placed {
		seen[p.Image] = true
	}
	for _, m := range s.named {
		seen[m] = true
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b *Image) int { return cmp.Compare(a.serial, b.serial) })
}

// count finds out how many bytes the images take.
func (s *Store) count() {
	s.bytes = 0
	for _, m := range s.images() {
		s.bytes += len(m.data)
	}
}

// keep makes room for m and counts it, if it is new.
func (s *Store) keep(m *Image, live func() map[uint16]bool) {
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

// drop forgets the pixels of m: its placements keep their label.
func (s *Store) drop(m *Image) {
	s.own()
	s.bytes -= len(m.data)
	hollow := *m
	hollow.data = nil
	for n, p := range s.placed {
		if p.Image == m {
			q := *p
			q.Image = &hollow
			s.placed[n] = &q
		}
	}
	maps.DeleteFunc(s.named, func(_ uint32, old *Image) bool { return old == m })
}

// Name keeps m under kitty's image id, in the place of what had it before, and under
// an image number where that is not 0. An id of 0 is chosen; Name returns it.
func (s *Store) Name(id, number uint32, m *Image, live func() map[uint16]bool) uint32 {
	if id == 0 && number == 0 {
		return 0
	}
	if id == 0 {
		id = s.freeID()
	}
	s.keep(m, live)
	if len(s.named) >= maxImages {
		s.dropNamed()
	}
	if s.named == nil {
		s.named = map[uint32]*Image{}
	}
	s.named[id] = m
	if number != 0 {
		if s.number == nil {
			s.number = map[uint32]uint32{}
		}
		s.number[number] = id
	}
	return id
}

// freeID returns an image id that no image has.
func (s *Store) freeID() uint32 {
	for {
		s.lastID++
		if s.lastID != 0 && s.named[s.lastID] == nil {
			return s.lastID
		}
	}
}

// dropNamed forgets the oldest image that has a name.
func (s *Store) dropNamed() {
	var id uint32
	for k, m := range s.named {
		if old := s.named[id]; old == nil || m.serial < old.serial {
			id = k
		}
	}
	s.Unname(id)
}

// Unname forgets what kitty's image id names; its placements stay.
func (s *Store) Unname(id uint32) {
	delete(s.named, id)
	maps.DeleteFunc(s.number, func(_, to uint32) bool { return to == id })
}

// Reset forgets all names and what placeholders show. Other placements stay: cells may
// have them.
func (s *Store) Reset() {
	s.Remove(s.Select(func(_ uint16, p *Placement) bool { return p.Virtual }), false)
	s.named, s.number = nil, nil
}

// Named returns the image that a program calls by id, or by number when id is 0, and
// its id; nil for none.
func (s *Store) Named(id, number uint32) (*Image, uint32) {
	if id == 0 {
		id = s.number[number]
	}
	return s.named[id], id
}

// Select returns the numbers of the placements that want wants.
func (s *Store) Select(want func(n uint16, p *Placement) bool) []uint16 {
	var out []uint16
	for n, p := range s.placed {
		if want(n, p) {
			out = append(out, n)
		}
	}
	return out
}

// Remove forgets placements. Free also forgets those of their images that have a
// name and no placement any more.
func (s *Store) Remove(numbers []uint16, free bool) {
	if len(numbers) == 0 {
		return
	}
	s.own()
	gone := map[uint32]bool{}
	for _, n := range numbers {
		if p := s.placed[n]; p != nil {
			gone[p.ID] = true
		}
		delete(s.placed, n)
	}
	if !free {
		return
	}
	for _, p := range s.placed {
		delete(gone, p.ID)
	}
	for id := range gone {
		s.Unname(id)
	}
}

// Virtual returns the number of the placement that a placeholder of an image and
// placement shows, 0 for none. Placement 0 is any.
func (s *Store) Virtual(id, pid uint32) uint16 {
	var best uint16
	for n, p := range s.placed {
		if p.Virtual && p.ID == id && (pid == 0 || p.PID == pid) && (best == 0 || p.serial < s.placed[best].serial) {
			best = n
		}
	}
	return best
}
