package emulator

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// stateVersion is the version of what State writes. A change of the fields adds
// one: TestStateFields notices.
const stateVersion = 8

// State returns the terminal as bytes, from which Restore makes its equal:
// screens, scrollback, modes and a sequence that is not complete, but
// not the replies and events that wait to be taken.
func (t *Terminal) State() []byte {
	c := &codec{b: make([]byte, 0, 64<<10+t.history.bytes)}
	c.b = binary.AppendUvarint(c.b, stateVersion)
	t.walk(c)
	return binary.BigEndian.AppendUint32(c.b, crc32.ChecksumIEEE(c.b))
}

// Restore returns the terminal that State has described, within the limits of o;
// its size is the state's. The error wraps ErrState for bytes that this version of State
// has not written.
func Restore(state []byte, o Options) (*Terminal, error) {
	n := len(state) - 4
	if n < 1 || binary.BigEndian.Uint32(state[n:]) != crc32.ChecksumIEEE(state[:n]) {
		return nil, fmt.Errorf("%w: the checksum of %d bytes is wrong", ErrState, len(state))
	}
	c := &codec{b: state[:n], reading: true}
	if v := c.uvarint(); v != stateVersion {
		return nil, fmt.Errorf("%w: version %d, want %d", ErrState, v, stateVersion)
	}
	t := New(o)
	t.walk(c)
	if c.bad || len(c.b) > 0 {
		return nil, fmt.Errorf("%w: its parts contradict each other", ErrState)
	}
	t.opt.Size = t.size
	t.history.trim()
	return t, nil
}

// walk writes or reads all that output to come depends on.
func (t *Terminal) walk(c *codec) {
	num(c, &t.size.Rows)
	num(c, &t.size.Cols)
	if t.size != t.size.clamp() {
		c.bad = true
		return
	}
	t.dec.walk(c)
	t.parser.walk(c)
	num(c, &t.consumed)
	t.styles.walk(c)
	list(c, &t.clusters.values, (*codec).text)
	t.clusters.interner.walk(c)
	t.screens(c)
	t.history.walk(c)
	t.cursor.walk(c)
	for i := range t.saved {
		t.saved[i].walk(c)
	}
	t.margins.walk(c)
	for i := range t.tabs {
		c.flag(&t.tabs[i])
	}
	t.modes.walk(c)
	dict(c, &t.savedModes, (*codec).flag)
	list(c, &t.sgrStack, func(c *codec, p *pushedSGR) {
		c.style(&p.pen)
		list(c, &p.parts, num[int])
	})
	num(c, &t.last)
	t.cluster.walk(c)
	num(c, &t.shape)
	c.flag(&t.blink)
	for i := range t.kitty {
		t.kitty[i].walk(c)
	}
	num(c, &t.modOther)
	num(c, &t.extent)
	num(c, &t.level)
	num(c, &t.protection)
	c.text(&t.titles.window)
	list(c, &t.titles.stack, (*codec).text)
	t.palette.walk(c)
	dict(c, &t.palettes.kept, func(c *codec, p *palette) { p.walk(c) })
	num(c, &t.palettes.top)
	num(c, &t.palettes.most)
	num(c, &t.base)
	num(c, &t.lineIDs)
	t.repaint.walk(c)
	num(c, &t.rev)
	list(c, &t.placeRev, num[uint64])
	num(c, &t.tally.unknown)
	num(c, &t.tally.images)
	num(c, &t.gcHold)
	t.walkImages(c)
	c.bad = c.bad || !t.sound()
}

// screens writes or reads the main and the alternate screen.
func (t *Terminal) screens(c *codec) {
	there, present := t.alt != nil, t.scr == t.alt
	c.flag(&there)
	c.flag(&present)
	if c.reading {
		t.main, t.alt = newScreen(t.size), nil
		if there {
			t.alt = newScreen(t.size)
		}
		t.scr = t.main
		if there && present {
			t.scr = t.alt
		}
	}
	for _, s := range []*screen{t.main, t.alt} {
		if s != nil {
			s.walk(c, &t.packer)
		}
	}
}

// sound reports whether the positions that were read lie inside the grid: others would make
// the terminal panic. Other wrong values only show a wrong picture.
func (t *Terminal) sound() bool {
	inside := func(row, col int) bool {
		return row >= 0 && row < t.size.Rows && col >= 0 && col < t.size.Cols
	}
	m := t.margins
	return inside(t.row, t.col) && len(t.placeRev) == t.size.Rows &&
		inside(m.top, m.left) && inside(m.bottom, m.right) && m.top <= m.bottom && m.left <= m.right &&
		t.history.cols == t.size.Cols
}
