package emulator

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"unicode/utf8"
)

// stateVersion is the version of the encoding of State. It must be increased when the
// encoding changes; TestStateFields notices changed fields.
const stateVersion = 12

// State encodes the terminal for Restore: screens, scrollback, modes and any incomplete
// sequence. It does not include queued replies and events.
func (t *Terminal) State() []byte {
	c := newCodec(make([]byte, 0, 64<<10+t.history.bytes), false)
	c.b = append(c.b, stateVersion)
	t.transfer(c)
	return binary.BigEndian.AppendUint32(c.b, crc32.ChecksumIEEE(c.b))
}

// Restore returns the terminal that State has encoded. Its size is that of the state; the
// limits are those of o. The error wraps ErrState if the bytes were not written by this
// version of State.
func Restore(state []byte, o Options) (*Terminal, error) {
	n := len(state) - 4
	if n < 1 || binary.BigEndian.Uint32(state[n:]) != crc32.ChecksumIEEE(state[:n]) {
		return nil, fmt.Errorf("%w: the checksum of %d bytes is wrong", ErrState, len(state))
	}
	if state[0] != stateVersion {
		return nil, fmt.Errorf("%w: version %d, want %d", ErrState, state[0], stateVersion)
	}
	c := newCodec(state[1:n], true)
	t := New(o)
	t.transfer(c)
	if c.bad || len(c.b) > 0 {
		return nil, fmt.Errorf("%w: the contents are inconsistent", ErrState)
	}
	t.opt.Size = t.size
	t.history.trim()
	return t, nil
}

// transfer encodes or decodes the state that affects future output.
func (t *Terminal) transfer(c *codec) {
	c.values(&t.size)
	if t.size != t.size.clamp() {
		c.bad = true
		return
	}
	t.styles.transfer(c)
	t.clusters.interner.transfer(c)
	t.transferScreens(c)
	t.history.transfer(c)
	c.values(
		&t.images, &t.dec, &t.parser, &t.consumed, &t.cursor, &t.saved, &t.margins, &t.tabs, &t.modes, &t.savedModes,
		&t.sgrStack, &t.last, &t.cluster, &t.shape, &t.blink, &t.kitty, &t.modOther, &t.extent, &t.level,
		&t.protection, &t.titles, &t.palette, &t.palettes, &t.base, &t.lineIDs, &t.repaint, &t.rev, &t.placeRev,
		&t.gcSkips)
	c.bad = c.bad || !t.valid()
}

// transferScreens encodes or decodes the main and the alternate screen.
func (t *Terminal) transferScreens(c *codec) {
	hasAlt, showsAlt := t.alt != nil, t.scr == t.alt
	c.values(&hasAlt, &showsAlt)
	if c.reading {
		t.main, t.alt = newScreen(t.size), nil
		if hasAlt {
			t.alt = newScreen(t.size)
		}
		t.scr = t.main
		if hasAlt && showsAlt {
			t.scr = t.alt
		}
	}
	for _, s := range []*screen{t.main, t.alt} {
		if s != nil {
			s.transfer(c, &t.packer)
		}
	}
}

// valid reports whether decoded positions are inside the grid and decoded indexes inside
// their tables, as others would make the terminal panic. Other wrong values only lead to a
// wrong display.
func (t *Terminal) valid() bool {
	inside := func(row, col int) bool {
		return row >= 0 && row < t.size.Rows && col >= 0 && col < t.size.Cols
	}
	for _, k := range []charset{t.charset, t.saved[0].charset, t.saved[1].charset} {
		if max(k.g[0], k.g[1], k.g[2], k.g[3]) >= charsetID(len(charsets)) || max(k.gl, k.single) >= uint8(len(k.g)) {
			return false
		}
	}
	for _, k := range t.kitty {
		if k.n < 0 || k.n > len(k.stack) {
			return false
		}
	}
	m, p := t.margins, &t.parser
	return (t.images == nil || t.images.Valid()) && inside(t.row, t.col) && len(t.placeRev) == t.size.Rows &&
		inside(m.top, m.left) && inside(m.bottom, m.right) && m.top <= m.bottom && m.left <= m.right &&
		t.history.cols == t.size.Cols && t.dec.n >= 0 && t.dec.n < utf8.UTFMax && p.params.n >= 0 && p.params.n <= maxParams
}
