package emulator

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// stateVersion is the version of the encoding of State. It must be increased when the
// encoding changes; TestStateFields fails if fields of a Terminal change.
const stateVersion = 16

// State encodes the terminal for Restore: screens, scrollback, modes and any incomplete
// sequence. It does not include queued replies and events.
func (t *Terminal) State() []byte {
	c := newCodec(make([]byte, 0, 64<<10+t.history.bytes), false)
	c.b = append(c.b, stateVersion)
	c.values(&t.size)
	t.transfer(c)
	return binary.BigEndian.AppendUint32(c.b, crc32.ChecksumIEEE(c.b))
}

// Restore returns the terminal that State has encoded. It takes the size from state, and the other
// options from o. If the bytes are damaged or written by another version of State, the error wraps
// ErrState.
func Restore(state []byte, o Options) (t *Terminal, err error) {
	n := len(state) - 4
	if n < 1 || binary.BigEndian.Uint32(state[n:]) != crc32.ChecksumIEEE(state[:n]) {
		return nil, fmt.Errorf("%w: the checksum of %d bytes is wrong", ErrState, len(state))
	}
	if state[0] != stateVersion {
		return nil, fmt.Errorf("%w: version %d, want %d", ErrState, state[0], stateVersion)
	}
	defer func() {
		if r := recover(); r != nil { // State did not write these bytes, although the checksum is right
			t, err = nil, fmt.Errorf("%w: %v", ErrState, r)
		}
	}()
	c := newCodec(state[1:n], true)
	c.values(&o.Size)
	t = New(o)
	t.transfer(c)
	if len(c.b) > 0 {
		return nil, fmt.Errorf("%w: %d bytes follow it", ErrState, len(c.b))
	}
	t.history.trim()
	return t, nil
}

// transfer encodes or decodes all of t except its options, size, replies and events.
func (t *Terminal) transfer(c *codec) {
	t.styles.transfer(c)
	t.clusters.transfer(c)
	t.main.transfer(c, &t.history.packer)
	hasAlt, showsAlt := t.alt != nil, t.scr == t.alt
	c.values(&hasAlt, &showsAlt)
	if hasAlt {
		if c.reading {
			t.alt = newScreen(t.size)
		}
		t.alt.transfer(c, &t.history.packer)
	}
	if showsAlt {
		t.scr = t.alt
	}
	t.history.transfer(c)
	c.values(&t.images, &t.partial, &t.parser, &t.consumed, &t.powerOnState, &t.title, &t.palettes,
		&t.repaint, &t.rev, &t.movedRevs, &t.gcSkips)
}

// The transfer methods of other types encode their receiver to c, or decode it from c if c.reading
// is set. Types have such a method if some of their fields are not part of the state.

// transfer treats a decoded number as free if its value is the zero value. Number 0 is an
// exception, because styles use it for the default style.
func (n *interner[V]) transfer(c *codec) {
	c.values(&n.values)
	var zero V
	for id, v := range n.values {
		switch {
		case !c.reading:
		case v == zero && id > 0:
			n.free = append(n.free, id)
		default:
			n.ids[v] = id
		}
	}
}

func (s *styles) transfer(c *codec) {
	s.interner.transfer(c)
	if c.reading {
		s.recountLinks()
	}
}

// transfer encodes or decodes a screen. Decoded rows become buffered changes, which are
// written to the cellStore with the next flush.
func (s *screen) transfer(c *codec, k *packer) {
	for r, rw := range s.rows {
		var p packed
		if !c.reading {
			p = k.pack(s.usedCells(r))
		}
		c.values(&p, &rw.id, &rw.rev)
		if c.reading {
			copy(s.renew(r), p.unpack(nil))
		}
		c.values(&rw.wrapped)
	}
}

func (h *scrollback) transfer(c *codec) {
	for i := range c.size(h.lines.n) {
		if c.reading {
			h.lines.push(scrollbackLine{})
		}
		c.values(h.lines.at(i))
	}
	c.values(&h.base, &h.lineIDs, &h.rows, &h.bytes, &h.text, &h.dropped, &h.short)
}
