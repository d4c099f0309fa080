package emulator

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// A codec writes values behind each other, or reads them back: one function
// names the fields of a type for both.
type codec struct {
	b       []byte // what was written, or is still to be read
	reading bool
	bad     bool // what was read is not a state
}

// uvarint reads a number that is not negative.
func (c *codec) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.bad, c.b = true, nil
		return 0
	}
	c.b = c.b[n:]
	return v
}

// size writes n, or reads how many things follow, each of at least a byte.
func (c *codec) size(n int) int {
	if !c.reading {
		c.b = binary.AppendUvarint(c.b, uint64(n))
		return n
	}
	v := c.uvarint()
	if v > uint64(len(c.b)) {
		c.bad, c.b = true, nil
		return 0
	}
	return int(v)
}

// num writes or reads a number.
func num[T ~int | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](c *codec, p *T) {
	if !c.reading {
		c.b = binary.AppendVarint(c.b, int64(*p))
		return
	}
	v, n := binary.Varint(c.b)
	if n <= 0 || int64(T(v)) != v {
		c.bad, c.b = true, nil
		return
	}
	*p, c.b = T(v), c.b[n:]
}

// flag writes or reads a bool.
func (c *codec) flag(p *bool) {
	n := 0
	if *p {
		n = 1
	}
	num(c, &n)
	*p = n != 0
}

// data writes or reads bytes; those read have no room to grow.
func (c *codec) data(p *[]byte) {
	n := c.size(len(*p))
	if !c.reading {
		c.b = append(c.b, *p...)
		return
	}
	*p = slices.Clip(bytes.Clone(c.b[:n]))
	c.b = c.b[n:]
}

// text writes or reads a string.
func (c *codec) text(p *string) {
	b := []byte(*p)
	c.data(&b)
	*p = string(b)
}

// link writes or reads a link.
func (c *codec) link(p *Link) {
	id, uri := p.ID(), p.URI()
	c.text(&id)
	c.text(&uri)
	if c.reading {
		*p = Link{}
		if id != "" || uri != "" {
			*p = NewLink(id, uri)
		}
	}
}

// style writes or reads a style.
func (c *codec) style(s *Style) {
	num(c, &s.FG)
	num(c, &s.BG)
	num(c, &s.UnderlineColor)
	num(c, &s.Underline)
	num(c, &s.Attrs)
	c.link(&s.Link)
}

// list writes or reads a slice.
func list[T any](c *codec, p *[]T, each func(*codec, *T)) {
	n := c.size(len(*p))
	if c.reading {
		*p = nil
		if n > 0 {
			*p = make([]T, 0, n)
		}
	}
	for i := 0; i < n && !c.bad; i++ {
		if c.reading {
			var zero T
			*p = append(*p, zero)
		}
		each(c, &(*p)[i])
	}
}

// queue writes or reads a ring.
func queue[T any](c *codec, r *ring[T], each func(*codec, *T)) {
	n := c.size(r.n)
	if c.reading {
		*r = ring[T]{}
	}
	for i := 0; i < n && !c.bad; i++ {
		if c.reading {
			var zero T
			r.push(zero)
		}
		each(c, r.at(i))
	}
}

// dict writes or reads a map.
func dict[V any](c *codec, m *map[int]V, each func(*codec, *V)) {
	n := c.size(len(*m))
	if !c.reading {
		keys := make([]int, 0, n)
		for k := range *m {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			v := (*m)[k]
			num(c, &k)
			each(c, &v)
		}
		return
	}
	*m = nil
	for i := 0; i < n && !c.bad; i++ {
		var k int
		var v V
		num(c, &k)
		each(c, &v)
		if *m == nil {
			*m = map[int]V{}
		}
		(*m)[k] = v
	}
}
