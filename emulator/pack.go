package emulator

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// A run is a number of neighbouring cells of one style.
type run struct {
	n  uint32
	st styleID
}

// A packed line is cells out of the grid: one rune a cell in UTF-8, so that
// ordinary text takes a byte a cell, with two control characters for what is
// not text. No runs means that all is in the default style.
type packed struct {
	text  []byte
	runs  []run
	cells int
	wide  bool // spacers, tiles or erased cells at the end: rows are not cells by width
	plain bool // text is what a person reads: ASCII without erased cells
}

const (
	packedBlank  = 0x00
	packedSpacer = 0x01
)

// pack encodes c.
func (k *packer) pack(c []glyph) packed {
	if n := utf8.UTFMax * len(c); len(k.text) < n {
		k.text = make([]byte, n)
	}
	p := packed{cells: len(c)}
	n := k.ascii(c)
	if n == len(c) {
		p.text, p.runs, p.plain = k.keptText.keep(k.text[:n]), k.styles(c), true
		return p
	}
	k.tiles = false
	end := k.encode(c, n)
	p.wide = k.tiles || c[len(c)-1].ch == blank || bytes.IndexByte(k.text[:end], packedSpacer) >= 0
	p.text, p.runs = k.keptText.keep(k.text[:end]), k.styles(c)
	return p
}

// encode encodes the cells from n on, which is where the text is long so far, and
// returns how long it is then.
func (k *packer) encode(c []glyph, n int) int {
	for _, g := range c[n:] {
		switch ch := g.ch; {
		case ch == blank:
			k.text[n] = packedBlank
			n++
		case ch == space:
			k.text[n] = ' '
			n++
		case ch < utf8.RuneSelf:
			k.text[n] = byte(ch)
			n++
		case ch == spacer:
			k.text[n] = packedSpacer
			n++
		case ch >= 0x800 && ch <= 0xFFFF: // most wide characters; as EncodeRune below
			text := k.text[n : n+3]
			text[0] = 0xE0 | byte(ch>>12)
			text[1] = 0x80 | byte(ch>>6)&0x3F
			text[2] = 0x80 | byte(ch)&0x3F
			n += 3
		default:
			k.tiles = k.tiles || isTile(ch)
			n += utf8.EncodeRune(k.text[n:], ch)
		}
	}
	return n
}

// ascii encodes the ASCII cells at the start of c and returns how many they are.
func (k *packer) ascii(c []glyph) int {
	text := k.text[:len(c)]
	for i := range c {
		ch := c[i].ch
		if ch == space {
			ch = ' '
		} else if ch == blank || ch >= utf8.RuneSelf {
			return i
		}
		text[i] = byte(ch)
	}
	return len(c)
}

// styles returns the runs of c, none when all is in the default style.
func (k *packer) styles(c []glyph) []run {
	k.runs = k.runs[:0]
	for i := 0; i < len(c); {
		st, from := c[i].st, i
		for i < len(c) && c[i].st == st {
			i++
		}
		k.runs = append(k.runs, run{uint32(i - from), st})
	}
	if len(k.runs) == 0 || len(k.runs) == 1 && k.runs[0].st == 0 {
		return nil
	}
	return k.keptRuns.keep(k.runs)
}

// A packer has the buffers for pack.
type packer struct {
	text     []byte
	runs     []run
	keptText slab[byte]
	keptRuns slab[run]
	tiles    bool // the cells that encode has seen show part of an image
}

// slabSize is how many values a slab takes memory for at once. Texts die in the order in
// which they were made, so that a slab does not linger for one.
const slabSize = 4 << 10

// A slab is memory in which copies lie one behind the other.
type slab[T any] []T

// keep copies values to memory that lasts. The copy cannot grow into its neighbour.
func (s *slab[T]) keep(values []T) []T {
	if len(values) > slabSize/4 {
		return slices.Clip(slices.Clone(values))
	}
	if len(values) > cap(*s)-len(*s) {
		*s = make([]T, 0, slabSize)
	}
	n := len(*s)
	*s = append(*s, values...)
	return slices.Clip((*s)[n:])
}

// unpack appends p's cells to c.
func (p *packed) unpack(c []glyph) []glyph {
	base := len(c)
	c = slices.Grow(c, p.cells)
	for i := 0; i < len(p.text); {
		r, n := decodePacked(p.text[i:])
		c = append(c, glyph{ch: r})
		i += n
	}
	i := base
	for _, r := range p.runs {
		for end := i + int(r.n); i < end; i++ {
			c[i].st = r.st
		}
	}
	return c
}

// decodePacked returns the first cell's text of a packed line, and its length.
func decodePacked(b []byte) (rune, int) {
	switch r := rune(b[0]); {
	case r == packedBlank:
		return blank, 1
	case r == packedSpacer:
		return spacer, 1
	case r == ' ':
		return space, 1
	case r < utf8.RuneSelf:
		return r, 1
	}
	if r := threeBytes(b); r != 0 {
		return r, 3
	}
	return utf8.DecodeRune(b)
}

// join adds q's cells behind p's.
func (p *packed) join(q packed) {
	if p.runs != nil || q.runs != nil {
		if p.runs == nil {
			p.runs = []run{{uint32(p.cells), 0}}
		}
		if q.runs == nil {
			q.runs = []run{{uint32(q.cells), 0}}
		}
		p.runs = append(p.runs, q.runs...)
	}
	p.text = append(p.text, q.text...)
	p.cells += q.cells
	p.wide = p.wide || q.wide
	p.plain = p.plain && q.plain
}

// size returns about how many bytes of memory p takes.
func (p *packed) size() int { return len(p.text) + 8*len(p.runs) + lineOverhead }

// lineOverhead is about the memory that a kept line takes in addition to its text.
const lineOverhead = 80
