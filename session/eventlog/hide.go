package eventlog

import "bytes"

// A Mask hides secrets. What is hidden keeps its length.
type Mask interface {
	// Text returns text with its secrets hidden.
	Text(text string) string
	// Bytes returns p, of which the first given bytes were written before, with its
	// secrets hidden, and how many bytes at its end may become one; open says that
	// more may follow.
	Bytes(p []byte, given int, open bool) (out []byte, held int)
	// Learn has the Mask hide a secret that was typed.
	Learn(secret string)
}

// hideContext is how much of what was written before is read with an event, in
// bytes: a private key of 4096 bits has 3 KB.
const hideContext = 8 << 10

// A hiding hides secrets in events as they come. What may become a secret with the
// next event is hidden at once: an event is written when it has happened, and nobody
// knows then what follows.
type hiding struct {
	out, in []byte // what came before, as it was
}

// hide hides the secrets in an event's data, which stay as long.
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
