package emulator

// A styleID names an interned style; 0 is the default rendition.
type styleID uint32

// The limits of the style table.
const (
	maxStyles    = 1 << 18 // distinct styles alive; further ones show in the default rendition
	maxLinks     = 4096    // distinct hyperlinks alive; the text of further ones is shown without
	maxLinkURI   = 2083    // bytes of an OSC 8 URI, as other terminals bound it
	maxLinkIDLen = 250     // bytes of an OSC 8 id
)

// A pen is a Style with its link as a number, small and quick to compare.
type pen struct {
	fg, bg, ul uint32 // see packColor
	attrs      Attrs
	underline  Underline
	link       uint32 // index of styles.links
}

// packColor gives a colour as one number: the kind above 24 bits of value.
func packColor(c Color) uint32 {
	switch c.Kind {
	case ColorIndexed:
		return uint32(ColorIndexed)<<24 | uint32(c.Index)
	case ColorRGB:
		return uint32(ColorRGB)<<24 | uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B)
	}
	return 0
}

func unpackColor(v uint32) Color {
	switch ColorKind(v >> 24) {
	case ColorIndexed:
		return Color{Kind: ColorIndexed, Index: uint8(v)}
	case ColorRGB:
		return Color{Kind: ColorRGB, R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v)}
	}
	return Color{}
}

// erased returns the pen that an erased cell takes: the background alone (bce
// in terminfo; xterm ctlseqs, "Erase ... with the current background").
func (p pen) erased() pen { return pen{bg: p.bg} }

// styles interns pens. Entry 0 is the default.
type styles struct {
	ids   map[pen]styleID
	pens  []pen
	used  []bool // false marks a free entry
	free  []styleID
	links []Link // entry 0 is no link; a zero Link elsewhere is free
	byURI map[Link]uint32
	lfree []uint32
	// recent has the last pen for each of a few hashes: most programs use few.
	recent [64]struct {
		pen pen
		id  styleID
	}
}

// hash picks p's place in recent.
func (p *pen) hash() uint32 {
	h := p.fg ^ p.bg<<3 ^ p.ul<<5 ^ uint32(p.attrs)<<7 ^ uint32(p.underline)<<9 ^ p.link<<4
	return (h ^ h>>8 ^ h>>16 ^ h>>24) % 64
}

func newStyles() *styles {
	return &styles{
		ids:   map[pen]styleID{{}: 0},
		pens:  []pen{{}},
		used:  []bool{true},
		links: []Link{{}},
		byURI: map[Link]uint32{},
	}
}

// id interns p. It reports false when the table is full.
func (s *styles) id(p pen) (styleID, bool) {
	r := &s.recent[p.hash()]
	if r.pen == p {
		return r.id, true // an empty place holds the default pen and its id
	}
	id, ok := s.find(p)
	if ok {
		r.pen, r.id = p, id
	}
	return id, ok
}

// find interns p by the table itself.
func (s *styles) find(p pen) (styleID, bool) {
	if id, ok := s.ids[p]; ok {
		return id, true
	}
	var id styleID
	switch {
	case len(s.free) > 0:
		id = s.free[len(s.free)-1]
		s.free = s.free[:len(s.free)-1]
		s.pens[id], s.used[id] = p, true
	case len(s.pens) < maxStyles:
		id = styleID(len(s.pens))
		s.pens = append(s.pens, p)
		s.used = append(s.used, true)
	default:
		return 0, false
	}
	s.ids[p] = id
	return id, true
}

// link interns l. It reports false when the table is full.
func (s *styles) link(l Link) (uint32, bool) {
	if n, ok := s.byURI[l]; ok {
		return n, true
	}
	var n uint32
	switch {
	case len(s.lfree) > 0:
		n = s.lfree[len(s.lfree)-1]
		s.lfree = s.lfree[:len(s.lfree)-1]
		s.links[n] = l
	case len(s.links) < maxLinks:
		n = uint32(len(s.links))
		s.links = append(s.links, l)
	default:
		return 0, false
	}
	s.byURI[l] = n
	return n, true
}

// style returns the meaning of id.
func (s *styles) style(id styleID) Style {
	p := s.pens[id]
	return Style{
		FG: unpackColor(p.fg), BG: unpackColor(p.bg), UnderlineColor: unpackColor(p.ul),
		Underline: p.underline, Attrs: p.attrs, Link: s.links[p.link],
	}
}

// sweep frees every style that is not in live, and the links that only those
// had; keep lists pens that are in use outside the cells.
func (s *styles) sweep(live map[styleID]bool, keep ...pen) {
	clear(s.recent[:])
	links := map[uint32]bool{0: true}
	for _, p := range keep {
		links[p.link] = true
	}
	for i := 1; i < len(s.pens); i++ {
		id := styleID(i)
		if !s.used[i] {
			continue
		}
		if live[id] {
			links[s.pens[i].link] = true
			continue
		}
		delete(s.ids, s.pens[i])
		s.used[i] = false
		s.free = append(s.free, id)
	}
	for n := 1; n < len(s.links); n++ {
		if links[uint32(n)] || s.links[n] == (Link{}) {
			continue
		}
		delete(s.byURI, s.links[n])
		s.links[n] = Link{}
		s.lfree = append(s.lfree, uint32(n))
	}
}
