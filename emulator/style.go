package emulator

// A styleID is the number of an interned style; 0 is the default rendition.
type styleID uint32

// Limits on the style table.
const (
	maxStyles    = 1 << 18 // distinct styles in use; text in a further style is shown in the default rendition
	maxLinks     = 4096    // distinct hyperlinks in use; the text of a further link is shown without a link
	maxLinkURI   = 2083    // bytes of an OSC 8 URI, as in other terminals
	maxLinkIDLen = 250     // bytes of an OSC 8 id
)

// styles interns styles and records their distinct links.
type styles struct {
	interner[Style]
	links map[Link]bool
	// recent is a cache: element i has the style with hash i that was last interned.
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

// recentBits is the number of bits of an index in recent.
const recentBits = 7

// hash returns the index of s in recent, by Knuth's multiplicative hashing.
func (s *Style) hash() uint32 {
	h := s.FG ^ s.BG<<7 ^ s.BG>>25 ^ s.UnderlineColor<<13 ^ Color(s.Attrs)<<9 ^ Color(s.Underline)<<20
	return uint32(h) * 0x9E3779B1 >> (32 - recentBits)
}

// id interns style. It reports false if the table is full.
func (s *styles) id(style Style) (styleID, bool) {
	r := &s.recent[style.hash()]
	if r.style == style {
		s.latest = int(r.id)
		return r.id, true // an empty element holds the default style, whose ID is 0
	}
	id, ok := s.interner.id(style)
	if ok {
		r.style, r.id = style, styleID(id)
	}
	return styleID(id), ok
}

// style returns the style with number id.
func (s *styles) style(id styleID) Style { return s.values[id] }

// addLink registers l. It reports false if there are too many links.
func (s *styles) addLink(l Link) bool {
	if !s.links[l] && len(s.links) == maxLinks {
		return false
	}
	s.links[l] = true
	return true
}

// sweep frees the styles that are not marked, and the links that only they use. keep
// lists styles that are in use outside the cells; their links are kept too.
func (s *styles) sweep(marks []bool, keep ...Style) {
	s.interner.sweep(marks)
	s.recountLinks(keep...)
}

// recountLinks empties the cache, and sets links to the links of the interned styles and of
// keep.
func (s *styles) recountLinks(keep ...Style) {
	clear(s.recent[:])
	clear(s.links)
	for style := range s.ids {
		keep = append(keep, style)
	}
	for _, style := range keep {
		if style.Link != (Link{}) {
			s.links[style.Link] = true
		}
	}
}
