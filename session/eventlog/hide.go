package eventlog

import "bytes"

// A Mask hides secrets. Hidden text keeps its length.
type Mask interface {
	// Text returns text with its secrets hidden.
	Text(text string) string
	// Bytes returns p without its first given bytes, which were written before, and with the
	// secrets hidden. If open is true, more bytes may follow p. In that case, Bytes also hides the
	// last bytes of p if they may be the beginning of a secret; held is the number of these bytes.
	Bytes(p []byte, given int, open bool) (out []byte, held int)
	// Learn adds a typed secret to those that the Mask hides.
	Learn(secret string)
}

// hideContext is the number of bytes before an event that are searched together with it. A
// 4096-bit private key has about 3 KB.
const hideContext = 8 << 10

// A secretHider hides secrets in events one by one. An event is written before the next one is
// known, so the secretHider also hides text that may be the beginning of a secret.
type secretHider struct {
	out, in []byte // the last hideContext bytes of output and of input, in which nothing is hidden
}

// hide hides the secrets in the data of output, input and markers. The length does not change.
func (h *secretHider) hide(m Mask, e *Event) {
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
	joined := append(bytes.Clone(*before), e.Data...)
	e.Data, _ = m.Bytes(joined, len(*before), true)
	*before = bytes.Clone(joined[max(0, len(joined)-hideContext):])
}
