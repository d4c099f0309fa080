package replay

import "bytes"

// How a mark begins (OSC 133) and what stands before its nonce; see package shellmarks.
const (
	markBegin = "\x1b]133;"
	markNonce = ";nonce="
)

// A blanker replaces the nonces in shell marks with zeros. Output may come in any pieces,
// and keeps its length.
type blanker struct {
	begun int // bytes of markBegin that have come
	named int // in a mark, bytes of markNonce that have come
}

// blank returns the next piece of output without nonces.
func (b *blanker) blank(p []byte) []byte {
	out := bytes.Clone(p)
	for i, c := range p {
		inMark := b.begun == len(markBegin)
		switch {
		case c == markBegin[0]: // also the end of a mark
			*b = blanker{begun: 1}
		case !inMark && c == markBegin[b.begun]:
			b.begun++
		case !inMark || c == '\a':
			*b = blanker{}
		case b.named == len(markNonce) && isHex(c):
			out[i] = '0'
		case b.named < len(markNonce) && c == markNonce[b.named]:
			b.named++
		case c == markNonce[0]:
			b.named = 1
		default:
			b.named = 0
		}
	}
	return out
}

// isHex reports whether c is a lower-case hexadecimal digit.
func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
