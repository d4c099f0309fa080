package eventlog

import "bytes"

// A Mask hides secrets. Hidden text keeps its length.
type Mask interface {
	// Text returns text with its secrets hidden.
	Text(text string) string
	// Bytes returns p without its first given bytes, which were written before, and with
	// its secrets hidden. held is how many bytes at its end may be the beginning of a
	// secret; open says that more may follow.
	Bytes(p []byte, given int, open bool) (out []byte, held int)
	// Learn makes the Mask hide a secret that was typed.
	Learn(secret string)
}

// hideContext is how many bytes before an event are searched with it: a private key of
// 4096 bits has 3 KB.
const hideContext = 8 << 10

// A hiding hides secrets in events as they come. It also hides text that may be the
// beginning of a secret: an event is written as soon as it has happened, before the next
// one is known.
type hiding struct {
	out, in []byte // the output and input before, not hidden
}

// hide hides the secrets in an event's data, whose length does not change.
func (h *hiding) hide(m Mask, e *Event) {
	if m == nil {
		return
	}
	before := &h.out
	switch e.Kind {
	case Output:
	case Input:
		before = &h.in
	case Marker:
		e.Data = []byte(m.Text(string(e.Data)))
		return
	default:
		return
	}
	all := append(bytes.Clone(*before), e.Data...)
	e.Data, _ = m.Bytes(all, len(*before), true)
	*before = bytes.Clone(all[max(0, len(all)-hideContext):])
}
