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

// styles interns styles, and counts the links that they have.
type styles struct {
	interner[Style]
	links map[Link]bool
	// recent has the last style for each of a few hashes: most programs use few.
	recent [1 << recentBits]struct {
		style Style
		id    styleID
	}
}

func newStyles() *styles {
	s := &styles{interner: newInterner[Style](maxStyles), links: map[Link]bool{}}
	s.interner.id(Style{})
	return s
}

// recentBits gives the number of places in recent.
const recentBits = 7

// hash picks the place of s in recent, by Knuth's multiplicative hashing.
func (s *Style) hash() uint32 {
	h := s.FG ^ s.BG<<7 ^ s.BG>>25 ^ s.UnderlineColor<<13 ^ Color(s.Attrs)<<9 ^ Color(s.Underline)<<20
	return uint32(h) * 0x9E3779B1 >> (32 - recentBits)
}

// id interns style. It reports false when the table is full.
func (s *styles) id(style Style) (styleID, bool) {
	r := &s.recent[style.hash()]
	if r.style == style {
		return r.id, true // an empty place holds the default style and its id
	}
	id, ok := s.interner.id(style)
	if ok {
		r.style, r.id = style, styleID(id)
	}
	return styleID(id), ok
}

// style returns the meaning of id.
func (s *styles) style(id styleID) Style { return s.values[id] }

// link makes room for l. It reports false when there are too many.
func (s *styles) link(l Link) bool {
	if !s.links[l] && len(s.links) == maxLinks {
		return false
	}
	s.links[l] = true
	return true
}

// sweep frees every style that is not marked, and the links that only those had;
// keep lists styles that are in use outside the cells.
func (s *styles) sweep(marks []bool, keep ...Style) {
	clear(s.recent[:])
	clear(s.links)
	s.interner.sweep(marks)
	for style := range s.ids {
		keep = append(keep, style)
	}
	for _, style := range keep {
		if style.Link != (Link{}) {
			s.links[style.Link] = true
		}
	}
}
