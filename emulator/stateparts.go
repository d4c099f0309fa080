package emulator

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/emulator/graphics"
)

func (d *decoder) walk(c *codec) {
	num(c, &d.need)
	num(c, &d.r)
	num(c, &d.lo)
	num(c, &d.hi)
}

func (p *parser) walk(c *codec) {
	num(c, &p.state)
	num(c, &p.prefix)
	for i := range p.inter {
		num(c, &p.inter[i])
	}
	num(c, &p.ninter)
	num(c, &p.params.n)
	c.flag(&p.params.lost)
	c.flag(&p.params.colons)
	if c.bad || p.params.n < 0 || p.params.n > maxParams || int(p.state) >= len(transitions) {
		c.bad = true
		return
	}
	for i := range p.params.n { // the rest is set before it is read
		num(c, &p.params.val[i])
		c.flag(&p.params.sub[i])
	}
	num(c, &p.kind)
	num(c, &p.final)
	c.data(&p.str)
	c.flag(&p.over)
}

// walk writes or reads what the values do not tell.
func (n *interner[V]) walk(c *codec) {
	list(c, &n.free, num[int])
	if !c.reading {
		return
	}
	gone := make([]bool, len(n.values))
	for _, id := range n.free {
		if id < 0 || id >= len(gone) {
			c.bad = true
			return
		}
		gone[id] = true
	}
	n.ids = make(map[V]int, len(n.values))
	for id, v := range n.values {
		if !gone[id] {
			n.ids[v] = id
		}
	}
}

func (s *styles) walk(c *codec) {
	list(c, &s.values, (*codec).style)
	s.interner.walk(c)
	var links []Link
	for l := range s.links {
		links = append(links, l)
	}
	slices.SortFunc(links, func(a, b Link) int {
		return cmp.Or(strings.Compare(a.URI(), b.URI()), strings.Compare(a.ID(), b.ID()))
	})
	list(c, &links, (*codec).link)
	if c.reading {
		clear(s.recent[:])
		clear(s.links)
		for _, l := range links {
			s.links[l] = true
		}
	}
}

// walk writes or reads a screen. What is read lies in front of vt10x, which is
// told of it when somebody looks.
func (s *screen) walk(c *codec, k *packer) {
	s.lay()
	for r, rw := range s.rows {
		var p packed
		if !c.reading {
			cells := s.take()
			s.mem.read(r, cells)
			p = k.pack(cells[:used(cells)])
			s.free = append(s.free, cells)
		}
		p.walk(c)
		if c.reading {
			if p.cells > s.size.Cols || c.bad {
				c.bad = true
				return
			}
			rw.cells = p.unpack(make([]glyph, 0, s.size.Cols))
			n := len(rw.cells)
			rw.cells = rw.cells[:s.size.Cols]
			fill(rw.cells[n:], glyph{ch: blank})
			rw.lo, rw.hi, rw.full = 0, s.size.Cols, s.size.Cols
		}
		c.flag(&rw.wrapped)
		num(c, &rw.id)
		num(c, &rw.rev)
	}
}

func (p *packed) walk(c *codec) {
	c.data(&p.text)
	list(c, &p.runs, func(c *codec, r *run) {
		num(c, &r.n)
		num(c, &r.st)
	})
	num(c, &p.cells)
	c.flag(&p.wide)
	c.flag(&p.plain)
	if c.reading {
		c.bad = c.bad || !p.whole()
	}
}

// whole reports whether text and runs have as many cells as p says.
func (p *packed) whole() bool {
	n := 0
	for i := 0; i < len(p.text); n++ {
		_, size := decodePacked(p.text[i:])
		i += size
	}
	inRuns := p.cells
	if p.runs != nil {
		inRuns = 0
		for _, r := range p.runs {
			inRuns += int(r.n)
		}
	}
	return n == p.cells && inRuns == p.cells
}

// walkImages writes or reads the images.
func (t *Terminal) walkImages(c *codec) {
	there := t.images != nil
	c.flag(&there)
	if !there {
		return
	}
	var store, rest []byte
	if !c.reading {
		store = t.images.State()
		rest, _ = json.Marshal(keptImages{t.images.upload, t.images.parts}) // plain values: never an error
	}
	c.data(&store)
	c.data(&rest)
	if c.reading {
		var kept keptImages
		t.images = &images{}
		c.bad = c.bad || t.images.Restore(store) != nil || json.Unmarshal(rest, &kept) != nil
		t.images.upload, t.images.parts = kept.Upload, kept.Parts
	}
}

// keptImages is what is not complete yet.
type keptImages struct {
	Upload graphics.Upload
	Parts  parts
}

func (h *scrollback) walk(c *codec) {
	queue(c, &h.lines, func(c *codec, l *pastLine) {
		l.packed.walk(c)
		num(c, &l.number)
		num(c, &l.id)
		num(c, &l.rev)
		num(c, &l.rows)
		c.flag(&l.open)
		c.flag(&l.hidden)
		c.flag(&l.erased)
	})
	num(c, &h.cols)
	num(c, &h.rows)
	num(c, &h.bytes)
	num(c, &h.text)
	num(c, &h.dropped)
	list(c, &h.tail, func(c *codec, g *glyph) {
		num(c, &g.ch)
		num(c, &g.st)
	})
}

func (k *cursor) walk(c *codec) {
	num(c, &k.row)
	num(c, &k.col)
	c.flag(&k.wrap)
	c.style(&k.pen)
	for i := range k.charset.g {
		num(c, &k.charset.g[i])
		c.bad = c.bad || int(k.charset.g[i]) >= len(charsets)
	}
	num(c, &k.charset.gl)
	num(c, &k.charset.single)
	c.bad = c.bad || int(k.charset.gl) >= len(k.charset.g) || int(k.charset.single) >= len(k.charset.g)
}

func (s *savedCursor) walk(c *codec) {
	s.cursor.walk(c)
	c.flag(&s.origin)
	c.flag(&s.set)
}

func (p *palette) walk(c *codec) { dict(c, (*map[int]uint32)(p), num[uint32]) }

func (m *margins) walk(c *codec) {
	num(c, &m.top)
	num(c, &m.bottom)
	num(c, &m.left)
	num(c, &m.right)
}

func (m *modes) walk(c *codec) {
	num(c, &m.on)
	num(c, &m.tracking)
	num(c, &m.encoding)
}

func (k *cluster) walk(c *codec) {
	c.text(&k.text)
	num(c, &k.row)
	num(c, &k.col)
	num(c, &k.width)
}

func (k *kittyFlags) walk(c *codec) {
	num(c, &k.flags)
	for i := range k.stack {
		num(c, &k.stack[i])
	}
	num(c, &k.n)
	c.bad = c.bad || k.n < 0 || k.n > len(k.stack)
}

func (f *repaint) walk(c *codec) {
	c.flag(&f.on)
	c.flag(&f.byModes)
	c.flag(&f.addressed)
	num(c, &f.frames)
	num(c, &f.rows)
	num(c, &f.over)
	num(c, &f.row)
	c.flag(&f.cleared)
}
