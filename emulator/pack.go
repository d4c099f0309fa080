package emulator

import (
	"slices"
	"unicode/utf8"
)

// A run is a sequence of n adjacent cells with the same style.
type run struct {
	n  uint32
	st styleID
}

// packed is the compact form of a line's cells: one UTF-8 rune per cell, so that ASCII
// takes one byte per cell. Erased cells and spacers are encoded as packedBlank and
// packedSpacer.
type packed struct {
	text  []byte
	runs  []run // styles; nil if every cell has the default style
	cells int
	plain bool // all cells are ASCII and none is erased, so text needs no decoding
}

const (
	packedBlank  = 0x00
	packedSpacer = 0x01
)

// pack encodes c.
func (k *packer) pack(c []glyph) packed {
	ascii := k.encodeASCII(c)
	text := k.text[:ascii]
	for _, g := range c[ascii:] {
		switch g.ch {
		case blank:
			text = append(text, packedBlank)
		case spacer:
			text = append(text, packedSpacer)
		case space:
			text = append(text, ' ')
		default:
			text = utf8.AppendRune(text, g.ch)
		}
	}
	k.text = text
	return packed{text: k.textSlab.clone(text), runs: k.runsOf(c), cells: len(c), plain: ascii == len(c)}
}

// encodeASCII encodes the leading ASCII cells of c in k.text and returns their number. Erased
// cells are not ASCII cells.
func (k *packer) encodeASCII(c []glyph) int {
	k.text = slices.Grow(k.text[:0], len(c))
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

// runsOf returns the style runs of c, or nil if every cell has the default style.
func (k *packer) runsOf(c []glyph) []run {
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
	return k.runSlab.clone(k.runs)
}

// A packer packs lines, reusing its buffers between calls.
type packer struct {
	text     []byte
	runs     []run
	textSlab slab[byte]
	runSlab  slab[run]
}

// slabSize is the number of values that a slab allocates at a time. Lines are dropped
// roughly in the order in which they were packed, so a single old line rarely keeps a
// whole slab alive.
const slabSize = 4 << 10

// A slab is an array of which consecutive parts are given out as small slices.
type slab[T any] []T

// clone returns a copy of values in the slab, or in an array of its own if the copy is large.
// The copy has no spare capacity, so appending to it does not overwrite the next copy.
func (s *slab[T]) clone(values []T) []T {
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
		r, n := utf8.DecodeRune(p.text[i:])
		switch r {
		case packedBlank:
			r = blank
		case packedSpacer:
			r = spacer
		case ' ':
			r = space
		}
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

// join appends q's cells to p.
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
	p.plain = p.plain && q.plain
}

// size returns the approximate memory use of p in bytes.
func (p *packed) size() int { return len(p.text) + 8*len(p.runs) + lineOverhead }

// lineOverhead is the approximate memory use of a line in bytes, not counting its text
// and runs.
const lineOverhead = 80
